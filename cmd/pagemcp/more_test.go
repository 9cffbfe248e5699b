package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server"
)

// Below an error is the address of its entry in the documentation: that of a running
// `pagemcp dev`, or else the public one.
func TestErrorsLeadToTheDocumentation(t *testing.T) {
	state := t.TempDir()
	printed := func(err error) string {
		t.Helper()
		var out bytes.Buffer
		printError(streams{err: &out}, state, err)
		return out.String()
	}
	const anchor = "#no-gateway-is-running-start-one-with\n"
	want := "pagemcp: " + server.ErrNotRunning.Error() + "\nMore: https://github.com/pagemcp/pagemcp/blob/main/web/docs/troubleshooting.md" + anchor
	if got := printed(server.ErrNotRunning); got != want {
		t.Errorf("without a gateway:\n%s", got)
	}
	if got := printed(errors.New("the disk is full")); got != "pagemcp: the disk is full\n" {
		t.Errorf("an error without an entry:\n%s", got)
	}

	files := t.TempDir()
	if err := os.Mkdir(filepath.Join(files, "docs"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"index.html", "docs/index.html"} {
		if err := os.WriteFile(filepath.Join(files, name), []byte("<!doctype html>"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	line, stop := startProgram(t, "dev", "--json", "--state", state, "--mcp", "127.0.0.1:0", "--web", "127.0.0.1:0", "--files", files)
	if got := printed(server.ErrNotRunning); !strings.HasSuffix(got, "\nMore: "+line.Web+"docs/troubleshooting.html"+anchor) {
		t.Errorf("with pagemcp dev:\n%s", got)
	}
	stop()
	if got := printed(server.ErrNotRunning); got != want {
		t.Errorf("after pagemcp dev:\n%s", got)
	}

	startServe(t, state) // serves no documentation
	if got := printed(server.ErrNotRunning); got != want {
		t.Errorf("with pagemcp serve:\n%s", got)
	}
}
