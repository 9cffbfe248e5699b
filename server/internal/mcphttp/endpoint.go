package mcphttp

import (
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// An Endpoint is one URL at which an engine is served, held until release.
type Endpoint struct {
	Owner   access.Owner
	Path    string // /mcp or /mcp/{page}
	Engine  *engine.Engine
	Release func() // called once
}

// Endpoints are those of a gateway.
type Endpoints interface {
	// acquire returns what is served at path to clients of owner; false if too many are
	// in use.
	Acquire(of access.Owner, path string) (Endpoint, bool)
}
