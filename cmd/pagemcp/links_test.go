package main

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/pagemcp/pagemcp/server/release"
)

// The install links of README.md add what `pagemcp install --npx` writes into the file of
// the same client, without the name: they start a published version, and 0.1.0 has no --as.
func TestInstallLinksWriteWhatInstallWrites(t *testing.T) {
	links, err := release.ReadInstallLinks(fileText(t, filepath.Join(root, "README.md")))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]struct{ path, parent string }{
		"vscode":   {".config/Code/User/mcp.json", "servers"},
		"cursor":   {".cursor/mcp.json", "mcpServers"},
		"lmstudio": {".lmstudio/mcp.json", "mcpServers"},
	}
	if len(links) != len(files) {
		t.Fatalf("%d links, want %d", len(links), len(files))
	}
	for _, link := range links {
		e, _, opts := newTestEditor(t)
		opts.client, opts.npx = link.Client, true
		if err := e.install(t.Context(), opts); err != nil {
			t.Fatal(err)
		}
		var written map[string]map[string]any
		file := files[link.Client]
		if err := json.Unmarshal([]byte(fileText(t, filepath.Join(e.env.Home, filepath.FromSlash(file.path)))), &written); err != nil {
			t.Fatal(err)
		}
		var config any
		if err := json.Unmarshal([]byte(link.Config), &config); err != nil {
			t.Fatal(err)
		}
		want, _ := written[file.parent][link.Name].(map[string]any)
		if args, ok := want["args"].([]any); ok && len(args) > 2 && args[len(args)-2] == "--as" && args[len(args)-1] == link.Client {
			want["args"] = args[:len(args)-2]
		} else {
			t.Errorf("%s gets no name: %v", link.Client, want)
		}
		if !reflect.DeepEqual(config, any(want)) {
			t.Errorf("the link of %s adds %v as %q, install writes %v", link.Client, config, link.Name, written)
		}
	}
}
