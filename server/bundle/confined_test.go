package bundle

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Files behind a symbolic link out of the sources are never served: neither an image or
// page beside a demo nor an imported module. Links within the sources work.
func TestLinksOutOfTheSourcesAreRefused(t *testing.T) {
	const canary = "canary of another directory"
	for _, name := range []string{"web/demo/one/secret.svg", "web/demo/one/secret.css", "web/demo/one/secret.html", "web/demo/one/twice.ts", "web/playground/secret.svg", "web/playground/shown.tsx"} {
		root, elsewhere := project(t), t.TempDir()
		write(t, elsewhere, "secret", "/* "+canary+" */ export const twice = (n: number) => n, shown = () => {}\n")
		os.Remove(filepath.Join(root, name))
		if err := os.Symlink(filepath.Join(elsewhere, "secret"), filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
		files, err := Build(root)
		for served, contents := range files {
			if strings.Contains(string(contents), canary) {
				t.Errorf("%s is served as %s", name, served)
			}
		}
		if err == nil || !strings.Contains(err.Error(), "leads out of the sources") {
			t.Errorf("%s: %v", name, err)
		}
	}
	root := project(t)
	os.Remove(filepath.Join(root, "web/demo/one/style.css"))
	if err := os.Symlink("../../playground/more/more.css", filepath.Join(root, "web/demo/one/style.css")); err != nil {
		t.Fatal(err)
	}
	if files, err := Build(root); err != nil || !strings.Contains(string(files["/demo/one/style.css"]), "green") {
		t.Errorf("a link within the sources: %v", err)
	}
}

// Source maps name files below the sources, and no directory of this machine. Those of the
// package are linked, except that of worker.js, which bundlers copy without it.
func TestSourceMapsNameNoDirectories(t *testing.T) {
	root := project(t)
	for _, dev := range []bool{true, false} {
		all, err := parts(root, dev)
		if err != nil {
			t.Fatal(err)
		}
		files, err := all.build()
		if err != nil {
			t.Fatal(err)
		}
		maps := 0
		for name, contents := range files {
			if strings.Contains(string(contents), root) {
				t.Errorf("%s names %s", name, root)
			}
			if path.Ext(name) == ".js" {
				linked := strings.Contains(string(contents), "//# sourceMappingURL="+path.Base(name)+".map")
				if want := dev || !strings.HasPrefix(name, Playground) && name != Package+"worker.js"; linked != want {
					t.Errorf("%s names its source map: %v, want %v", name, linked, want)
				}
			}
			if path.Ext(name) != ".map" {
				continue
			}
			maps++
			var sourceMap struct {
				Sources, SourcesContent []string
				Mappings                string
			}
			if err := json.Unmarshal(contents, &sourceMap); err != nil || sourceMap.Mappings == "" && len(sourceMap.Sources) > 0 {
				t.Errorf("%s: %v %.200s", name, err, contents)
			}
			if len(sourceMap.SourcesContent) != len(sourceMap.Sources) {
				t.Errorf("%s has %d texts of %d sources", name, len(sourceMap.SourcesContent), len(sourceMap.Sources))
			}
			for _, source := range sourceMap.Sources {
				if top, _, _ := strings.Cut(source, "/"); !slices.Contains([]string{"src", "demo", "playground", "go", "node_modules"}, top) || strings.Contains(source, "..") {
					t.Errorf("%s names %s", name, source)
				}
			}
		}
		if files[Package+"worker.js.map"] == nil || maps < 9 {
			t.Errorf("%d source maps", maps)
		}
	}
}
