package main

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// With XDG_STATE_HOME, which a service or a client may not have, the directory is written.
func TestStateIsWrittenIfTheEnvironmentNamesIt(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "")
	if got, err := explicitState(""); got != "" || err != nil {
		t.Errorf("without: %q, %v", got, err)
	}
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	root := newRoot(streams{strings.NewReader(""), io.Discard, io.Discard})
	install, _, err := root.Find([]string{"service", "install"})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := serveFlags(install); err != nil || !slices.Contains(got, "--state="+filepath.Join(dir, "pagemcp")) {
		t.Errorf("with: %q, %v", got, err)
	}
}

// The command takes the flags of serve that were set, with absolute paths.
func TestServiceTakesFlagsOfServe(t *testing.T) {
	var got []string
	root := newRoot(streams{strings.NewReader(""), io.Discard, io.Discard})
	install, _, err := root.Find([]string{"service", "install"})
	if err != nil {
		t.Fatal(err)
	}
	if err := install.ParseFlags([]string{"--mcp", "127.0.0.1:9000", "--state", "here", "--allow-origin", "https://a.example", "--allow-origin", "https://b.example", "--lenient"}); err != nil {
		t.Fatal(err)
	}
	got, err = serveFlags(install)
	if err != nil {
		t.Fatal(err)
	}
	here, _ := filepath.Abs("here")
	want := []string{"--state=" + here, "--mcp=127.0.0.1:9000", "--lenient=true", "--allow-origin=https://a.example", "--allow-origin=https://b.example"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if _, _, err := newRoot(streams{}).Find(append([]string{"serve"}, got...)); err != nil {
		t.Error(err)
	}
}

// No flag of serve is left out.
func TestServiceTakesAllFlagsOfServe(t *testing.T) {
	install, _, err := newRoot(streams{strings.NewReader(""), io.Discard, io.Discard}).Find([]string{"service", "install"})
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]string{"string": "x", "bool": "true", "int": "7", "float64": "7"}
	install.Flags().VisitAll(func(flag *pflag.Flag) {
		value, ok := given[flag.Value.Type()]
		if flag.Name == "help" {
			return
		}
		if !ok {
			value = "https://a.example"
		}
		if err := install.Flags().Set(flag.Name, value); err != nil {
			t.Fatal(err)
		}
		got, err := serveFlags(install)
		if err != nil || !slices.ContainsFunc(got, func(one string) bool { return strings.HasPrefix(one, "--"+flag.Name+"=") }) {
			t.Errorf("--%s is not one of %q: %v", flag.Name, got, err)
		}
	})
}
