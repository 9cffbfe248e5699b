package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/web"
)

// Each command has help of its own, and none does its work when it is asked for help or gets
// arguments that it does not know.
func TestCommandLines(t *testing.T) {
	for line, want := range map[string]struct {
		code   int
		stdout string
		stderr string
	}{
		"--help":                              {0, "pagemcpd keygen ", ""},
		"keygen --help":                       {0, "pagemcpd keygen > pagemcp.keys", ""},
		"keygen -h":                           {0, "put a new line at the top", ""},
		"version --help":                      {0, "pagemcpd version ", ""},
		"version":                             {0, web.Version() + "\n", ""},
		"keygen --bits 512":                   {exitMistake, "", `pagemcpd: "keygen" takes no arguments, and got "--bits"`},
		"doctor --help":                       {0, "pagemcpd doctor --as NAME", ""},
		"doctor --as vscode":                  {exitMistake, "", "want --as NAME and one URL"},
		"doctor --as x https://a.example/mcp": {exitMistake, "", "use claude.ai, chatgpt or vscode"},
		"doctor --as vscode http://127.0.0.1:1/mcp":              {exitFailed, "fails no answer to initialize", ""},
		"doctor --as vscode --token-file no http://127.0.0.1:1/": {exitMistake, "", "no such file"},
		"version x":             {exitMistake, "", `pagemcpd: "version" takes no arguments, and got "x"`},
		"serve":                 {exitMistake, "", `pagemcpd: there is no command "serve"`},
		"":                      {exitMistake, "", "pagemcpd: --config is missing"},
		"--config missing.yaml": {exitMistake, "", "missing.yaml"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), strings.Fields(line), &stdout, &stderr)
		if code != want.code || !strings.Contains(stdout.String(), want.stdout) || !strings.Contains(stderr.String(), want.stderr) {
			t.Errorf("pagemcpd %s: %d\n%s\n%s", line, code, &stdout, &stderr)
		}
		if want.stdout == "" && stdout.Len() > 0 || want.stderr == "" && stderr.Len() > 0 {
			t.Errorf("pagemcpd %s: %q and %q", line, &stdout, &stderr)
		}
	}
}

// Each line of keygen is another key of 32 bytes.
func TestKeygen(t *testing.T) {
	keys := map[string]bool{}
	for range 3 {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), []string{"keygen"}, &stdout, &stderr); code != 0 || len(strings.TrimSpace(stdout.String())) != 43 {
			t.Errorf("%d: %q and %q", code, &stdout, &stderr)
		}
		keys[stdout.String()] = true
	}
	if len(keys) != 3 {
		t.Errorf("%d keys", len(keys))
	}
}
