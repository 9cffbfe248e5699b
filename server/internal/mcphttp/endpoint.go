package mcphttp

import (
	"context"
	"errors"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// An Endpoint is a path at which an engine is served. It is held until Release.
type Endpoint struct {
	Owner   access.Owner
	Path    string // /mcp or /mcp/{page}
	Engine  *engine.Engine
	Release func() // called once

	// Generated reports whether a tool is one of the gateway, not of a page; nil: none is.
	Generated func(ctx context.Context, tool string) bool
}

// Endpoints provides the endpoints of a gateway.
type Endpoints interface {
	// Acquire returns the endpoint at path for clients of owner. The error is [ErrTooMany] or
	// [ErrFull].
	Acquire(owner access.Owner, path string) (Endpoint, error)
}

// Errors of [Endpoints].
var (
	ErrTooMany = errors.New("all /mcp/{page} endpoints of this user are in use; /mcp serves all pages")

	// ErrFull is for an endpoint of an owner for which this process has no room now.
	ErrFull = errors.New("this gateway serves as many users as it can: retry later")
)
