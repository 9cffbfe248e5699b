package clientconfig

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// machine returns an environment in which only the paths exist.
func machine(system string, variables map[string]string, paths ...string) Environment {
	home, dir := "/home/ada", "/projects/notes"
	switch system {
	case "darwin":
		home = "/Users/ada"
	case "windows":
		home, dir = `C:\Users\ada`, `C:\work\notes`
	}
	return Environment{
		OS: system, Home: home, Dir: dir,
		Getenv:   func(name string) string { return variables[name] },
		Exists:   func(path string) bool { return slices.Contains(paths, path) },
		LookPath: func(program string) (string, bool) { return "", slices.Contains(paths, "PATH/"+program) },
		Glob: func(pattern string) []string {
			before, after, _ := strings.Cut(pattern, "*")
			var found []string
			for _, path := range paths {
				if strings.HasPrefix(path, before) && strings.HasSuffix(path, after) {
					found = append(found, path)
				}
			}
			return found
		},
	}
}

// Paths of distribution.md, section 5, as of checked.
func TestFilesOfTheUser(t *testing.T) {
	for id, want := range map[string][3]string{ // linux, darwin, windows
		"claude-code":    {"/home/ada/.claude.json", "/Users/ada/.claude.json", `C:\Users\ada\.claude.json`},
		"claude-desktop": {"/home/ada/.config/Claude/claude_desktop_config.json", "/Users/ada/Library/Application Support/Claude/claude_desktop_config.json", `C:\Users\ada\AppData\Roaming\Claude\claude_desktop_config.json`},
		"vscode":         {"/home/ada/.config/Code/User/mcp.json", "/Users/ada/Library/Application Support/Code/User/mcp.json", `C:\Users\ada\AppData\Roaming\Code\User\mcp.json`},
		"cursor":         {"/home/ada/.cursor/mcp.json", "/Users/ada/.cursor/mcp.json", `C:\Users\ada\.cursor\mcp.json`},
		"windsurf":       {"/home/ada/.codeium/windsurf/mcp_config.json", "/Users/ada/.codeium/windsurf/mcp_config.json", `C:\Users\ada\.codeium\windsurf\mcp_config.json`},
		"zed":            {"/home/ada/.config/zed/settings.json", "/Users/ada/.config/zed/settings.json", `C:\Users\ada\AppData\Roaming\Zed\settings.json`},
		"gemini":         {"/home/ada/.gemini/settings.json", "/Users/ada/.gemini/settings.json", `C:\Users\ada\.gemini\settings.json`},
		"codex":          {"/home/ada/.codex/config.toml", "/Users/ada/.codex/config.toml", `C:\Users\ada\.codex\config.toml`},
		"goose":          {"/home/ada/.config/goose/config.yaml", "/Users/ada/.config/goose/config.yaml", `C:\Users\ada\AppData\Roaming\Block\goose\config\config.yaml`},
		"lmstudio":       {"/home/ada/.lmstudio/mcp.json", "/Users/ada/.lmstudio/mcp.json", `C:\Users\ada\.lmstudio\mcp.json`},
		"opencode":       {"/home/ada/.config/opencode/opencode.json", "/Users/ada/.config/opencode/opencode.json", `C:\Users\ada\.config\opencode\opencode.json`},
	} {
		c, err := ClientNamed(id)
		if err != nil {
			t.Fatal(err)
		}
		for i, system := range []string{"linux", "darwin", "windows"} {
			got, err := c.File(machine(system, nil), false)
			if err != nil || got != want[i] {
				t.Errorf("%s on %s: %q, %v; want %q", id, system, got, err, want[i])
			}
		}
	}
	if n := len(Clients()); n != 11 {
		t.Errorf("%d clients", n)
	}
}

