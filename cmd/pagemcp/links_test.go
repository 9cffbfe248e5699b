package main

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/pagemcp/pagemcp/server/published"
	"github.com/pagemcp/pagemcp/web"
)

// The install links of a release add what `pagemcp install --npx` writes into the file of the
// same client.
func TestInstallLinksWriteWhatInstallWrites(t *testing.T) {
	files := map[string]struct{ path, parent string }{
		"vscode":   {".config/Code/User/mcp.json", "servers"},
		"cursor":   {".cursor/mcp.json", "mcpServers"},
		"lmstudio": {".lmstudio/mcp.json", "mcpServers"},
	}
	links := published.InstallLinks(web.Version())
	if len(links) != len(files) {
		t.Fatalf("%d links, want %d", len(links), len(files))
	}
	for _, link := range links {
		in, _, opts := testInstaller(t)
		opts.client, opts.npx = link.Client, true
		if err := in.install(t.Context(), opts); err != nil {
			t.Fatal(err)
		}
		var written map[string]map[string]any
		file := files[link.Client]
		if err := json.Unmarshal([]byte(fileText(t, filepath.Join(in.host.Home, filepath.FromSlash(file.path)))), &written); err != nil {
			t.Fatal(err)
		}
		parsed, err := url.Parse(link.String())
		if err != nil {
			t.Fatal(err)
		}
		name, text := parsed.Query().Get("name"), []byte(parsed.Query().Get("config"))
		if link.Client != "vscode" { // the others take base64
			if text, err = base64.StdEncoding.DecodeString(string(text)); err != nil {
				t.Fatal(err)
			}
		}
		var config any
		if err := json.Unmarshal(text, &config); err != nil {
			t.Fatal(err)
		}
		if want := written[file.parent][name]; !reflect.DeepEqual(config, want) {
			t.Errorf("the link of %s adds %v as %q, install writes %v", link.Client, config, name, written)
		}
	}
}
