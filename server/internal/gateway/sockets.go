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
func (h *Gateway) serveSocket(w http.ResponseWriter, r *http.Request) {
	if !socket.WantsUpgrade(w, r) {
		return
	}
	who, ok := h.Gate.Admit(w, r)
	if !ok {
		return
	}
	leave, ok := h.sockets.Enter("")
	if !ok {
		h.tooManySockets(w, access.Entry{Who: who.Principal, Door: access.SocketDoor})
		return
	}
	defer leave()
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
	h.ServeClient(conn, who.Owner, "/mcp", access.Client{Principal: who.Principal, Door: access.SocketDoor}, limit)
}

// ServeClient is MCP on a WebSocket at the endpoint of an owner, until it closes.
// limit is that of a message, in bytes.
func (h *Gateway) ServeClient(conn *websocket.Conn, of access.Owner, path string, v access.Client, limit int64) {
	s := socket.New(conn, limit, false)
	if !h.Track(s) {
		return
	}
	defer h.Untrack(s)
	at, ok := h.Acquire(of, path)
	if !ok {
		s.CloseWith(websocket.StatusTryAgainLater, "too many pages")
		<-s.Gone()
		return
	}
	defer at.Release()
	go s.KeepAlive(false) // ends with the socket
	ctx := engine.WithPrincipal(s.Context(), engine.Principal(v.Principal))
	at.Engine.Serve(ctx, h.Gate.Port(s, at.Engine, v)) // why it ended, the client knows
	<-s.Gone()
}

// HopHeader is what a process sends that passes on what assistants say: its messages
// have grown by its own _meta. It gives no rights but that.
const HopHeader = "Pagemcp-Hop"

func (h *Gateway) tooManySockets(w http.ResponseWriter, e access.Entry) {
	e.Verb, e.Outcome = "connect", "busy"
	h.Gate.Audit.Refuse(e)
	w.Header().Set("Retry-After", "5") // seconds
	http.Error(w, "too many connections", http.StatusTooManyRequests)
}
