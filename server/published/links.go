package published

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
)

// An InstallLink adds the server to a client: its page opens the client with a name and the
// JSON object of the client's configuration file.
type InstallLink struct {
	Client string // ID of clientconfig
	Name   string // of the server
	Config string // JSON

	page   string // URL without the query
	base64 bool   // the form of Config in the query
}

// Start returns the command that runs a published version of the program.
func Start(version string) []string { return []string{"npx", "-y", Package + "@" + version} }

// InstallLinks returns the links of a version. They open pages that redirect to a URL scheme of
// the client: pages of repositories cannot link to other schemes. Formats of 2026-11-22:
// https://code.visualstudio.com/api/extension-guides/ai/mcp,
// https://cursor.com/docs/context/mcp/install-links, https://lmstudio.ai/docs/app/mcp/deeplink
func InstallLinks(version string) []InstallLink {
	all := []InstallLink{
		{Client: "vscode", page: "https://vscode.dev/redirect/mcp/install"},
		{Client: "cursor", page: "https://cursor.com/install-mcp", base64: true},
		{Client: "lmstudio", page: "https://lmstudio.ai/install-mcp", base64: true},
	}
	start := Start(version)
	for i := range all {
		config := struct {
			Type    string   `json:"type,omitempty"`
			Command string   `json:"command"`
			Args    []string `json:"args"`
		}{Command: start[0], Args: append(start[1:len(start):len(start)], "stdio", "--as", all[i].Client)}
		if all[i].Client == "vscode" {
			config.Type = "stdio"
		}
		text, _ := json.Marshal(config) // cannot fail: strings
		all[i].Name, all[i].Config = "pagemcp", string(text)
	}
	return all
}

// String returns the link.
func (l InstallLink) String() string {
	config := l.Config
	if l.base64 {
		config = base64.StdEncoding.EncodeToString([]byte(config))
	}
	return l.page + "?name=" + url.QueryEscape(l.Name) + "&config=" + strings.ReplaceAll(url.QueryEscape(config), "+", "%20")
}
