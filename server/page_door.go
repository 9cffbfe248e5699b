package server

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/coder/websocket"
)

// A doorkeeper decides which documents join as pages, and what they are called.
type doorkeeper interface {
	// join exchanges frames with a document of origin that has dialled address, until it
	// has proved itself or ctx ends. The error is errVersion, or tells the page no more
	// than that it was refused.
	join(ctx context.Context, f frames, origin, address string) (joiner, error)
}

// frames are the messages of a WebSocket before it carries MCP. They are small:
// maxHandshake.
type frames interface {
	Read(ctx context.Context) (websocket.MessageType, []byte, error)
	Write(ctx context.Context, kind websocket.MessageType, frame []byte) error
}

// A joiner is a page that has proved itself.
type joiner struct {
	owner owner
	hello hello
	name  string // among the owner's pages, its own until leave; empty: it only wanted to pair
	touch func() // its credentials are still in use; not nil if name is set
	leave func() // its socket is gone; called once if not nil, even after an error
}

// A hello is what a page says of itself, once it has proved that it may speak.
// Its origin is not in it: that is the browser's to say.
type hello struct {
	Page     string `json:"page"`     // id of the tab, through reloads
	Instance string `json:"instance"` // id of the document
	Name     string `json:"name"`
	Title    string `json:"title"`
	URL      string `json:"url"`
	Engine   string `json:"engine"` // version
}

// isValid tells whether all of it is there and not too long.
func (h *hello) isValid() bool {
	return h.Page != "" && len(h.Page) <= 128 && len(h.Instance) <= 128 && len(h.Name) <= 512
}

// errVersion is of a document that speaks a version of joining that is not ours.
var errVersion = errors.New("unsupported version")

// errRefused is all that a document learns when it may not join.
var errRefused = errors.New("refused")

// servePage is where pages join. It is the most dangerous door: any web site can
// open a WebSocket to this machine. So the origin has to be on the list before
// the upgrade, and nothing is said about resources before both proofs.
func (h *hub) servePage(w http.ResponseWriter, r *http.Request) {
	origin := r.Header.Get("Origin")
	if !h.guard.listed(origin) {
		h.guard.refuse(w, r)
		return
	}
	conn, leave := h.openDoor(w, r, origin, pageProtocol)
	if conn == nil {
		return
	}
	defer leave()
	ctx, cancel := context.WithTimeout(context.Background(), handshakeTime) // over it the connection is closed
	who, err := h.options.doorkeeper.join(ctx, conn, origin, "ws://"+r.Host+pageDoor)
	cancel()
	if who.leave != nil {
		defer who.leave()
	}
	if err == nil {
		known(r)
	}
	switch {
	case errors.Is(err, errVersion):
		conn.Close(closeVersion, "unsupported version")
		h.gate.audit.note(entry{Who: origin, Door: pageDoor, Verb: "join", Outcome: "version"})
	case err != nil:
		conn.Close(closeRefused, "refused")
		h.gate.audit.note(entry{Who: origin, Door: pageDoor, Verb: "join", Outcome: "refused"})
	case who.name == "":
		conn.Close(websocket.StatusNormalClosure, "")
		h.gate.audit.note(entry{Who: origin, Door: pageDoor, Verb: "pair", Outcome: "ok"})
	default:
		h.host(conn, origin, who)
	}
}

// openDoor upgrades to a WebSocket of one of our own protocols for a page of
// origin. Without a connection the answer has been given.
func (h *hub) openDoor(w http.ResponseWriter, r *http.Request, origin, protocol string) (conn *websocket.Conn, leave func()) {
	if !wantsUpgrade(w, r) {
		return nil, nil
	}
	leave, ok := h.sockets.enter(origin)
	if !ok {
		h.tooManySockets(w, entry{Who: origin, Door: r.URL.Path})
		return nil, nil
	}
	// A browser wants to hear one of the subprotocols that it asked for, else it
	// shows its page no close code.
	asked := strings.TrimSpace(strings.Split(r.Header.Get("Sec-WebSocket-Protocol"), ",")[0])
	conn, err := accept(w, r, protocol, asked)
	if err == nil {
		conn.SetReadLimit(maxHandshake)
	}
	if err != nil { // it has answered
		leave()
		return nil, nil
	}
	if conn.Subprotocol() != protocol {
		conn.Close(closeVersion, "unsupported version")
		leave()
		return nil, nil
	}
	return conn, leave
}
