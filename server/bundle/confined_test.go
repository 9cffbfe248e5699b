package bundle

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
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

// Source maps name files below the sources, and no directory of this machine.
func TestSourceMapsNameNoDirectories(t *testing.T) {
	root := project(t)
	options, err := buildOptions(root, true)
	if err != nil {
		t.Fatal(err)
	}
	playground, err := playgroundOptions(root, true)
	if err != nil {
		t.Fatal(err)
	}
	maps := 0
	for _, options := range []*api.BuildOptions{options, playground} {
		files, err := filesOf(api.Build(*options))
		if err != nil {
			t.Fatal(err)
		}
		for name, contents := range files {
			if path.Ext(name) != ".map" {
				if strings.Contains(string(contents), root) {
					t.Errorf("%s names %s", name, root)
				}
				continue
			}
			maps++
			var sourceMap struct {
				Sources  []string
				Mappings string
			}
			if err := json.Unmarshal(contents, &sourceMap); err != nil || len(sourceMap.Sources) == 0 || sourceMap.Mappings == "" {
				t.Errorf("%s: %v %.200s", name, err, contents)
			}
			for _, source := range sourceMap.Sources {
				if !strings.HasPrefix(source, "web/") && !strings.HasPrefix(source, "lib/wasm/") || strings.Contains(source, "..") {
					t.Errorf("%s names %s", name, source)
				}
			}
		}
	}
	if maps < 3 {
		t.Errorf("%d source maps", maps)
	}
}
