package gateway

import (
	"net/http"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// Subprotocols of the WebSocket doors; those of further doors are theirs.
const (
	AssistantProtocol = "mcp"        // what the TypeScript SDK's client asks for
	PageProtocol      = "pagemcp.v1" // joining, then MCP with the page as server
)

// serveSocket is raw MCP over WebSocket: one JSON-RPC message a text frame, the
// era of each message its own. Closing the socket abandons everything on it
// (protocol.md §3.4).
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
		return // it has answered
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

// ServeClient is MCP on a WebSocket at the endpoint of an owner, until it closes.
// limit is that of a message, in bytes.
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
	endpoint.Engine.Serve(ctx, g.Gate.Port(s, endpoint.Engine, client)) // why it ended, the client knows
	<-s.Done()
}

// HopHeader is what a process sends that passes on what assistants say: its messages
// have grown by its own _meta. It gives no rights but that.
const HopHeader = "Pagemcp-Hop"

func (g *Gateway) tooManySockets(w http.ResponseWriter, e access.Entry) {
	e.Verb, e.Outcome = "connect", "busy"
	g.Gate.Audit.RecordRefusal(e)
	w.Header().Set("Retry-After", "5") // seconds
	http.Error(w, "too many connections", http.StatusTooManyRequests)
}