func TestFilesFollowVariablesAndWhatExists(t *testing.T) {
	packaged := `C:\Users\ada\AppData\Local\Packages\Claude_pzs8sxrjxfjjc\LocalCache\Roaming\Claude`
	for _, c := range []struct {
		id, system string
		variables  map[string]string
		exist      []string
		want       string
	}{
		{"claude-code", "linux", map[string]string{"CLAUDE_CONFIG_DIR": "/cfg"}, nil, "/cfg/.claude.json"},
		{"claude-desktop", "windows", nil, []string{packaged}, packaged + `\claude_desktop_config.json`},
		{"claude-desktop", "windows", map[string]string{"APPDATA": `D:\Roaming`}, nil, `D:\Roaming\Claude\claude_desktop_config.json`},
		{"vscode", "linux", map[string]string{"XDG_CONFIG_HOME": "/cfg/"}, nil, "/cfg/Code/User/mcp.json"},
		{"vscode", "linux", map[string]string{"XDG_CONFIG_HOME": "cfg"}, nil, "/home/ada/.config/Code/User/mcp.json"},
		{"zed", "linux", map[string]string{"XDG_CONFIG_HOME": "/cfg"}, nil, "/cfg/zed/settings.json"},
		{"zed", "darwin", map[string]string{"XDG_CONFIG_HOME": "/cfg"}, nil, "/Users/ada/.config/zed/settings.json"},
		{"codex", "linux", map[string]string{"CODEX_HOME": "/cfg"}, nil, "/cfg/config.toml"},
		{"lmstudio", "darwin", nil, []string{"/Users/ada/.lmstudio", "/Users/ada/.cache/lm-studio/mcp.json"}, "/Users/ada/.cache/lm-studio/mcp.json"},
		{"lmstudio", "darwin", nil, []string{"/Users/ada/.cache/lm-studio"}, "/Users/ada/.cache/lm-studio/mcp.json"},
		{"lmstudio", "darwin", nil, []string{"/Users/ada/.lmstudio", "/Users/ada/.cache/lm-studio"}, "/Users/ada/.lmstudio/mcp.json"},
		{"opencode", "linux", nil, []string{"/home/ada/.config/opencode", "/home/ada/.config/opencode/opencode.jsonc"}, "/home/ada/.config/opencode/opencode.jsonc"},
		{"opencode", "windows", map[string]string{"XDG_CONFIG_HOME": `D:\cfg`}, nil, `D:\cfg\opencode\opencode.json`},
	} {
		client, err := ClientNamed(c.id)
		if err != nil {
			t.Fatal(err)
		}
		got, err := client.File(machine(c.system, c.variables, c.exist...), false)
		if err != nil || got != c.want {
			t.Errorf("%s on %s with %v, %q: %q, %v; want %q", c.id, c.system, c.variables, c.exist, got, err, c.want)
		}
	}
}

func TestFilesOfProjects(t *testing.T) {
	want := map[string]string{
		"claude-code": "/projects/notes/.mcp.json", "vscode": "/projects/notes/.vscode/mcp.json", "cursor": "/projects/notes/.cursor/mcp.json",
		"gemini": "/projects/notes/.gemini/settings.json", "opencode": "/projects/notes/opencode.json",
	}
	for _, c := range Clients() {
		got, err := c.File(machine("linux", nil), true)
		if got != want[c.ID] || (err != nil) != (want[c.ID] == "") || c.hasProjectFile() != (err == nil) {
			t.Errorf("%s: %q, %v; want %q", c.ID, got, err, want[c.ID])
		}
	}
	opencode, _ := ClientNamed("opencode")
	if got, err := opencode.File(machine("linux", nil, "/projects/notes/opencode.jsonc"), true); got != "/projects/notes/opencode.jsonc" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestClientsAreFoundByFileDirectoryOrProgram(t *testing.T) {
	for _, c := range []struct {
		id     string
		exists []string
		found  bool
	}{
		{"cursor", nil, false},
		{"cursor", []string{"/home/ada/.cursor"}, true},
		{"cursor", []string{"/home/ada/.cursor/mcp.json"}, true},
		{"claude-code", []string{"/home/ada"}, false},
		{"claude-code", []string{"/home/ada", "/home/ada/.claude.json"}, true},
		{"claude-code", []string{"PATH/claude"}, true},
	} {
		client, err := ClientNamed(c.id)
		if err != nil {
			t.Fatal(err)
		}
		if got := client.Found(machine("linux", nil, c.exists...)); got != c.found {
			t.Errorf("%s with %q: %v", c.id, c.exists, got)
		}
	}
}

// The documentation has a row for each client, with the same project file and date.
func TestClientsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../web/docs/gateway.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), checked) {
		t.Errorf("gateway.md does not have the date %s", checked)
	}
	for _, c := range Clients() {
		_, row, ok := strings.Cut(string(text), "\n| `"+c.ID+"` | "+c.Title)
		row, _, _ = strings.Cut(row, "\n")
		cells := strings.Split(row, "|")
		if !ok || len(cells) < 5 {
			t.Errorf("gateway.md has no row for %s: %q", c.ID, row)
			continue
		}
		project, seen, less := "no", strings.Contains(cells[0], "✓"), strings.Contains(cells[0], "tools only") || strings.Contains(cells[0], "without resources")
		if c.hasProjectFile() {
			project = "`" + strings.Join(c.project, "/") + "`"
		}
		if strings.TrimSpace(cells[2]) != project || seen != c.Seen || less != c.NoResources || (strings.TrimSpace(cells[3]) == "no") == (c.http != nil) {
			t.Errorf("gateway.md, %s: %q", c.ID, row)
		}
	}
}

func TestUnknownClientsAreNamed(t *testing.T) {
	_, err := ClientNamed("clode")
	if err == nil || !strings.Contains(err.Error(), `no client "clode": use one of claude-code, claude-desktop, vscode`) {
		t.Error(err)
	}
}
