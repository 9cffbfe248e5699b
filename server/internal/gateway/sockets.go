package gateway

import (
	"context"
	"net/http"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/socket"
)

// Subprotocols of the WebSocket endpoints.
const (
	AssistantProtocol = "mcp"        // requested by the client of the TypeScript SDK
	PageProtocol      = "pagemcp.v1" // the pairing protocol, then MCP with the page as server
)

// serveSocket serves MCP over WebSocket: one JSON-RPC message per text frame, each of
// any revision. Closing the socket cancels its requests and subscriptions.
func (g *Gateway) serveSocket(w http.ResponseWriter, r *http.Request) {
	if !socket.WantsUpgrade(w, r) {
		return
	}
	caller, ok := g.Gate.Admit(w, r)
	if !ok {
		return
	}
	release, ok := g.sockets.Acquire("")
	if !ok {
		g.tooManySockets(w, access.Entry{Principal: caller.Principal, Address: access.AddressOf(r.Context()), Owner: caller.Owner, Endpoint: access.SocketPath})
		return
	}
	defer release()
	conn, err := socket.Accept(w, r, AssistantProtocol)
	if err != nil {
		return // Accept has responded
	}
	if conn.Subprotocol() != AssistantProtocol {
		conn.Close(socket.CloseVersion, "subprotocol mcp is needed")
		return
	}
	ctx, unbind := caller.Bind(context.Background())
	defer unbind()
	g.ServeClient(ctx, conn, caller.Owner, "/mcp", caller.Client(access.SocketPath), limits.MaxMessage)
}

// ServeClient serves MCP on a WebSocket, at the endpoint at path of owner, until it
// closes or ctx ends. limit is the size of a message in bytes.
func (g *Gateway) ServeClient(ctx context.Context, conn *websocket.Conn, owner access.Owner, path string, client access.Client, limit int64) {
	client.Owner, client.View = owner, path
	s := socket.New(conn, limit, false)
	if !g.Track(s, client.Origin) {
		return
	}
	defer g.Untrack(s)
	stop := context.AfterFunc(ctx, func() { s.CloseWith(websocket.StatusPolicyViolation, context.Cause(ctx).Error()) })
	defer stop()
	endpoint, err := g.Acquire(owner, path)
	if err != nil {
		s.CloseWith(websocket.StatusTryAgainLater, "too many pages")
		<-s.Done()
		return
	}
	defer endpoint.Release()
	s.KeepAlive(nil)
	g.Gate.Serve(s.Context(), s, endpoint.Engine, client) // its error concerns the client only, which has been disconnected
	<-s.Done()
}

// tooManySockets responds 429 and records that.
func (g *Gateway) tooManySockets(w http.ResponseWriter, e access.Entry) {
	e.Verb, e.Outcome = "connect", "busy"
	g.Gate.Audit.RecordRefusal(e)
	w.Header().Set("Retry-After", "5") // seconds
	http.Error(w, "too many connections", http.StatusTooManyRequests)
}
