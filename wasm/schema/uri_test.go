package schema

import (
	"strings"
	"testing"
)

// RFC 3986 by its characters. R-122 R-128 R-255.
func TestCheckURI(t *testing.T) {
	for uri, valid := range map[string]bool{
		"notes://cart": true, "idb:///a/b/n.1": true, "urn:x": true, "a+b-c.d:/x?y=%20#z": true, "x:": true, "notes+idb:///a": true,
		"": false, ":x": false, "no scheme": false, "1a:x": false, "+a:x": false, "notes://a b": false, "notes://ü": false,
		"notes://%": false, "notes://%4": false, "notes://%zz": false, "notes://\x00": false, "notes://\\": false, "notes://<>": false,
		"notes://" + strings.Repeat("x", MaxURI-8): true, "notes://" + strings.Repeat("x", MaxURI-7): false,
	} {
		if err := CheckURI(uri); (err == nil) != valid {
			t.Errorf("CheckURI(%.40q) is %v, want valid %v", uri, err, valid)
		}
	}
}

// RFC 3986, section 6.2.2, and what clients spell in several ways.
func TestCanonical(t *testing.T) {
	for uri, want := range map[string]string{
		"notes://a": "notes://a", "NOTES+x://A": "notes+x://A", "a:%41%2d%7E%2f%c3%a9": "a:A-~%2F%C3%A9", "a:é": "a:%C3%A9",
		"a:O'Brien": "a:O%27Brien", "a:!*'()": "a:%21%2A%27%28%29", "a:%21%2a": "a:%21%2A", "a:b|c^d": "a:b%7Cc%5Ed",
		"a:?b=/&c=%26": "a:?b=/&c=%26", "a:%2541": "a:%2541", "a:%ff": "a:%FF",
		"a:b c": "", "a:b\\c": "", "a:%": "", "a:%4": "", "a:{b}": "", "a:\xff": "", "": "", "b": "", "é:a": "", "a:\x00": "",
		"a:" + strings.Repeat("é", MaxURI/4): "",
	} {
		got, err := Canonical(uri)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("Canonical(%.40q) is %.40q, %v; want %.40q", uri, got, err, want)
		}
		if again, err := Canonical(got); want != "" && (again != got || err != nil) {
			t.Errorf("Canonical(%q) is %q, %v", got, again, err)
		}
	}
	if n := testing.AllocsPerRun(100, func() { Canonical("idb:///notes-app/notes/s.a%2Fb?x=1&y=2") }); n != 0 {
		t.Errorf("%v allocations for a URI that is canonical", n)
	}
}

func BenchmarkCanonical(b *testing.B) {
	for b.Loop() {
		Canonical("notes+idb:///notes-app/notes/s.a%2Fb")
	}
}
