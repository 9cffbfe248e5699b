package release

import (
	"encoding/json"
	"fmt"
)

// maxRegistryDescription is what the MCP registry accepts.
const maxRegistryDescription = 100 // characters; server.schema.json of 2025-12-11

// A registryServer is the entry of the MCP registry, server.json.
// https://github.com/modelcontextprotocol/registry/blob/main/docs/reference/server-json/generic-server-json.md
type registryServer struct {
	Schema      string            `json:"$schema"`
	Name        string            `json:"name"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Repository  map[string]string `json:"repository"`
	Website     string            `json:"websiteUrl"`
	Version     string            `json:"version"`
	Packages    []registryPackage `json:"packages"`
}

type registryPackage struct {
	Type       string              `json:"registryType"`
	Identifier string              `json:"identifier"`
	Version    string              `json:"version"`
	Transport  map[string]string   `json:"transport"`
	Arguments  []map[string]string `json:"packageArguments"`
}

// registryEntry returns server.json for the npm package with the given package.json. The
// registry requires that name and version are those of the published package.
func registryEntry(manifest []byte) ([]byte, error) {
	var m struct{ Name, Version, MCPName string }
	if err := json.Unmarshal(manifest, &m); err != nil {
		return nil, fmt.Errorf("read package.json: %w", err)
	}
	const description = "Lets assistants read and use the web pages that are open in your browser and that you paired"
	if len(description) > maxRegistryDescription {
		return nil, fmt.Errorf("write server.json: the description has more than %d characters", maxRegistryDescription)
	}
	return indented(registryServer{
		Schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		Name:   m.MCPName, Title: "PageMCP", Description: description,
		Repository: map[string]string{"url": repository, "source": "github"}, Website: repository,
		Version: m.Version,
		Packages: []registryPackage{{
			Type: "npm", Identifier: m.Name, Version: m.Version, Transport: map[string]string{"type": "stdio"},
			Arguments: []map[string]string{{"type": "positional", "value": "stdio"}},
		}},
	})
}
