package gateway

import (
	"bytes"
	"context"
	"net/netip"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"github.com/pagemcp/pagemcp/wasm/plain"
)

// serveJoined serves a page that has joined. It returns when the page is attached, and
// calls leave when its socket is closed.
func (g *Gateway) serveJoined(conn *websocket.Conn, origin string, address netip.Addr, joiner Joiner, leave func()) {
	s := socket.New(conn, limits.MaxAnswer, true)
	if joiner.Sequences {
		s.AllowSequences()
	}
	if !g.Track(s, origin) {
		context.AfterFunc(s.Context(), leave)
		return
	}
	j := &joined{gateway: g, joiner: joiner, origin: origin, address: address, socket: s, leave: leave, began: time.Now()}
	if !joiner.Valid() { // revoked before it was tracked: CloseOrigins has not closed it
		s.CloseWith(socket.CloseRefused, "revoked")
	} else {
		j.attach(conn)
	}
	context.AfterFunc(s.Context(), j.end)
}

// A joined is the socket of a page from its join to its end. It has no goroutine of its own.
type joined struct {
	gateway *Gateway
	joiner  Joiner
	origin  string
	address netip.Addr
	socket  *socket.Socket
	leave   func()
	began   time.Time

	views *views // nil if the page was not attached
	page  *page

	mu    sync.Mutex
	touch *time.Timer // nil if the joiner has no Touch; calls it
}

// attach connects the socket with the views of the page's owner.
func (j *joined) attach(conn *websocket.Conn) {
	g, s := j.gateway, j.socket
	if j.joiner.Joined != nil {
		j.joiner.Joined(s.CloseWith)
	}
	v, p, err := g.attach(j.joiner, j.origin, s, func(ctx context.Context) error {
		return conn.Write(ctx, websocket.MessageText, j.joiner.Welcome) // the socket has sent nothing
	})
	if err != nil {
		outcome := "error"
		if s.Context().Err() != nil {
			outcome = "closed" // by the page, as a tab that is closed while it joins
		}
		if outcome == "error" {
			g.logError(err)
		}
		j.audit("join", outcome, "")
		s.CloseWith(websocket.StatusNormalClosure, "")
		return
	}
	j.views, j.page = v, p
	s.KeepAlive(p.remote.Silent)
	j.audit("join", "ok", plain.Text(j.joiner.Hello.Title, 200))
	g.Options.Log.Info("page joined", "page", j.joiner.Name, "origin", j.origin)
	if j.joiner.Touch != nil {
		j.startTouching()
	}
}

// end is called when the socket is closed.
func (j *joined) end() {
	defer j.gateway.Untrack(j.socket)
	defer j.leave()
	if j.page == nil {
		return
	}
	if j.joiner.Touch != nil {
		j.joiner.Touch()
	}
	j.views.detach(j.page, j.socket)
	j.audit("leave", "ok", "")
}

func (j *joined) audit(verb, outcome, title string) {
	j.gateway.Gate.Audit.Record(access.Entry{
		Principal: j.origin, Address: j.address, Owner: j.joiner.Owner, Client: title, Endpoint: access.PagePath, Verb: verb, URI: j.joiner.Name, Outcome: outcome, Ms: ms(j.began),
	})
}

func (j *joined) startTouching() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.touch = time.AfterFunc(TouchEvery, j.touched)
}

// touched calls Touch, and again after TouchEvery, until the socket is closed.
func (j *joined) touched() {
	if j.socket.Context().Err() != nil {
		return
	}
	j.joiner.Touch()
	j.mu.Lock()
	defer j.mu.Unlock()
	j.touch.Reset(TouchEvery)
}

// TouchEvery is the interval at which Joiner.Touch is called while a page is joined.
const TouchEvery = 10 * time.Minute

// ms returns the time since since in milliseconds.
func ms(since time.Time) float64 { return float64(time.Since(since).Microseconds()) / 1000 }

// A pagePort takes the frames that are for the gateway itself out of the messages of a page.
type pagePort struct {
	jsonrpc.Port
	credential func(frame []byte) // may be nil
	moved      func(title, url string)
}

// frameStart begins a frame for the gateway. No message of JSON-RPC has this member.
const frameStart = `{"pagemcp":`

// Read implements jsonrpc.Port.
func (p *pagePort) Read(ctx context.Context) ([]byte, error) {
	for {
		msg, err := p.Port.Read(ctx)
		if err != nil || !bytes.HasPrefix(msg, []byte(frameStart)) {
			return msg, err
		}
		if place := jsonrpc.Member(msg, "page"); place != nil {
			title, _ := jsonrpc.Text(jsonrpc.Member(place, "title"))
			url, _ := jsonrpc.Text(jsonrpc.Member(place, "url"))
			p.moved(title, url)
		} else if p.credential != nil {
			p.credential(msg)
		} else {
			return msg, nil
		}
	}
}
