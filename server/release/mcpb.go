package release

import "fmt"

// An mcpbManifest is the manifest.json of an MCP bundle, which Claude Desktop installs.
// https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md
type mcpbManifest struct {
	Version       string            `json:"manifest_version"`
	Name          string            `json:"name"`
	Title         string            `json:"display_name"`
	Release       string            `json:"version"`
	Description   string            `json:"description"`
	Long          string            `json:"long_description"`
	Author        map[string]string `json:"author"`
	Repository    map[string]string `json:"repository"`
	Homepage      string            `json:"homepage"`
	Support       string            `json:"support"`
	Icon          string            `json:"icon"`
	Server        mcpbServer        `json:"server"`
	DynamicTools  bool              `json:"tools_generated"`
	Keywords      []string          `json:"keywords"`
	License       string            `json:"license"`
	Compatibility map[string]any    `json:"compatibility"`
}

type mcpbServer struct {
	Type  string      `json:"type"`
	Entry string      `json:"entry_point"`
	Start mcpbCommand `json:"mcp_config"`
}

type mcpbCommand struct {
	Command   string                 `json:"command"`
	Args      []string               `json:"args"`
	Platforms map[string]mcpbCommand `json:"platform_overrides,omitempty"`
}

// bundleIcon is the size that Claude Desktop recommends.
const bundleIcon = 512 // pixels

// mcpb returns the bundle. Its format selects a program by operating system, not by CPU:
// macOS gets a universal program, and Windows that for amd64, which arm64 emulates. Claude
// Desktop exists for no other system.
func mcpb(version, description string, programs map[Platform][]byte, documents map[string][]byte, icon []byte) ([]byte, error) {
	mac, err := universal(programs[Platform{"darwin", "amd64"}], programs[Platform{"darwin", "arm64"}])
	if err != nil {
		return nil, err
	}
	windows := Platform{"windows", "amd64"}
	start := func(program string) mcpbCommand {
		return mcpbCommand{Command: "${__dirname}/server/" + program, Args: []string{"stdio"}}
	}
	server := mcpbServer{Type: "binary", Entry: "server/pagemcp", Start: start("pagemcp")}
	server.Start.Platforms = map[string]mcpbCommand{"win32": start(windows.Program())}
	manifest, err := indented(mcpbManifest{
		Version: "0.3", Name: "pagemcp", Title: "PageMCP", Release: version, Description: description,
		Long:       "PageMCP connects Claude to web pages that are open in your browser and that you have paired. Pages that use the npm package pagemcp join this gateway. It sends nothing off your machine; what Claude reads goes to the provider of its model.",
		Author:     map[string]string{"name": "The PageMCP authors", "url": repository},
		Repository: map[string]string{"type": "git", "url": repository + ".git"},
		Homepage:   repository, Support: repository + "/issues", Icon: "icon.png",
		Server: server, DynamicTools: true, Keywords: []string{"browser", "web page", "webassembly"}, License: "MIT",
		Compatibility: map[string]any{"platforms": []string{"darwin", "win32"}},
	})
	if err != nil {
		return nil, err
	}
	if len(programs[windows]) == 0 {
		return nil, fmt.Errorf("make the bundle: there is no program for %s", windows)
	}
	files := members{
		"manifest.json":               {body: manifest},
		"icon.png":                    {body: icon},
		"server/pagemcp":              {body: mac, executable: true},
		"server/" + windows.Program(): {body: programs[windows], executable: true},
	}
	files.add("", trimSlashes(documents))
	return zipped(files)
}
