package gateway

import (
	"net/http"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/wasm/engine"
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
		g.tooManySockets(w, access.Entry{Principal: caller.Principal, Endpoint: access.SocketPath})
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
	limit := int64(limits.MaxMessage)
	if r.Header.Get(HopHeader) != "" {
		limit += limits.MaxSlack
	}
	g.ServeClient(conn, caller.Owner, "/mcp", access.Client{Principal: caller.Principal, Endpoint: access.SocketPath}, limit)
}

// ServeClient serves MCP on a WebSocket, at the endpoint at path of owner, until it
// closes. limit is the size of a message in bytes.
func (g *Gateway) ServeClient(conn *websocket.Conn, owner access.Owner, path string, client access.Client, limit int64) {
	s := socket.New(conn, limit, false)
	if !g.Track(s) {
		return
	}
	defer g.Untrack(s)
	endpoint, ok := g.Acquire(owner, path)
	if !ok {
		s.CloseWith(websocket.StatusTryAgainLater, "too many pages")
		<-s.Done()
		return
	}
	defer endpoint.Release()
	go s.KeepAlive(false) // ends with the socket
	ctx := engine.WithPrincipal(s.Context(), engine.Principal(client.Principal))
	endpoint.Engine.Serve(ctx, g.Gate.Port(s, endpoint.Engine, client)) // its error concerns the client only, which has been disconnected
	<-s.Done()
}

// HopHeader marks a process that forwards messages of assistants, whose messages have
// grown by its own _meta. It raises the size limit by MaxSlack and grants nothing else.
const HopHeader = "Pagemcp-Hop"

// tooManySockets responds 429 and records that.
func (g *Gateway) tooManySockets(w http.ResponseWriter, e access.Entry) {
	e.Verb, e.Outcome = "connect", "busy"
	g.Gate.Audit.RecordRefusal(e)
	w.Header().Set("Retry-After", "5") // seconds
	http.Error(w, "too many connections", http.StatusTooManyRequests)
}
