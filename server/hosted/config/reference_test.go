package config

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const reference = "../../../cmd/pagemcpd/README.md"

// configKeys returns the keys of all values of a configuration.
func configKeys(of reflect.Type, prefix string) (keys []string) {
	for i := range of.NumField() {
		field := of.Field(i)
		key, kind := prefix+field.Tag.Get("yaml"), field.Type
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		if kind.Kind() == reflect.Struct {
			keys = append(keys, configKeys(kind, key+".")...)
		} else {
			keys = append(keys, key)
		}
	}
	return keys
}

// Every key of the reference exists, and every key is in the reference, with its default.
func TestTheReferenceHasAllKeys(t *testing.T) {
	text, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Configuration\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var documented []string
	defaults := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*`) \\| ([^|]*) \\|").FindAllStringSubmatch(section, -1) {
		for _, key := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			documented = append(documented, key[1])
			defaults[key[1]] = strings.Trim(row[2], "` ")
		}
	}
	keys := configKeys(reflect.TypeFor[Config](), "")
	slices.Sort(keys)
	slices.Sort(documented)
	if !slices.Equal(keys, documented) {
		t.Errorf("the reference has\n%q, the struct\n%q", documented, keys)
	}
	for _, field := range (&Limits{}).fields() {
		if got := defaults["limits."+field.key]; got != fmt.Sprint(field.standard) {
			t.Errorf("limits.%s: the reference says %s, the default is %d", field.key, got, field.standard)
		}
	}
	full := Config{}.WithDefaults()
	for key, want := range map[string]string{"listen": full.Listen, "admin.listen": full.Admin.Listen, "assistants.subjectClaim": full.Assistants.SubjectClaim, "log.level": full.Log.Level, "audit.uris": full.Audit.URIs} {
		if defaults[key] != want {
			t.Errorf("%s: the reference says %s, the default is %s", key, defaults[key], want)
		}
	}
}
