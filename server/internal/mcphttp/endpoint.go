package mcphttp

import (
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// An Endpoint is a path at which an engine is served. It is held until Release.
type Endpoint struct {
	Owner   access.Owner
	Path    string // /mcp or /mcp/{page}
	Engine  *engine.Engine
	Release func() // called once
}

// Endpoints provides the endpoints of a gateway.
type Endpoints interface {
	// Acquire returns the endpoint at path for clients of owner; false if too many are
	// in use.
	Acquire(owner access.Owner, path string) (Endpoint, bool)
}
