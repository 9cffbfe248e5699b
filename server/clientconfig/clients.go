// Package clientconfig adds an MCP server to the configuration of MCP clients, and removes it
// again: by the client's own command if it has one, by an edit of its JSON file otherwise, or
// by text that the user adds. The rest of a file stays as it is, comments included.
package clientconfig

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A Server is the MCP server to add.
type Server struct {
	Name    string   // letters, digits, '-' and '_'
	Command []string // program and arguments
}

// A Client is a program that connects to the MCP servers of a configuration file.
type Client struct {
	ID    string // on the command line, such as "vscode"
	Title string // its name, such as "VS Code"

	// NoResources reports that it uses tools only, or tools and prompts: it reads
	// resources by the gateway's tools.
	NoResources bool

	Reload string // what the user does so that the client reads its file again; a sentence

	files   func(Host) []string // of the user; the first that exists is used
	project []string            // path of the file of a project; nil if there is none
	parent  string              // member of the JSON file that contains the servers; "" if the file is not JSON
	entry   func(Server) entry
	snippet func(Server) string // text to add to a file that is not JSON

	program     string                // the client's own command; "" if it has none
	add, remove func(Server) []string // its arguments; remove may be nil
}

// An entry is the value of a server in a JSON file.
type entry struct {
	Type    string            `json:"type,omitempty"`
	Command any               `json:"command"` // string, or []string with the arguments
	Args    []string          `json:"args,omitempty"`
	Enabled bool              `json:"enabled,omitempty"`
	Env     map[string]string `json:"env,omitzero"`
}

func command(s Server) entry { return entry{Command: s.Command[0], Args: s.Command[1:]} }

func typedCommand(s Server) entry {
	return entry{Type: "stdio", Command: s.Command[0], Args: s.Command[1:]}
}

