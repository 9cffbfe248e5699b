package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/socket"
)

// A Doorkeeper decides which documents join as pages, and assigns their names.
type Doorkeeper interface {
	// Join exchanges frames with a document whose handshake was r, until the document is
	// authenticated or ctx ends. The document gets Joiner.Welcome when its page is mounted.
	// The error is [ErrVersion], a *[CloseError], or any other one, which the document sees
	// as "refused".
	Join(ctx context.Context, f Frames, r *http.Request) (Joiner, error)
}

// Frames is a WebSocket before it carries MCP. A frame has at most limits.MaxHandshake
// bytes.
type Frames interface {
	Read(ctx context.Context) (websocket.MessageType, []byte, error)
	Write(ctx context.Context, kind websocket.MessageType, frame []byte) error
}

// A Joiner is a page that has authenticated itself.
type Joiner struct {
	Owner access.Owner
	Hello Hello
	Name  string // unique among the owner's pages until Leave; empty if the document has only paired

	// Profile stands for the browser profile, of which the tabs of an app share the user's decisions; empty if it is unknown.
	Profile string

	// Welcome is the frame after which the document takes messages: it has joined, or paired.
	Welcome []byte

	// Sequences says that the page reads and may send several messages in one frame.
	Sequences bool

	Valid func() bool // reports whether the credentials are valid still; not nil if Name is set
	Touch func()      // called while the page is joined: its credentials are in use; may be nil
	Leave func()      // called once after the socket is closed, also after an error; may be nil

	// Credential gets the frames with new credentials that a page sends while it is joined,
	// between messages: JSON objects whose first member is "pagemcp", without "page". Without it
	// they are messages. It must not block.
	Credential func(frame []byte)

	// Via names what has passed the socket on; see Connected.
	Via string

	// Joined gets a function that closes the socket, which may be called at any time from
	// then on; may be nil.
	Joined func(closeWith func(code websocket.StatusCode, reason string))
}

// A CloseError is the error of a join that is refused with a close code of its own.
type CloseError struct {
	Code    websocket.StatusCode
	Reason  string // in the close frame; at most 123 bytes
	Outcome string // for the audit log
}

// Error implements error.
func (e *CloseError) Error() string { return fmt.Sprintf("%s (%d)", e.Outcome, e.Code) }

// A Hello is what an authenticated page declares about itself. The origin is not part of
// it: the browser sends that.
type Hello struct {
	Page     string `json:"page"`     // id of the tab, through reloads
	Instance string `json:"instance"` // id of the document
	Profile  string `json:"profile"`  // id of the browser profile; may be empty
	Name     string `json:"name"`
	Title    string `json:"title"`
	URL      string `json:"url"`
	Engine   string `json:"engine"` // version
}

// IsValid reports whether the required members are present and short enough.
func (h *Hello) IsValid() bool {
	return h.Page != "" && len(h.Page) <= 128 && len(h.Instance) <= 128 && len(h.Profile) <= 128 && len(h.Name) <= 512
}

