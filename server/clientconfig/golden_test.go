package clientconfig

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the files `after` of testdata/clients")

const testdata = "../../testdata/clients"

// testServer is the server of all tests.
func testServer() Server {
	return Server{
		Name: "pagemcp", Command: []string{"/usr/local/bin/pagemcp", "stdio"},
		TokenFile: "/home/ada/.local/state/pagemcp/token", HeadersCommand: `"/usr/local/bin/pagemcp" headers`,
	}
}

// serverOf returns the server that a golden case adds, by the name of the case.
func serverOf(name string) Server {
	s := testServer()
	if strings.HasPrefix(name, "http") {
		s.URL = "http://127.0.0.1:8808/mcp"
	}
	if strings.HasPrefix(name, "http-token") {
		s.Token = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
	}
	return s
}

// goldenCases calls do with each pair of files.
func goldenCases(t testing.TB, do func(c Client, name, dir string, before []byte)) {
	for _, c := range Clients() {
		dirs, err := filepath.Glob(filepath.Join(testdata, c.ID, "*"))
		if err != nil || len(dirs) == 0 {
			t.Fatalf("%s has no cases: %v", c.ID, err)
		}
		for _, dir := range dirs {
			before, err := os.ReadFile(filepath.Join(dir, "before"))
			if err != nil {
				t.Fatal(err)
			}
			do(c, filepath.Base(dir), dir, before)
		}
	}
}

func mustPlace(t testing.TB, c Client, s Server) []placement {
	t.Helper()
	all, err := c.placements(s)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Each file of a client gets exactly the entry, a second installation changes nothing,
// and removal gives back the file byte for byte.
func TestGoldenFiles(t *testing.T) {
	goldenCases(t, func(c Client, name, dir string, before []byte) {
		t.Run(c.ID+"/"+name, func(t *testing.T) {
			all := mustPlace(t, c, serverOf(name))
			e, err := install(c.format, before, all)
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join(dir, "after")
			if *update {
				if err := os.WriteFile(golden, e.after, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(e.after, want) {
				t.Errorf("differs from %s:\n%s", golden, unified("after", want, e.after))
			}
			checkOnlyAdds(t, before, e.after)
			checkInverse(t, c.format, before, e, all)
		})
	})
}

// checkOnlyAdds checks that a diff removes no line, except for lines that hold a whole
// object, and a last line without line break.
func checkOnlyAdds(t testing.TB, before, after []byte) {
	t.Helper()
	for line := range strings.Lines(unified("", before, after)) {
		removed, ok := strings.CutPrefix(line, "-")
		if !ok || strings.HasPrefix(line, "--- ") || strings.ContainsAny(removed, "{[") && strings.ContainsAny(removed, "}]") {
			continue
		}
		if !bytes.HasSuffix(before, []byte(strings.TrimSuffix(removed, "\n"))) {
			t.Errorf("the diff removes a line: %q", removed)
		}
	}
}

// checkInverse checks the properties of an installation: it is idempotent, and removal is
// its inverse if the parents existed.
func checkInverse(t testing.TB, f format, before []byte, e edit, all []placement) {
	t.Helper()
	again, err := install(f, e.after, all)
	if err != nil || !again.equal || !bytes.Equal(again.after, e.after) {
		t.Fatalf("the second installation: equal %v, %v\n%s", again.equal, err, unified("", e.after, again.after))
	}
	removed, err := uninstall(f, e.after, places(all))
	if err != nil {
		t.Fatalf("removal: %v\n%q\n%q", err, before, e.after)
	}
	if e.present { // it replaced something
		return
	}
	for _, p := range all {
		if !hasParent(f, before, p.place) {
			return
		}
		if p.element { // which may have been there, without a server that uses it
			if value, err := find(f, before, p.place); err != nil || value != nil {
				return
			}
		}
	}
	if !bytes.Equal(removed.after, before) {
		t.Fatalf("removal does not restore the file:\nbefore  %q\nafter   %q\nremoved %q", before, e.after, removed.after)
	}
}

// hasParent reports whether the parent is in text.
func hasParent(f format, text []byte, p place) bool {
	text = bytes.TrimPrefix(text, byteOrderMark)
	switch f.(type) {
	case jsonFormat:
		document, err := parseJSON(text)
		if err != nil {
			return false
		}
		l, err := locateJSON(document, p)
		return err == nil && l.parent != nil
	case yamlFormat:
		l, err := locateYAML(text, p)
		return err == nil && l.parent != nil
	}
	return true
}