// Clients returns all clients, in the order of the documentation.
func Clients() []Client {
	return []Client{{
		ID: "claude-code", Title: "Claude Code",
		Reload: "Start a new session of Claude Code.",
		parent: "mcpServers", entry: typedCommand, project: []string{".mcp.json"},
		files: func(h Host) []string {
			return []string{filepath.Join(h.directory("CLAUDE_CONFIG_DIR", h.Home), ".claude.json")}
		},
		program: "claude",
		add: func(s Server) []string {
			return append([]string{"mcp", "add", "-s", "user", s.Name, "--"}, s.Command...)
		},
		remove: func(s Server) []string { return []string{"mcp", "remove", "-s", "user", s.Name} },
	}, {
		ID: "claude-desktop", Title: "Claude Desktop",
		Reload: "Quit Claude Desktop and start it again.",
		parent: "mcpServers", entry: command, files: claudeDesktopFiles,
	}, {
		ID: "vscode", Title: "VS Code",
		Reload: "VS Code asks to trust the server when it starts it; \"MCP: List Servers\" shows it.",
		parent: "servers", entry: typedCommand, project: []string{".vscode", "mcp.json"},
		files: func(h Host) []string {
			return []string{filepath.Join(h.settings(), "Code", "User", "mcp.json")}
		},
		program: "code",
		add: func(s Server) []string {
			return []string{"--add-mcp", text(struct {
				Name string `json:"name"`
				entry
			}{s.Name, typedCommand(s)})}
		},
	}, {
		ID: "cursor", Title: "Cursor",
		Reload: "Enable the server in the settings of Cursor, under MCP.",
		parent: "mcpServers", entry: command, project: []string{".cursor", "mcp.json"},
		files: func(h Host) []string { return []string{filepath.Join(h.Home, ".cursor", "mcp.json")} },
	}, {
		ID: "windsurf", Title: "Windsurf", NoResources: true,
		Reload: "Press Refresh in the MCP settings of Windsurf.",
		parent: "mcpServers", entry: command,
		files: func(h Host) []string {
			return []string{filepath.Join(h.Home, ".codeium", "windsurf", "mcp_config.json")}
		},
	}, {
		ID: "zed", Title: "Zed", NoResources: true,
		Reload: "Zed reads its settings again when they change.",
		parent: "context_servers",
		entry: func(s Server) entry {
			return entry{Command: s.Command[0], Args: s.Command[1:], Env: map[string]string{}}
		},
		files: func(h Host) []string {
			dir := h.config()
			switch h.OS {
			case "windows":
				dir = h.settings()
			case "darwin":
				dir = filepath.Join(h.Home, ".config")
			}
			return []string{filepath.Join(dir, "zed", "settings.json")}
		},
	}, {
		ID: "gemini", Title: "Gemini CLI",
		Reload: "Start a new session of Gemini CLI, in a directory that you trust.",
		parent: "mcpServers", entry: command, project: []string{".gemini", "settings.json"},
		files:   func(h Host) []string { return []string{filepath.Join(h.Home, ".gemini", "settings.json")} },
		program: "gemini",
		add: func(s Server) []string {
			return append([]string{"mcp", "add", "-s", "user", s.Name, s.Command[0], "--"}, s.Command[1:]...)
		},
		remove: func(s Server) []string { return []string{"mcp", "remove", "-s", "user", s.Name} },
	}, {
		ID: "codex", Title: "Codex CLI",
		Reload: "Start a new session of Codex.",
		files: func(h Host) []string {
			return []string{filepath.Join(h.directory("CODEX_HOME", filepath.Join(h.Home, ".codex")), "config.toml")}
		},
		snippet: func(s Server) string { // strings and lists of JSON are those of TOML, too
			return fmt.Sprintf("[mcp_servers.%s]\ncommand = %s\nargs = %s\n", s.Name, text(s.Command[0]), text(s.Command[1:]))
		},
		program: "codex",
		add:     func(s Server) []string { return append([]string{"mcp", "add", s.Name, "--"}, s.Command...) },
		remove:  func(s Server) []string { return []string{"mcp", "remove", s.Name} },
	}, {
		ID: "goose", Title: "Goose",
		Reload: "Start a new session of Goose.",
		files: func(h Host) []string {
			if h.OS == "windows" {
				return []string{filepath.Join(h.settings(), "Block", "goose", "config", "config.yaml")}
			}
			return []string{filepath.Join(h.Home, ".config", "goose", "config.yaml")}
		},
		snippet: func(s Server) string { // JSON is YAML, too
			return fmt.Sprintf("extensions:\n  %s:\n    type: stdio\n    name: %[1]s\n    enabled: true\n    cmd: %s\n    args: %s\n    timeout: 300\n", s.Name, text(s.Command[0]), text(s.Command[1:]))
		},
	}, {
		ID: "lmstudio", Title: "LM Studio", NoResources: true,
		Reload: "LM Studio reads its file again when it changes.",
		parent: "mcpServers", entry: command,
		files: func(h Host) []string {
			return []string{filepath.Join(h.Home, ".lmstudio", "mcp.json"), filepath.Join(h.Home, ".cache", "lm-studio", "mcp.json")}
		},
	}, {
		ID: "opencode", Title: "opencode",
		Reload: "Start opencode again.",
		parent: "mcp", project: []string{"opencode.json"},
		entry: func(s Server) entry { return entry{Type: "local", Command: s.Command, Enabled: true} },
		files: func(h Host) []string {
			dir := filepath.Join(h.config(), "opencode")
			return []string{filepath.Join(dir, "opencode.json"), filepath.Join(dir, "opencode.jsonc")}
		},
	}}
}

// text returns value as JSON, without escapes for HTML.
func text(value any) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.Encode(value) // strings, lists and maps of them have no error
	return strings.TrimSpace(out.String())
}

