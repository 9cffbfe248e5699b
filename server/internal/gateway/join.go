package gateway

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/socket"
)

// A Doorkeeper decides which documents join as pages, and assigns their names.
type Doorkeeper interface {
	// Join exchanges frames with a document of origin that has dialled address, until
	// the document is authenticated or ctx ends. The error is [ErrVersion], or any other
	// one, which the document sees as "refused".
	Join(ctx context.Context, f Frames, origin, address string) (Joiner, error)
}

// Frames is a WebSocket before it carries MCP. A frame has at most limits.MaxHandshake
// bytes.
type Frames interface {
	Read(ctx context.Context) (websocket.MessageType, []byte, error)
	Write(ctx context.Context, kind websocket.MessageType, frame []byte) error
}

// A Joiner is a page that has authenticated itself.
type Joiner struct {
	owner access.Owner
	Hello Hello
	Name  string // unique among the owner's pages until Leave; empty if the document has only paired
	// Sequences says that the page reads and may send several messages in one frame.
	Sequences bool

	Touch func() // called while the page is joined: its credentials are in use; not nil if Name is set
	Leave func() // called once after the socket is closed, also after an error; may be nil
}

// A Hello is what an authenticated page declares about itself. The origin is not part of
// it: the browser sends that.
type Hello struct {
	Page     string `json:"page"`     // id of the tab, through reloads
	Instance string `json:"instance"` // id of the document
	Name     string `json:"name"`
	Title    string `json:"title"`
	URL      string `json:"url"`
	Engine   string `json:"engine"` // version

	// Closed are ids of pages of the same origin whose tabs have been closed, as pages of
	// that origin know from their browser: the page may take over one of their names.
	Closed []string `json:"closed"`
}

// maxClosed is the number of ids in Hello.Closed.
const maxClosed = 16

// IsValid reports whether the required members are present and short enough.
func (h *Hello) IsValid() bool {
	return h.Page != "" && len(h.Page) <= 128 && len(h.Instance) <= 128 && len(h.Name) <= 512 && len(h.Closed) <= maxClosed
}

// ErrVersion is returned for a document that speaks an unsupported version of the
// pairing protocol.
var ErrVersion = errors.New("unsupported version")

// ErrRefused is returned for a document that may not join. It gives no reason.
var ErrRefused = errors.New("refused")

// servePage serves the WebSocket on which pages join. Any web site can open a WebSocket
// to this machine, so the origin must be listed before the upgrade, and no data is sent
// before both sides are authenticated.
func (g *Gateway) servePage(w http.ResponseWriter, r *http.Request) {
	origin := r.Header.Get("Origin")
	if !g.guard.MayJoin(origin) {
		g.guard.Refuse(w, r)
		return
	}
	conn, release := g.Upgrade(w, r, origin, PageProtocol)
	if conn == nil {
		return
	}
	defer release()
	ctx, cancel := context.WithTimeout(context.Background(), limits.HandshakeTime) // when it ends, the connection is closed
	joiner, err := g.Options.Doorkeeper.Join(ctx, conn, origin, "ws://"+r.Host+access.PagePath)
	cancel()
	if joiner.Leave != nil {
		defer joiner.Leave()
	}
	if err == nil {
		access.MarkKnown(r)
	}
	switch {
	case errors.Is(err, ErrVersion):
		conn.Close(socket.CloseVersion, "unsupported version")
		g.Gate.Audit.Record(access.Entry{Principal: origin, Endpoint: access.PagePath, Verb: "join", Outcome: "version"})
	case err != nil:
		conn.Close(socket.CloseRefused, "refused")
		g.Gate.Audit.Record(access.Entry{Principal: origin, Endpoint: access.PagePath, Verb: "join", Outcome: "refused"})
	case joiner.Name == "":
		conn.Close(websocket.StatusNormalClosure, "")
		g.Gate.Audit.Record(access.Entry{Principal: origin, Endpoint: access.PagePath, Verb: "pair", Outcome: "ok"})
	default:
		g.serveJoined(conn, origin, joiner)
	}
}

// Upgrade accepts a WebSocket with a subprotocol of the gateway for a page of origin. If
// conn is nil, the response has been written.
func (g *Gateway) Upgrade(w http.ResponseWriter, r *http.Request, origin, protocol string) (conn *websocket.Conn, release func()) {
	if !socket.WantsUpgrade(w, r) {
		return nil, nil
	}
	release, ok := g.sockets.Acquire(origin)
	if !ok {
		g.tooManySockets(w, access.Entry{Principal: origin, Endpoint: r.URL.Path})
		return nil, nil
	}
	// A browser reports a close code only if the server selected one of the subprotocols
	// that were requested.
	requested := strings.TrimSpace(strings.Split(r.Header.Get("Sec-WebSocket-Protocol"), ",")[0])
	conn, err := socket.Accept(w, r, protocol, requested)
	if err == nil {
		conn.SetReadLimit(limits.MaxHandshake)
	}
	if err != nil { // Accept has responded
		release()
		return nil, nil
	}
	if conn.Subprotocol() != protocol {
		conn.Close(socket.CloseVersion, "unsupported version")
		release()
		return nil, nil
	}
	return conn, release
}
