package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/web"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// runForOutput runs a command line that ends by itself, and returns its standard output.
func runForOutput(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := run(t.Context(), args, streams{strings.NewReader(""), &out, io.Discard})
	return out.String(), err
}

func TestVersionIsThatOfThePackage(t *testing.T) {
	for _, arg := range []string{"version", "--version"} {
		if out, err := runForOutput(t, arg); err != nil || out != web.Version()+"\n" {
			t.Errorf("%s: %q, %v", arg, out, err)
		}
	}
}

// forEachHelp calls check for each command, with its help.
func forEachHelp(t *testing.T, check func(path []string, c *cobra.Command, help string)) {
	var visit func(path []string, c *cobra.Command)
	visit = func(path []string, c *cobra.Command) {
		out, err := runForOutput(t, append(path, "--help")...)
		if err != nil {
			t.Errorf("%v: %v", path, err)
		}
		check(path, c, out)
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				visit(append(path[:len(path):len(path)], sub.Name()), sub)
			}
		}
	}
	visit(nil, newRoot(streams{strings.NewReader(""), io.Discard, io.Discard}))
}

// The help of each command is on standard output, and explains each of its flags.
func TestHelpExplainsEachFlag(t *testing.T) {
	forEachHelp(t, func(path []string, c *cobra.Command, help string) {
		if c.Short == "" || !strings.Contains(help, c.UseLine()) {
			t.Errorf("%v: %q", path, help)
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(help, "--"+f.Name) || f.Usage == "" {
				t.Errorf("%v: the help does not explain --%s", path, f.Name)
			}
		})
	})
}

// Each shell gets a script that asks the program for completions.
func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if out, err := runForOutput(t, "completion", shell); err != nil || !strings.Contains(out, "__complete") {
			t.Errorf("%s: %d characters, %v", shell, len(out), err)
		}
	}
	if out, err := runForOutput(t, cobra.ShellCompRequestCmd, "serve", "--allow-o"); err != nil || !strings.Contains(out, "--allow-origin") {
		t.Errorf("%q, %v", out, err)
	}
}
