package main

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// A gateway that stdio starts gets each flag of serve that was set, with absolute paths.
func TestStdioPassesFlagsOfServe(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "")
	stdio, _, err := newRoot(streams{strings.NewReader(""), io.Discard, io.Discard}).Find([]string{"stdio"})
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]string{"string": "x", "bool": "true", "int": "7", "float64": "7"}
	want := 0
	var s settings
	serve := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	s.register(serve)
	serve.VisitAll(func(flag *pflag.Flag) {
		value, ok := given[flag.Value.Type()]
		if !ok {
			value = "https://a.example"
		}
		want++
		if err := stdio.Flags().Set(flag.Name, value); err != nil {
			t.Fatal(err)
		}
		got, err := serveFlags(stdio)
		if err != nil || len(got) != want || !slices.ContainsFunc(got, func(one string) bool { return strings.HasPrefix(one, "--"+flag.Name+"=") }) {
			t.Errorf("--%s is not one of %q: %v", flag.Name, got, err)
		}
	})
	here, _ := filepath.Abs("x")
	if got, err := serveFlags(stdio); err != nil || !slices.Contains(got, "--state="+here) || !slices.Contains(got, "--token-file="+here) {
		t.Errorf("%q, %v", got, err)
	}
}
