package bundle

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// documented is a project with a documentation of one page.
func documented(t *testing.T) string {
	t.Helper()
	root := project(t)
	for name, text := range map[string]string{
		"web/docs/README.md":      "# Pages\n\n## Start\n\n- [Start](../../README.md): How to begin.\n",
		"README.md":               "# Start\n\nRead this.\n",
		"web/docs/site/main.ts":   "document.title = ''\n",
		"web/docs/site/theme.ts":  "document.title = ''\n",
		"web/docs/site/style.css": "body { margin: 0 }\n",
		"web/demo/icon.svg":       "<svg xmlns='http://www.w3.org/2000/svg'/>",
	} {
		write(t, root, name, text)
	}
	return root
}

// The directory of the documentation has all that it needs, whatever is beside it.
func TestDocsAreComplete(t *testing.T) {
	files, err := Build(documented(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"index.html", "index.md", "llms.txt", "icon.svg", "style.css", "theme.js", "main.js"} {
		if len(files[Docs+name]) == 0 {
			t.Errorf("no %s", name)
		}
	}
	if files[Docs+"pages.js"] != nil {
		t.Error("the entry point that stands for the pages is a file")
	}
}

func TestProjectsWithoutDocs(t *testing.T) {
	files, err := Build(project(t))
	if err != nil {
		t.Fatal(err)
	}
	for name := range files {
		if strings.HasPrefix(name, Docs) {
			t.Errorf("%s is built", name)
		}
	}
}

// A changed page and a mistake in the list of pages each cause a build.
func TestWatchBuildsDocsAgain(t *testing.T) {
	root := documented(t)
	next, end := watch(t, root)
	until := func(what string, fits func(outcome) bool) {
		t.Helper()
		for o := next(); !fits(o); o = next() {
			t.Logf("a build without %s", what)
		}
	}
	contains := func(text string) func(outcome) bool {
		return func(o outcome) bool {
			return o.err == nil && bytes.Contains(o.files[Docs+"index.html"], []byte(text))
		}
	}
	until("the page", contains("Read this."))
	write(t, root, "README.md", "# Start\n\nRead that.\n")
	until("the changed page", contains("Read that."))
	write(t, root, "web/docs/README.md", "# Pages\n\n## Start\n\n- [Start](missing.md): How to begin.\n")
	until("an error that names the page", func(o outcome) bool {
		return o.err != nil && strings.Contains(o.err.Error(), "missing.md")
	})
	write(t, root, "web/docs/README.md", "# Pages\n\n## Start\n\n- [Begin](../../README.md): How to begin.\n")
	until("the corrected list", contains("Begin"))
	end()
}

// `make run` installs no compiler: the documentation is there without the reference of the package.
func TestDocsNeedNoCompiler(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "web"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "web", "tsconfig.build.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if declarations, err := publicDeclarations(root); declarations != nil || err != nil {
		t.Errorf("%v, %v", declarations, err)
	}
}
