package server

import (
	"net/http"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// Subprotocols of the WebSocket doors; those of further doors are theirs.
const (
	assistantProtocol = "mcp"        // what the TypeScript SDK's client asks for
	pageProtocol      = "pagemcp.v1" // joining, then MCP with the page as server
)

// serveSocket is raw MCP over WebSocket: one JSON-RPC message a text frame, the
// era of each message its own. Closing the socket abandons everything on it
// (protocol.md §3.4).
func (h *hub) serveSocket(w http.ResponseWriter, r *http.Request) {
	if !wantsUpgrade(w, r) {
		return
	}
	who, ok := h.gate.admit(w, r)
	if !ok {
		return
	}
	leave, ok := h.sockets.enter("")
	if !ok {
		h.tooManySockets(w, entry{Who: who.principal, Door: socketDoor})
		return
	}
	defer leave()
	conn, err := accept(w, r, assistantProtocol)
	if err != nil {
		return // it has answered
	}
	if conn.Subprotocol() != assistantProtocol {
		conn.Close(closeVersion, "subprotocol mcp is needed")
		return
	}
	limit := int64(maxMessage)
	if r.Header.Get(hopHeader) != "" {
		limit += maxSlack
	}
	h.serveClient(conn, who.owner, "/mcp", visit{who: who.principal, door: socketDoor}, limit)
}

// serveClient is MCP on a WebSocket at the endpoint of an owner, until it closes.
// limit is that of a message, in bytes.
func (h *hub) serveClient(conn *websocket.Conn, of owner, path string, v visit, limit int64) {
	s := newSocket(conn, limit, false)
	if !h.track(s) {
		return
	}
	defer h.untrack(s)
	at, ok := h.acquire(of, path)
	if !ok {
		s.closeWith(websocket.StatusTryAgainLater, "too many pages")
		<-s.gone()
		return
	}
	defer at.release()
	go s.keepAlive(false) // ends with the socket
	ctx := engine.WithPrincipal(s.context(), engine.Principal(v.who))
	at.engine.Serve(ctx, h.gate.port(s, at.engine, v)) // why it ended, the client knows
	<-s.gone()
}

// hopHeader is what a process sends that passes on what assistants say: its messages
// have grown by its own _meta. It gives no rights but that.
const hopHeader = "Pagemcp-Hop"

func (h *hub) tooManySockets(w http.ResponseWriter, e entry) {
	e.Verb, e.Outcome = "connect", "busy"
	h.gate.audit.refuse(e)
	w.Header().Set("Retry-After", "5") // seconds
	http.Error(w, "too many connections", http.StatusTooManyRequests)
}
