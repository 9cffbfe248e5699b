package server

import "github.com/pagemcp/pagemcp/wasm/engine"

// An endpoint is one URL at which an engine is served, held until release.
type endpoint struct {
	owner   owner
	path    string // /mcp or /mcp/{page}
	engine  *engine.Engine
	release func() // called once
}

// endpoints are those of a gateway.
type endpoints interface {
	// acquire returns what is served at path to clients of owner; false if too many are
	// in use.
	acquire(of owner, path string) (endpoint, bool)
}
