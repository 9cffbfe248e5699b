package bundle

import (
	"encoding/json"
	"path"
	"strings"
	"testing"
)

// Source maps name no directory of this machine. Those of the
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
		}
		if files[Package+"worker.js.map"] == nil || maps < 9 {
			t.Errorf("%d source maps", maps)
		}
	}
}