const (
	closeLimit websocket.StatusCode = 4429 // the reason is the time to wait in ms
	retryPages                      = "60000"
)

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
	address := access.AddressOf(r.Context())
	if !g.mayJoin(w, origin, address) {
		return
	}
	conn := g.accept(w, r, PageProtocol)
	if conn == nil {
		return
	}
	if g.Options.MaxHandshake > 0 {
		conn.SetReadLimit(g.Options.MaxHandshake)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), cmp.Or(g.Options.JoinTime, limits.HandshakeTime)) // when it ends, the connection is closed
	joiner, err := g.Options.Doorkeeper.Join(ctx, conn, r)
	if err == nil && joiner.Name == "" {
		err = conn.Write(ctx, websocket.MessageText, joiner.Welcome)
	}
	cancel()
	leave := func() {
		if joiner.Leave != nil {
			joiner.Leave()
		}
	}
	if err == nil {
		access.MarkKnown(r.Context())
		if joiner.Name != "" {
			release, ok := g.sockets.Acquire(origin)
			if ok {
				g.serveJoined(conn, origin, address, joiner, func() { leave(); release() })
				return // the connection goes on without this goroutine, and without r
			}
			if err = g.Full(origin); err == nil || g.Options.OnDemand { // pages with tokens expect a time
				err = &CloseError{Code: closeLimit, Reason: retryPages, Outcome: "busy"}
			}
		}
	}
	defer leave()
	own := (*CloseError)(nil)
	switch {
	case errors.As(err, &own):
		conn.Close(own.Code, own.Reason)
		g.Gate.Audit.Record(access.Entry{Principal: origin, Address: address, Owner: joiner.Owner, Endpoint: access.PagePath, Verb: "join", Outcome: own.Outcome})
	case errors.Is(err, ErrVersion):
		conn.Close(socket.CloseVersion, "unsupported version")
		g.Gate.Audit.Record(access.Entry{Principal: origin, Address: address, Endpoint: access.PagePath, Verb: "join", Outcome: "version"})
	case err != nil:
		conn.Close(socket.CloseRefused, "refused")
		g.Gate.Audit.Record(access.Entry{Principal: origin, Address: address, Endpoint: access.PagePath, Verb: "join", Outcome: "refused"})
	default:
		conn.Close(websocket.StatusNormalClosure, "")
		g.Gate.Audit.Record(access.Entry{Principal: origin, Address: address, Owner: joiner.Owner, Endpoint: access.PagePath, Verb: "pair", Outcome: "ok"})
	}
}

// Full returns a *[CloseError], with words for the user, while no further page of origin can
// join; otherwise nil.
func (g *Gateway) Full(origin string) error {
	if why := g.sockets.Full(origin); why != "" {
		return &CloseError{Code: closeLimit, Reason: why, Outcome: "busy"}
	}
	return nil
}

// mayJoin reports whether a page may try to join now. If not, it has responded.
func (g *Gateway) mayJoin(w http.ResponseWriter, origin string, address netip.Addr) bool {
	if g.Options.MayJoin == nil {
		return true
	}
	over := g.Options.MayJoin()
	if over == nil {
		return true
	}
	g.Gate.Audit.RecordRefusal(access.Entry{Principal: origin, Address: address, Endpoint: access.PagePath, Verb: "join", Outcome: "busy"})
	w.Header().Set("Retry-After", strconv.Itoa(max(1, over.Seconds())))
	http.Error(w, over.Text, http.StatusServiceUnavailable)
	return false
}

// Upgrade accepts a WebSocket with a subprotocol of the gateway for a page of origin, and
// counts it until release is called. If conn is nil, the response has been written.
func (g *Gateway) Upgrade(w http.ResponseWriter, r *http.Request, origin, protocol string) (conn *websocket.Conn, release func()) {
	release, ok := g.sockets.Acquire(origin)
	if !ok {
		g.tooManySockets(w, access.Entry{Principal: origin, Address: access.AddressOf(r.Context()), Endpoint: r.URL.Path})
		return nil, nil
	}
	if conn = g.accept(w, r, protocol); conn == nil {
		release()
		return nil, nil
	}
	return conn, release
}

// accept is Upgrade for a WebSocket that counts once its client has authenticated itself:
// until then it is a connection of an unknown client, of which package conns closes the
// oldest, so that sockets without credentials keep no others out.
func (g *Gateway) accept(w http.ResponseWriter, r *http.Request, protocol string) *websocket.Conn {
	if !socket.WantsUpgrade(w, r) {
		return nil
	}
	// A browser reports a close code only if the server selected one of the subprotocols
	// that were requested.
	requested := strings.TrimSpace(strings.Split(r.Header.Get("Sec-WebSocket-Protocol"), ",")[0])
	conn, err := socket.Accept(w, r, protocol, requested)
	if err != nil { // Accept has responded
		return nil
	}
	conn.SetReadLimit(limits.MaxHandshake)
	access.MarkDedicated(r.Context())
	if conn.Subprotocol() != protocol {
		conn.Close(socket.CloseVersion, "unsupported version")
		return nil
	}
	return conn
}
