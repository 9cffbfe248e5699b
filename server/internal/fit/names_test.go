package fit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What a page calls its tools does not reach a model API: each name is one that it takes, no two
// are equal, and a name that fits keeps its spelling, also beside one that is spelled like it.
func TestNamesAreThoseOfModelAPIs(t *testing.T) {
	long := "notes__" + strings.Repeat("a", 60)
	taken := Fitter{Taken: func(name string) bool { return name == "read_resource" }}
	valid := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,50}$`)
	for about, test := range map[string]struct {
		names, want []string // "" in want: any other
	}{
		"fits":                          {[]string{"notes__add", "notes__add-2_B"}, []string{"notes__add", "notes__add-2_B"}},
		"other characters":              {[]string{"notes__a.b", "notes__c d", "notes__ü"}, []string{"notes__a_b", "notes__c_d", "notes___"}},
		"a name keeps its spelling":     {[]string{"notes__a.b", "notes__a_b"}, []string{"", "notes__a_b"}},
		"two that are spelled alike":    {[]string{"notes__a.b", "notes__a b"}, []string{"", ""}},
		"a long one":                    {[]string{long}, []string{""}},
		"long ones that begin alike":    {[]string{long + "1", long + "2"}, []string{"", ""}},
		"a name of another source":      {[]string{"read.resource"}, []string{""}},
		"one name of another source":    {[]string{"read_resource"}, []string{"read_resource"}},
		"one that is made of others":    {[]string{"notes__a.b", "notes__a b", Fitter{}.Names([]string{"notes__a.b", "notes__a b"})[0]}, []string{"", "", ""}},
		"only characters that are none": {[]string{"notes__…", "notes__¿"}, []string{"", ""}},
	} {
		got := taken.Names(test.names)
		seen := map[string]bool{}
		for i, name := range got {
			if !valid.MatchString(name) || seen[name] || test.want[i] != "" && test.want[i] != name || test.want[i] == "" && name == "read_resource" {
				t.Errorf("%s: %q becomes %q", about, test.names, got)
			}
			seen[name] = true
		}
	}
}

// A name means the same tool whatever the order of the list, and whatever else is in it, unless that
// is spelled like it.
func TestNamesDependOnTheirToolAlone(t *testing.T) {
	names := []string{"notes__a.b", "notes__a b", "notes__c.d", "notes__" + strings.Repeat("long", 20)}
	shown := map[string]string{}
	for i, name := range (Fitter{}).Names(names) {
		shown[names[i]] = name
	}
	other := slices.Clone(names)
	slices.Reverse(other)
	other = append(other, "notes__e", "notes__f.g")
	for i, name := range (Fitter{}).Names(other) {
		if before, known := shown[other[i]]; known && before != name {
			t.Errorf("%s is %s, and was %s", other[i], name, before)
		}
	}
}

// Many names at once cost a time that grows with their number.
func BenchmarkNames(b *testing.B) {
	names := make([]string, 1000)
	for i := range names {
		names[i] = fmt.Sprintf("notes__tool %d", i)
	}
	for b.Loop() {
		Fitter{}.Names(names)
	}
}