// claudeDesktopFiles returns the files of Claude Desktop. On Windows a version from the store
// sees another directory than other programs do.
func claudeDesktopFiles(h Host) []string {
	const name = "claude_desktop_config.json"
	var files []string
	if h.OS == "windows" {
		local := h.directory("LOCALAPPDATA", filepath.Join(h.Home, "AppData", "Local"))
		files, _ = filepath.Glob(filepath.Join(local, "Packages", "Claude_*", "LocalCache", "Roaming", "Claude", name))
	}
	return append(files, filepath.Join(h.settings(), "Claude", name))
}

// Named returns the client with an ID. The error lists all of them.
func Named(id string) (Client, error) {
	all := Clients()
	if at := slices.IndexFunc(all, func(c Client) bool { return c.ID == id }); at >= 0 {
		return all[at], nil
	}
	var ids []string
	for _, c := range all {
		ids = append(ids, c.ID)
	}
	return Client{}, fmt.Errorf("there is no client %q: use one of %s", id, strings.Join(ids, ", "))
}

// File returns the path of the client's configuration file: that of the user, or that of the
// project in h.Dir. Of several possible files it is the first that exists, else the first.
func (c Client) File(h Host, project bool) (string, error) {
	var paths []string
	switch {
	case !project:
		paths = c.files(h)
	case c.project == nil:
		return "", fmt.Errorf("%s has no configuration file for a project: omit --project", c.Title)
	default:
		path := filepath.Join(append([]string{h.Dir}, c.project...)...)
		paths = []string{path, path + "c"} // opencode.jsonc
	}
	if at := slices.IndexFunc(paths, exists); at >= 0 {
		return paths[at], nil
	}
	return paths[0], nil
}

// Found reports whether the client seems to be installed: the directory of its file exists, or
// its command is on the PATH.
func (c Client) Found(h Host) bool {
	return c.hasCommand(h) || slices.ContainsFunc(c.files(h), func(path string) bool {
		dir := filepath.Dir(path)
		return exists(path) || dir != h.Home && exists(dir)
	})
}

// hasCommand reports whether the client's own command is on the PATH. Batch files of Windows are
// not used: not each argument can be quoted for them.
func (c Client) hasCommand(h Host) bool {
	if c.program == "" {
		return false
	}
	path, err := h.LookPath(c.program)
	return err == nil && !strings.HasSuffix(strings.ToLower(path), ".cmd") && !strings.HasSuffix(strings.ToLower(path), ".bat")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// A Host is the machine on which clients are configured. Tests replace it.
type Host struct {
	OS       string // as runtime.GOOS
	Home     string // directory of the user
	Dir      string // directory of the project
	Getenv   func(name string) string
	LookPath func(program string) (string, error)
	Run      func(ctx context.Context, program string, args ...string) (output []byte, err error)
}

// ThisHost returns the machine of this process.
func ThisHost() (Host, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Host{}, err
	}
	dir, err := os.Getwd()
	return Host{OS: runtime.GOOS, Home: home, Dir: dir, Getenv: os.Getenv, LookPath: exec.LookPath,
		Run: func(ctx context.Context, program string, args ...string) ([]byte, error) {
			return exec.CommandContext(ctx, program, args...).CombinedOutput()
		}}, err
}

// directory returns the directory that the variable name contains, or else fallback. Relative
// paths are ignored, as the XDG specification requires.
func (h Host) directory(name, fallback string) string {
	if dir := h.Getenv(name); filepath.IsAbs(dir) {
		return dir
	}
	return fallback
}

// config returns XDG_CONFIG_HOME, on each system.
func (h Host) config() string {
	return h.directory("XDG_CONFIG_HOME", filepath.Join(h.Home, ".config"))
}

// settings returns the system's directory for settings of applications.
func (h Host) settings() string {
	switch h.OS {
	case "darwin":
		return filepath.Join(h.Home, "Library", "Application Support")
	case "windows":
		return h.directory("APPDATA", filepath.Join(h.Home, "AppData", "Roaming"))
	}
	return h.config()
}
