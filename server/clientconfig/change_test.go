package clientconfig

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// home returns the environment of a user without files.
func home(t *testing.T) Environment {
	t.Helper()
	env, err := Host()
	if err != nil {
		t.Fatal(err)
	}
	env.OS, env.Home, env.Dir = "linux", filepath.Join(t.TempDir(), "home"), t.TempDir()
	env.Getenv = func(string) string { return "" }
	env.LookPath = func(string) (string, bool) { return "", false }
	if err := os.Mkdir(env.Home, 0o700); err != nil {
		t.Fatal(err)
	}
	return env
}

func client(t *testing.T, id string) Client {
	t.Helper()
	c, err := ClientNamed(id)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// write makes a file of a client and returns its path.
func write(t *testing.T, env Environment, c Client, text string) string {
	t.Helper()
	path, err := c.File(env, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func installed(t *testing.T, env Environment, c Client, s Server, opts Options) *Change {
	t.Helper()
	ch, err := Apply(func() (*Change, error) { return PlanInstall(env, c, s, opts) })
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

func uninstalled(t *testing.T, env Environment, c Client) *Change {
	t.Helper()
	ch, err := Apply(func() (*Change, error) { return PlanUninstall(env, c, "pagemcp", false) })
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

// Every client: install, again, another value, --force, uninstall, again, with the files
// of the user in between.
func TestInstallAndUninstall(t *testing.T) {
	for _, c := range Clients() {
		t.Run(c.ID, func(t *testing.T) {
			env := home(t)
			ch := installed(t, env, c, testServer(), Options{})
			if ch.Outcome != Added || !ch.IsNew {
				t.Errorf("outcome %v, new %v", ch.Outcome, ch.IsNew)
			}
			first := read(t, ch.Path)
			info, err := os.Stat(ch.Path)
			if err != nil || !hasMode(info, 0o600) {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			if _, err := os.Stat(ch.backup()); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a backup of a new file: %v", err)
			}
			if ch := installed(t, env, c, testServer(), Options{}); ch.Outcome != Unchanged || ch.Diff() != "" || read(t, ch.Path) != first {
				t.Errorf("again: %v\n%s", ch.Outcome, ch.Diff())
			}
			other := testServer()
			other.Command = []string{"npx", "-y", "pagemcp@1.2.3", "stdio"}
			if ch := installed(t, env, c, other, Options{}); ch.Outcome != Differs || !strings.Contains(ch.Diff(), "pagemcp@1.2.3") || read(t, ch.Path) != first {
				t.Errorf("another value: %v\n%s", ch.Outcome, ch.Diff())
			}
			if ch := installed(t, env, c, other, Options{Force: true}); ch.Outcome != Replaced {
				t.Errorf("with Force: %v", ch.Outcome)
			}
			if ch := installed(t, env, c, testServer(), Options{Force: true}); ch.Outcome != Replaced || read(t, ch.Path) != first {
				t.Errorf("back: %v\n%s", ch.Outcome, unified("", []byte(first), []byte(read(t, ch.Path))))
			}
			if ch := uninstalled(t, env, c); ch.Outcome != Removed || strings.Contains(read(t, ch.Path), "pagemcp") {
				t.Errorf("uninstall: %v\n%s", ch.Outcome, read(t, ch.Path))
			}
			if ch := uninstalled(t, env, c); ch.Outcome != Absent {
				t.Errorf("uninstall again: %v", ch.Outcome)
			}
		})
	}
}

func TestServersOfOtherNamesStayApart(t *testing.T) {
	env, c, second := home(t), client(t, "codex"), testServer()
	second.Name = "pagemcp-2"
	installed(t, env, c, testServer(), Options{})
	ch := installed(t, env, c, second, Options{})
	if text := read(t, ch.Path); !strings.Contains(text, "[mcp_servers.pagemcp]\n") || !strings.Contains(text, "[mcp_servers.pagemcp-2]\n") {
		t.Error(text)
	}
	uninstalled(t, env, c)
	if text := read(t, ch.Path); strings.Contains(text, "[mcp_servers.pagemcp]\n") || !strings.Contains(text, "[mcp_servers.pagemcp-2]\n") {
		t.Error(text)
	}
	second.Name = `a"b`
	if _, err := PlanInstall(env, c, second, Options{}); err == nil || !strings.Contains(err.Error(), "use letters, digits") {
		t.Error(err)
	}
}

// A file that does not parse is not touched; the message says where.
func TestFilesThatDoNotParse(t *testing.T) {
	for _, tt := range []struct{ id, text, want string }{
		{"cursor", "{\n  \"mcpServers\": {\n    \"a\": sk-secret\n  }\n}\n", "line 3, column 10: invalid literal; "},
		{"cursor", "{\n  \"a\": 1\n  \"b\": 2\n}", "line 3, column 3: invalid character '\"' after object value"},
		{"cursor", "{ \"a\": 'sk-secret' }", "line 1, column 8: invalid character '\\'' at start of value"},
		{"cursor", "\xff\xfe{\x00}\x00", "line 1, column 1: the file is encoded as UTF-16: save it as UTF-8"},
		{"cursor", strings.Repeat("[", 20_000), "line 1, column 10001: nested too deeply"},
		{"codex", "a = 1\nb = = 2\n", "line 2, column 5: "},
		{"codex", "[a]\nx = 1\n[a]\n", "line 3, column "},
		{"goose", "a: b: c\n", "line 1, column 5: mapping values are not allowed in this context"},
		{"goose", "extensions:\n  a: 1\n b: 2\n", "line 3, column 2: did not find expected key"},
		{"goose", "a: *x\n", "line 1, column 4: unknown anchor 'x' referenced"},
	} {
		env, c := home(t), client(t, tt.id)
		path := write(t, env, c, tt.text)
		for name, plan := range map[string]func() (*Change, error){
			"install":   func() (*Change, error) { return PlanInstall(env, c, testServer(), Options{}) },
			"uninstall": func() (*Change, error) { return PlanUninstall(env, c, "pagemcp", false) },
		} {
			_, err := Apply(plan)
			syntax := (*SyntaxError)(nil)
			if !errors.As(err, &syntax) || !strings.Contains(err.Error(), path+" does not parse: "+tt.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s, %.40q: %v; want %q", name, tt.text, err, tt.want)
			}
		}
		if read(t, path) != tt.text {
			t.Errorf("%.40q was changed", tt.text)
		}
	}
}

// A file that would need more than splicing is not touched; there are lines to add.
func TestFilesToEditByHand(t *testing.T) {
	for _, tt := range []struct{ id, text, want string }{
		{"cursor", "[]", "the document is not an object"},
		{"cursor", `{"mcpServers": null}`, `"mcpServers" is not an object`},
		{"cursor", `{"mcpServers": []}`, `"mcpServers" is not an object`},
		{"cursor", `{"mcpServers": {}, "mcpServers": {}}`, `there are two members "mcpServers"`},
		{"cursor", `{"mcpServers": {"pagemcp": 1, "pagemcp": 2}}`, `there are two members "pagemcp"`},
		{"codex", "mcp_servers = { a = { command = \"a\" } }\n", "mcp_servers is an inline table, or is made of dotted keys"},
		{"codex", "mcp_servers.a.command = \"a\"\n", "mcp_servers is an inline table, or is made of dotted keys"},
		{"codex", "[[mcp_servers]]\n", "mcp_servers is not a table"},
		{"goose", "extensions: {}\n", "extensions is in flow style"},
		{"goose", "extensions: { a: { enabled: true } }\n", "extensions is in flow style"},
		{"goose", "{ extensions: { a: 1 } }\n", "extensions is in flow style"},
		{"goose", "{ a: 1 }\n", "the document is in flow style"},
		{"goose", "extensions:\n", "extensions is not a map"},
		{"goose", "a: 1\n---\nb: 2\n", "the file has several documents"},
		{"goose", "- a\n", "the document is not a map"},
		{"goose", "a: |\n  x", "the result would change more than this entry"}, // which has no line break at its end
		{"goose", "a: 1\n...\n", "the result would change more than this entry"},
		{"goose", "extensions:\n  &x\n  a: 1\n", "the result would change more than this entry"},
	} {
		env, c := home(t), client(t, tt.id)
		path := write(t, env, c, tt.text)
		_, err := PlanInstall(env, c, testServer(), Options{})
		manual := (*ManualError)(nil)
		if !errors.As(err, &manual) || !strings.Contains(err.Error(), tt.want+"; nothing was changed: add the lines above") {
			t.Errorf("%q: %v; want %q", tt.text, err, tt.want)
			continue
		}
		if !strings.Contains(manual.Lines, "/usr/local/bin/pagemcp") || read(t, path) != tt.text {
			t.Errorf("%q: %q", tt.text, manual.Lines)
		}
	}
}

// What other parts of a file refer to is not removed.
func TestEntriesToRemoveByHand(t *testing.T) {
	for _, tt := range []struct{ id, text, want string }{
		{"goose", "extensions:\n  pagemcp: &p\n    cmd: x\n  a: *p\n", "the result would change more than this entry"},
		{"goose", "extensions: { pagemcp: { cmd: x } }\n", "pagemcp is in flow style, or not on a line of its own"},
		{"codex", "mcp_servers = { pagemcp = { command = \"x\" } }\n", "mcp_servers is an inline table, or is made of dotted keys"},
	} {
		env, c := home(t), client(t, tt.id)
		path := write(t, env, c, tt.text)
		_, err := PlanUninstall(env, c, "pagemcp", false)
		manual := (*ManualError)(nil)
		if !errors.As(err, &manual) || !strings.Contains(err.Error(), tt.want+"; nothing was changed: remove the entry by hand") || read(t, path) != tt.text {
			t.Errorf("%q: %v; want %q", tt.text, err, tt.want)
		}
	}
}

// The entry of a user may have any form that the parser reads.
func TestUninstallOfEditedEntries(t *testing.T) {
	for _, tt := range []struct{ id, before, after string }{
		{"cursor", "{\n  \"mcpServers\": {\n    \"a\": 1,\n    \"pagemcp\": {} // mine\n  }\n}\n", "{\n  \"mcpServers\": {\n    \"a\": 1 // mine\n  }\n}\n"},
		{"cursor", "{\n  \"mcpServers\": {\n    \"a\": 1, // one\n    \"pagemcp\": {},\n  }\n}\n", "{\n  \"mcpServers\": {\n    \"a\": 1, // one\n  }\n}\n"},
		{"cursor", `{"mcpServers": {"a": 1, "pagemcp": {}, "b": 2}}`, `{"mcpServers": {"a": 1, "b": 2}}`},
		{"cursor", `{"mcpServers": {"a": 1, "pagemcp": {}}}`, `{"mcpServers": {"a": 1}}`},
		{"cursor", `{"mcpServers": {"page\u006dcp": {}}}`, `{"mcpServers": {}}`},
		{"codex", "[mcp_servers]\npagemcp = { command = \"x\" } # mine\na = {}\n", "[mcp_servers]\na = {}\n"},
		{"codex", "[mcp_servers.pagemcp]\ncommand = \"x\"\n# env\n[mcp_servers.pagemcp.env]\nA = \"1\"\n\n# b\n[b]\n[mcp_servers.pagemcp.tools]\n", "\n# b\n[b]\n"},
		{"goose", "extensions:\n  a: 1\n  pagemcp:\n    cmd: x\n    env:\n      A: |\n        # text\n\n  # b\n  b: 2\n", "extensions:\n  a: 1\n\n  # b\n  b: 2\n"},
		{"goose", "x: 1\nextensions:\n  pagemcp: {cmd: x}\ny: 2\n", "x: 1\ny: 2\n"},
	} {
		env, c := home(t), client(t, tt.id)
		path := write(t, env, c, tt.before)
		if ch := uninstalled(t, env, c); ch.Outcome != Removed || read(t, path) != tt.after {
			t.Errorf("%q: %q; want %q", tt.before, read(t, path), tt.after)
		}
	}
}

// Without a reference to the file of the token, HTTP needs it in clear text; it is shown
// nowhere.
func TestTokensAreNotWrittenUnasked(t *testing.T) {
	references := map[string]string{
		"claude-code": `"headersHelper": "\"/usr/local/bin/pagemcp\" headers"`,
		"vscode":      `Bearer ${input:pagemcp}`,
		"windsurf":    `Bearer ${file:/home/ada/.local/state/pagemcp/token}`,
		"opencode":    `Bearer {file:/home/ada/.local/state/pagemcp/token}`,
	}
	for _, c := range Clients() {
		env, s := home(t), serverOf("http")
		ch, err := PlanInstall(env, c, s, Options{})
		needed := (*TokenNeededError)(nil)
		switch reference := references[c.ID]; {
		case c.http == nil:
			if err == nil || !strings.Contains(err.Error(), "starts commands only: omit --http") {
				t.Errorf("%s: %v", c.ID, err)
			}
			continue
		case reference != "":
			if err != nil || !strings.Contains(string(ch.after), reference) {
				t.Errorf("%s: %v, %s", c.ID, err, ch.after)
			}
		case !errors.As(err, &needed):
			t.Errorf("%s: %v", c.ID, err)
		}
		s = serverOf("http-token")
		ch, err = PlanInstall(env, c, s, Options{})
		if err != nil || !strings.Contains(string(ch.after), s.Token) || strings.Contains(ch.Diff(), s.Token) || !strings.Contains(ch.Diff(), "Bearer …") {
			t.Errorf("%s: %v\n%s", c.ID, err, ch.Diff())
		}
		if c.ID == "goose" {
			write(t, env, c, "extensions: {}\n")
			manual := (*ManualError)(nil)
			if _, err := PlanInstall(env, c, s, Options{}); !errors.As(err, &manual) || strings.Contains(manual.Lines+err.Error(), s.Token) {
				t.Errorf("%v", err)
			}
		}
	}
}

// The question for a value that another server uses, too, stays when one is uninstalled.
func TestSharedInputStays(t *testing.T) {
	env := home(t)
	c, err := ClientNamed("vscode")
	if err != nil {
		t.Fatal(err)
	}
	for _, shared := range []bool{false, true} {
		file, err := c.File(env, false)
		if err != nil {
			t.Fatal(err)
		}
		other := `"x"`
		if shared {
			other = `"${input:pagemcp}"`
		}
		text := `{"servers":{"pagemcp":{"type":"http","url":"http://127.0.0.1:8808/mcp","headers":{"Authorization":"Bearer ${input:pagemcp}"}},"other":{"type":"http","url":"http://a.example","headers":{"A":` + other + `}}},` +
			`"inputs":[{"id":"pagemcp","type":"promptString","description":"d","password":true}]}`
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		change, err := PlanUninstall(env, c, "pagemcp", false)
		if err != nil {
			t.Fatal(err)
		}
		if stays := strings.Contains(string(change.after), "promptString"); stays != shared || change.Outcome != Removed {
			t.Errorf("shared %v: %v\n%s", shared, change.Outcome, change.after)
		}
	}
}
