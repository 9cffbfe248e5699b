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

// A Doorkeeper decides which documents join as pages, and what they are called.
type Doorkeeper interface {
	// join exchanges frames with a document of origin that has dialled address, until it
	// has proved itself or ctx ends. The error is errVersion, or tells the page no more
	// than that it was refused.
	Join(ctx context.Context, f Frames, origin, address string) (Joiner, error)
}

// Frames are the messages of a WebSocket before it carries MCP. They are small:
// maxHandshake.
type Frames interface {
	Read(ctx context.Context) (websocket.MessageType, []byte, error)
	Write(ctx context.Context, kind websocket.MessageType, frame []byte) error
}

// A Joiner is a page that has proved itself.
type Joiner struct {
	owner access.Owner
	Hello Hello
	Name  string // among the owner's pages, its own until leave; empty: it only wanted to pair
	Touch func() // its credentials are still in use; not nil if name is set
	Leave func() // its socket is gone; called once if not nil, even after an error
}

// A Hello is what a page says of itself, once it has proved that it may speak.
// Its origin is not in it: that is the browser's to say.
type Hello struct {
	Page     string `json:"page"`     // id of the tab, through reloads
	Instance string `json:"instance"` // id of the document
	Name     string `json:"name"`
	Title    string `json:"title"`
	URL      string `json:"url"`
	Engine   string `json:"engine"` // version
}

// IsValid tells whether all of it is there and not too long.
func (h *Hello) IsValid() bool {
	return h.Page != "" && len(h.Page) <= 128 && len(h.Instance) <= 128 && len(h.Name) <= 512
}

// ErrVersion is of a document that speaks a version of joining that is not ours.
var ErrVersion = errors.New("unsupported version")

// ErrRefused is all that a document learns when it may not join.
var ErrRefused = errors.New("refused")

// servePage is where pages join. It is the most dangerous door: any web site can
// open a WebSocket to this machine. So the origin has to be on the list before
// the upgrade, and nothing is said about resources before both proofs.
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
	ctx, cancel := context.WithTimeout(context.Background(), limits.HandshakeTime) // over it the connection is closed
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

// OpenDoor upgrades to a WebSocket of one of our own protocols for a page of
// origin. Without a connection the answer has been given.
func (g *Gateway) Upgrade(w http.ResponseWriter, r *http.Request, origin, protocol string) (conn *websocket.Conn, release func()) {
	if !socket.WantsUpgrade(w, r) {
		return nil, nil
	}
	release, ok := g.sockets.Acquire(origin)
	if !ok {
		g.tooManySockets(w, access.Entry{Principal: origin, Endpoint: r.URL.Path})
		return nil, nil
	}
	// A browser wants to hear one of the subprotocols that it asked for, else it
	// shows its page no close code.
	requested := strings.TrimSpace(strings.Split(r.Header.Get("Sec-WebSocket-Protocol"), ",")[0])
	conn, err := socket.Accept(w, r, protocol, requested)
	if err == nil {
		conn.SetReadLimit(limits.MaxHandshake)
	}
	if err != nil { // it has answered
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
