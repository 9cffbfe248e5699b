// Package access decides what a client may do: where it may connect from, who it is, how
// much it may request. It records the outcome in the audit log.
package access

import (
	"cmp"
	"context"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A Client is one assistant at one endpoint.
type Client struct {
	Principal string
	Owner     Owner
	Tenant    string // of the owner, for limits; "" without tenants
	Caller    string // tells clients with the same credentials apart, for limits; it may be false
	Endpoint  string // path, or "stdio"
	Origin    string // of its page, for clients that connect as pages do; otherwise empty
	Name      string // clientInfo.name
	Internal  bool   // a generated tool that acts for an assistant; hidden from monitors, and counted as the call of the tool
	View      string // path that it is served, if Endpoint is not of MCP over HTTP; may be empty
}

// User returns the client as one whose uses count.
func (c Client) User() limits.User {
	return limits.User{Tenant: c.Tenant, Owner: string(c.Owner), Client: c.Principal, Caller: c.Caller}
}

// Path returns the path that the client is served: /mcp, or /mcp/{page}.
func (c Client) Path() string { return cmp.Or(c.View, c.Endpoint) }

// A Gate holds what all clients of a gateway share, whatever transport they use.
type Gate struct {
	Auth    Authenticator
	Limits  *limits.Usage
	Audit   Audit
	Monitor Monitor
	Pause   *Pause // nil: there is none
	Rights  Rights // nil: the rights of all clients suffice
	Traces  bool   // audit entries have the trace ids of requests

	// Await is called with the page that a request concerns, before the engine gets that: the page may be on its
	// way. The name is the client's. Nil: no page is.
	Await func(owner Owner, page string)
}

// A Monitor receives the messages between clients and engines. Its methods never block.
type Monitor interface {
	Active() bool // false: the other methods need not be called

	// Message reports a message to the page or the assistant, as to says. name is the
	// URI, prompt or tool that it is about, if known.
	Message(client Client, to, name string, msg []byte)

	// Answered reports a result of size bytes; errors are not reported.
	Answered(client Client, method, uri string, size int)
}

// Delay counts one more request of this method, which is initialize for a new session over HTTP only, or a
// notification or response that is posted. It returns how long it has to wait to stay within the rate. If over
// is not nil, it is rejected.
func (g *Gate) Delay(c Client, method string) (wait time.Duration, over *limits.Exceeded) {
	what := limits.Calls
	switch MethodOf(method).Rate {
	case engine.RateReads:
		what = limits.Reads
	case engine.RateCompletions:
		what = limits.Completions
	case engine.RateNone:
		return 0, nil
	}
	return g.Limits.Reserve(c.User(), what, limits.MaxDelay)
}

// With returns a context in which requests of client are served: engines and tools find
// its principal there.
func (c Client) With(ctx context.Context) context.Context {
	return engine.WithPrincipal(ctx, engine.Principal(c.Principal))
}
