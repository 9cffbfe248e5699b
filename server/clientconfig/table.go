package clientconfig

// claudeCode is the client that has a command for its servers.
const (
	claudeCode    = "claude-code"
	claudeProgram = "claude"
)

// Clients returns all clients, in the order of the documentation.
func Clients() []Client {
	return []Client{{
		ID: claudeCode, Title: "Claude Code", Seen: true,
		Reload: "Start a new session of Claude Code.",
		format: jsonFormat{}, parent: "mcpServers", project: []string{".mcp.json"},
		user: func(e Environment) []string {
			return []string{e.join(e.directory("CLAUDE_CONFIG_DIR", e.Home), ".claude.json")}
		},
		stdio: func(s Server) object {
			return append(object{{"type", "stdio"}}, append(s.commandAndArgs(), member{"env", object{}})...)
		},
		http: func(s Server) (object, error) {
			entry := object{{"type", "http"}, {"url", s.URL}}
			if s.Token != "" {
				return append(entry, s.headers("Bearer "+s.Token)), nil
			}
			return append(entry, member{"headersHelper", s.HeadersCommand}), nil
		},
	}, {
		ID: "claude-desktop", Title: "Claude Desktop",
		Reload: "Quit Claude Desktop and start it again.",
		format: jsonFormat{}, parent: "mcpServers",
		user:  claudeDesktopFile,
		stdio: Server.commandAndArgs,
	}, {
		ID: "vscode", Title: "VS Code",
		Reload: "VS Code asks to trust the server when it starts it; \"MCP: List Servers\" shows it.",
		format: jsonFormat{}, parent: "servers", project: []string{".vscode", "mcp.json"},
		user: func(e Environment) []string {
			return []string{e.bySystem(e.config(), e.support(), e.appData(), "Code", "User", "mcp.json")}
		},
		stdio: func(s Server) object { return append(object{{"type", "stdio"}}, s.commandAndArgs()...) },
		http: func(s Server) (object, error) {
			return object{{"type", "http"}, {"url", s.URL}, s.headers("Bearer " + s.tokenOr(inputReference(s.Name)))}, nil
		},
	}, {
		ID: "cursor", Title: "Cursor",
		Reload: "Enable the server in the settings of Cursor, under MCP.",
		format: jsonFormat{}, parent: "mcpServers", project: []string{".cursor", "mcp.json"},
		user:  func(e Environment) []string { return []string{e.join(e.Home, ".cursor", "mcp.json")} },
		stdio: Server.commandAndArgs,
		http:  urlAndToken("Cursor"),
	}, {
		ID: "windsurf", Title: "Windsurf", NoResources: true,
		Reload: "Press Refresh in the MCP settings of Windsurf.",
		format: jsonFormat{}, parent: "mcpServers",
		user: func(e Environment) []string {
			return []string{e.join(e.Home, ".codeium", "windsurf", "mcp_config.json")}
		},
		stdio: Server.commandAndArgs,
		http: func(s Server) (object, error) {
			return object{{"serverUrl", s.URL}, s.headers("Bearer " + s.tokenOr("${file:"+s.TokenFile+"}"))}, nil
		},
	}, {
		ID: "zed", Title: "Zed", NoResources: true,
		Reload: "Zed reads its settings again when they change.",
		format: jsonFormat{}, parent: "context_servers",
		user: func(e Environment) []string {
			if e.OS == "windows" {
				return []string{e.join(e.appData(), "Zed", "settings.json")}
			}
			return []string{e.bySystem(e.config(), e.join(e.Home, ".config"), "", "zed", "settings.json")}
		},
		stdio: func(s Server) object { return append(s.commandAndArgs(), member{"env", object{}}) },
		http:  urlAndToken("Zed"),
	}, {
		ID: "gemini", Title: "Gemini CLI", Seen: true,
		Reload: "Start a new session of Gemini CLI, in a directory that you trust.",
		format: jsonFormat{}, parent: "mcpServers", project: []string{".gemini", "settings.json"},
		user:  func(e Environment) []string { return []string{e.join(e.Home, ".gemini", "settings.json")} },
		stdio: Server.commandAndArgs,
		http: func(s Server) (object, error) {
			entry, err := urlAndToken("Gemini CLI")(s)
			return append(object{{"type", "http"}}, entry...), err
		},
	}, {
		ID: "codex", Title: "Codex CLI", Seen: true,
		Reload: "Start a new session of Codex.",
		format: tomlFormat{}, parent: "mcp_servers",
		user: func(e Environment) []string {
			return []string{e.join(e.directory("CODEX_HOME", e.join(e.Home, ".codex")), "config.toml")}
		},
		stdio: Server.commandAndArgs,
		http: func(s Server) (object, error) {
			if s.Token == "" {
				return nil, &TokenNeededError{"Codex CLI"}
			}
			return object{{"url", s.URL}, {"http_headers", object{{"Authorization", "Bearer " + s.Token}}}}, nil
		},
	}, {
		ID: "goose", Title: "Goose",
		Reload: "Start a new session of Goose.",
		format: yamlFormat{}, parent: "extensions",
		user: func(e Environment) []string {
			if e.OS == "windows" {
				return []string{e.join(e.appData(), "Block", "goose", "config", "config.yaml")}
			}
			return []string{e.join(e.Home, ".config", "goose", "config.yaml")}
		},
		stdio: func(s Server) object {
			return object{
				{"type", "stdio"}, {"name", s.Name}, {"enabled", true},
				{"cmd", s.Command[0]}, {"args", s.Command[1:]}, {"timeout", gooseTimeout},
			}
		},
		http: func(s Server) (object, error) {
			if s.Token == "" {
				return nil, &TokenNeededError{"Goose"}
			}
			return object{
				{"type", "streamable_http"}, {"name", s.Name}, {"enabled", true},
				{"uri", s.URL}, s.headers("Bearer " + s.Token), {"timeout", gooseTimeout},
			}, nil
		},
	}, {
		ID: "lmstudio", Title: "LM Studio", NoResources: true,
		Reload: "LM Studio reads its file again when it changes.",
		format: jsonFormat{}, parent: "mcpServers",
		user: func(e Environment) []string {
			paths := []string{e.join(e.Home, ".lmstudio", "mcp.json")}
			if e.OS == "darwin" { // some versions
				paths = append(paths, e.join(e.Home, ".cache", "lm-studio", "mcp.json"))
			}
			return paths
		},
		stdio: Server.commandAndArgs,
		http:  urlAndToken("LM Studio"),
	}, {
		ID: "opencode", Title: "opencode", Seen: true,
		Reload: "Start opencode again.",
		format: jsonFormat{}, parent: "mcp", project: []string{"opencode.json"},
		user: func(e Environment) []string {
			return []string{e.join(e.config(), "opencode", "opencode.json"), e.join(e.config(), "opencode", "opencode.jsonc")}
		},
		stdio: func(s Server) object {
			return object{{"type", "local"}, {"command", s.Command}, {"enabled", true}}
		},
		http: func(s Server) (object, error) {
			return object{
				{"type", "remote"}, {"url", s.URL}, {"oauth", false},
				s.headers("Bearer " + s.tokenOr("{file:"+s.TokenFile+"}")),
			}, nil
		},
	}}
}

// gooseTimeout is the value that Goose writes itself.
const gooseTimeout = 300 // seconds

// bySystem joins the directory of the environment's system with elements.
func (e Environment) bySystem(linux, darwin, windows string, elements ...string) string {
	dir := linux
	switch e.OS {
	case "darwin":
		dir = darwin
	case "windows":
		dir = windows
	}
	return e.join(append([]string{dir}, elements...)...)
}

// claudeDesktopFile returns the file of Claude Desktop. On Windows a version from the
// store sees another directory than other programs do.
func claudeDesktopFile(e Environment) []string {
	const name = "claude_desktop_config.json"
	if e.OS == "windows" {
		packaged := e.Glob(e.join(e.localAppData(), "Packages", "Claude_*", "LocalCache", "Roaming", "Claude"))
		if len(packaged) > 0 {
			return []string{e.join(packaged[0], name)}
		}
	}
	return []string{e.bySystem(e.config(), e.support(), e.appData(), "Claude", name)}
}
