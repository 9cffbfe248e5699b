package gateway

import "testing"

// A program that embeds a gateway has to allow the use of an assistant's model.
func TestPagesUseNoModelByDefault(t *testing.T) {
	p := &page{name: "notes", origin: "https://app.example"}
	for _, row := range []struct {
		name    string
		options Options
		refused bool
	}{
		{"without a function", Options{}, true},
		{"of a refused origin", Options{MaySample: func(string) bool { return false }}, true},
		{"of an allowed origin", Options{MaySample: func(origin string) bool { return origin == p.origin }}, false},
	} {
		v := &views{gateway: &Gateway{Options: row.options}}
		if got := v.inputPolicy(p); (got.Refuse != "") != row.refused || got.From != "notes (https://app.example)" {
			t.Errorf("%s: %+v", row.name, got)
		}
	}
}
