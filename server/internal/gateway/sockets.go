package gateway

import (
	"context"
	"net/http"
	"strings"

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
	limit, client := int64(limits.MaxMessage), caller.Client(access.SocketPath)
	if r.Header.Get(HopHeader) != "" {
		limit += limits.MaxSlack
		client.Repeats = true
	}
	ctx, unbind := caller.Bind(context.Background())
	defer unbind()
	g.ServeClient(ctx, conn, caller.Owner, "/mcp", client, limit)
}

// ServeClient serves MCP on a WebSocket, at the endpoint at path of owner, until it
// closes or ctx ends. limit is the size of a message in bytes.
func (g *Gateway) ServeClient(ctx context.Context, conn *websocket.Conn, owner access.Owner, path string, client access.Client, limit int64) {
	client.Owner, client.View = owner, path
	s := socket.New(conn, limit, false)
	if !g.track(s, tracked{client.Origin, client.Repeats}) {
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

// HopHeader marks a process that forwards messages of assistants, whose messages have
// grown by its own _meta: it raises the size limit by MaxSlack. When the gateway closes, its
// requests get no errors, since it repeats them at the next gateway. It may name the assistant
// that the process works for: see HopValue. It grants nothing else.
const HopHeader = "Pagemcp-Hop"

// hopValue begins the value of HopHeader; a name follows after ";as=".
const hopValue = "stdio"

// HopValue returns the value of HopHeader of a process that works for an assistant; its name
// may be empty.
func HopValue(assistant string) string {
	if assistant == "" {
		return hopValue
	}
	return hopValue + ";as=" + assistant
}

// HopName returns the name in the HopHeader of a request for a WebSocket, or "". The caller
// checks that the sender may name its assistant.
func HopName(r *http.Request) string {
	values := r.Header.Values(HopHeader)
	if len(values) != 1 || r.URL.Path != access.SocketPath {
		return ""
	}
	name, ok := strings.CutPrefix(values[0], hopValue+";as=")
	if !ok {
		return ""
	}
	return name
}

// tooManySockets responds 429 and records that.
func (g *Gateway) tooManySockets(w http.ResponseWriter, e access.Entry) {
	e.Verb, e.Outcome = "connect", "busy"
	g.Gate.Audit.RecordRefusal(e)
	w.Header().Set("Retry-After", "5") // seconds
	http.Error(w, "too many connections", http.StatusTooManyRequests)
}
