package bundle

import (
	"strings"
	"testing"
)

// The notices contain the licence of each distributed part: packages in the npm package,
// the playground and the extension, modules of the engine and the program, Go and
// PageMCP. A licence that is not allowed fails the test.
func TestShippedPartsHaveTheirNotices(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	files, err := distHere()
	if err != nil {
		t.Fatal(err)
	}
	program, err := BinaryNotices("../..", "./cmd/pagemcp", "./cmd/pagemcpd")
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct {
		text string
		has  []string
	}{
		"package":    {string(files[Package+Notices]), []string{"@cfworker/json-schema"}},
		"playground": {string(files[Playground+Notices]), []string{"preact", "@codemirror/view"}},
		"extension":  {string(files["/"+ExtensionName("chromium")+"/"+Notices]), []string{"@cfworker/json-schema"}},
		"firefox":    {string(files["/"+ExtensionName("firefox")+"/"+Notices]), []string{"@cfworker/json-schema"}},
		"program":    {string(program), []string{"github.com/coder/websocket", "github.com/evanw/esbuild", "github.com/nats-io/nkeys"}},
	} {
		for _, one := range append(x.has, "Go", "github.com/go-json-experiment/json") {
			if !strings.Contains(x.text, "\n"+one+" ") {
				t.Errorf("%s: the notices of %s are missing", name, one)
			}
		}
		if !strings.HasPrefix(x.text, "PageMCP\n\nMIT License") || strings.Contains(x.text, "\nreact ") {
			t.Errorf("%s: %.200s", name, x.text)
		}
	}
}

func TestLicencesHaveToBeAllowed(t *testing.T) {
	for _, c := range []Component{
		{Name: "a", Version: "1", License: "GPL-3.0", Text: "x"}, {Name: "a", Version: "1", License: "", Text: "x"},
		{Name: "a", Version: "1", License: "MIT"}, {Name: "a", Version: "1", License: "SEE LICENSE IN x", Text: "x"},
	} {
		if _, err := NoticesOf(t.TempDir(), []Component{c}); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
	text, err := NoticesOf(t.TempDir(), []Component{{"b", "2", "ISC", "terms of b\r\n"}, {"a", "1", "MIT", "terms of a"}, {"a", "1", "MIT", "terms of a"}})
	if err != nil || strings.Count(string(text), "terms of a") != 1 || strings.Index(string(text), "a 1 (MIT)") > strings.Index(string(text), "b 2 (ISC)") {
		t.Errorf("%s %v", text, err)
	}
	for file, want := range map[string]string{
		"web/src/index.ts": "", "web/node_modules/preact/dist/preact.js": "web/node_modules/preact",
		"web/node_modules/@codemirror/view/dist/index.js": "web/node_modules/@codemirror/view", "web/node_modules/a/node_modules/b/index.js": "web/node_modules/a/node_modules/b",
	} {
		if got := packageDir(file); got != want {
			t.Errorf("%s belongs to %q, want %q", file, got, want)
		}
	}
}
