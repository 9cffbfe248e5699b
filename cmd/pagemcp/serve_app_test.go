package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// serve --dir serves an app with live reload and the package, and its origin may join.
func TestServeAnApp(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	useSources(t)
	dir, state := t.TempDir(), t.TempDir()
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("<!doctype html><title>first</title>")
	line, _ := startServe(t, state, "--dir", dir, "--web", "127.0.0.1:0")
	if !strings.HasPrefix(line.Start, line.Web+"#pagemcp=") {
		t.Fatalf("%+v", line)
	}
	ctx, web := t.Context(), strings.TrimSuffix(line.Web, "/")
	if status, text := fetch(t, web+"/"); status != 200 || !strings.Contains(text, "first") || !strings.Contains(text, `src="/live.js?`) {
		t.Errorf("%d %s", status, text)
	}
	if status, text := fetch(t, web+"/pagemcp/index.js"); status != 200 || !strings.Contains(text, "export") {
		t.Errorf("the package: %d", status)
	}
	live, _, err := websocket.Dial(ctx, strings.Replace(line.Web, "http", "ws", 1)+"live", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer live.CloseNow()
	version := func() {
		t.Helper()
		if _, _, err := live.Read(ctx); err != nil {
			t.Fatalf("waited for a version of the files: %v", err)
		}
	}
	version() // the first one comes at once
	write("<!doctype html><title>second</title>")
	version()
	if _, text := fetch(t, web+"/"); !strings.Contains(text, "second") {
		t.Errorf("%s", text)
	}
	status, err := runForOutput(t, "status", "--state", state)
	if err != nil || !strings.Contains(status, web+"  may join") {
		t.Errorf("%s, %v", status, err)
	}
}

// An app with files of its own at the path of the package keeps them.
func TestAppsKeepTheirPackage(t *testing.T) {
	pack := map[string][]byte{"/pagemcp/index.js": []byte("ours")}
	own := map[string][]byte{"/index.html": nil, "/pagemcp/index.js": []byte("theirs")}
	if got := withPackage(own, pack); string(got["/pagemcp/index.js"]) != "theirs" || len(got) != 2 {
		t.Errorf("%q", got)
	}
	if got := withPackage(map[string][]byte{"/index.html": nil}, pack); string(got["/pagemcp/index.js"]) != "ours" || len(got) != 2 {
		t.Errorf("%q", got)
	}
	if got := withPackage(map[string][]byte{"/index.html": nil}, nil); len(got) != 1 {
		t.Errorf("%q", got)
	}
}
