package gateway

import (
	"context"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A page is one tab, through all its reloads: a Remote that stays mounted, with a
// socket or without one. It keeps its name, and so its URIs, until nobody has
// seen it for a day.
type page struct {
	name   string
	remote *engine.Remote

	// Guarded by mu of the views.
	socket  *socket.Socket // nil: away
	grace   *time.Timer    // runs while it is away and may still be back at once
	expired bool           // it was not back in time
	hello   Hello          // of the last one that joined
	origin  string         // of that; empty: none has yet
	since   time.Time      // when that was
	unmount func()         // at /mcp
	joining chan struct{}  // closed when the join that runs is over; nil: none runs
}

// host keeps a page that has joined, until its socket is gone.
func (g *Gateway) serveJoined(conn *websocket.Conn, origin string, joiner Joiner) {
	s := socket.New(conn, limits.MaxAnswer, true)
	if !g.Track(s) {
		return
	}
	defer g.Untrack(s)
	joined := time.Now()
	v, audit := g.Views(joiner.owner), g.Gate.Audit
	p, err := v.attach(joiner, origin, s)
	if err != nil {
		g.logError(err)
		audit.Record(access.Entry{Principal: origin, Endpoint: access.PagePath, Verb: "join", URI: joiner.Name, Outcome: "error", Ms: ms(joined)})
		s.Close()
		<-s.Done()
		return
	}
	go s.KeepAlive(true) // ends with the socket
	audit.Record(access.Entry{Principal: origin, Client: engine.PlainText(joiner.Hello.Title, 200), Endpoint: access.PagePath, Verb: "join", URI: joiner.Name, Outcome: "ok", Ms: ms(joined)})
	g.Options.Log.Info("page joined", "page", joiner.Name, "origin", origin)
	g.Sessions.PageJoined(joiner.owner)
	touch := time.NewTicker(TouchEvery)
	defer touch.Stop()
	for {
		select {
		case <-touch.C:
			joiner.Touch()
			continue
		case <-s.Done():
		}
		break
	}
	joiner.Touch()
	v.detach(p, s)
	audit.Record(access.Entry{Principal: origin, Endpoint: access.PagePath, Verb: "leave", URI: joiner.Name, Outcome: "ok", Ms: ms(joined)})
}

// TouchEvery is how often a page that stays joined says that its credentials are in use.
const TouchEvery = 10 * time.Minute

func ms(since time.Time) float64 { return float64(time.Since(since).Microseconds()) / 1000 }

// attach gives the page of a joiner its new socket. The one it still has is
// closed: of two documents with one page id the newer hello wins.
func (v *views) attach(joiner Joiner, origin string, s *socket.Socket) (*page, error) {
	p, done := v.lockJoin(joiner.Name)
	defer done()
	v.mu.Lock()
	old := p.socket
	p.socket = s
	if p.grace != nil {
		p.grace.Stop()
	}
	v.mu.Unlock()
	if old != nil {
		old.CloseWith(socket.CloseReplaced, "replaced")
	}
	ctx, cancel := context.WithTimeout(s.Context(), limits.AttachTime)
	defer cancel()
	if err := p.remote.Reattach(ctx, s); err != nil {
		v.detach(p, s)
		return nil, err
	}
	v.mu.Lock()
	p.expired = false
	p.hello, p.origin, p.since = joiner.Hello, origin, time.Now()
	v.updateDeclarations()
	v.mu.Unlock()
	v.gateway.monitor.PagesChanged()
	return p, nil
}

// enter returns the page called name, made and mounted if it is new, for one
// join at a time.
func (v *views) lockJoin(name string) (p *page, done func()) {
	for {
		v.mu.Lock()
		p = v.pages[name]
		if p == nil {
			remote := engine.NewRemote()
			remote.Forget() // nobody waits for a page that was never here
			p = v.mount(name, remote)
		}
		before := p.joining
		if before == nil {
			p.joining = make(chan struct{})
			v.mu.Unlock()
			return p, func() {
				v.mu.Lock()
				close(p.joining)
				p.joining = nil
				v.mu.Unlock()
			}
		}
		v.mu.Unlock()
		<-before
	}
}

// mount makes a page that is away, and mounts it wherever it belongs. The lock is
// held.
func (v *views) mount(name string, remote *engine.Remote) *page {
	p := &page{name: name, remote: remote}
	v.pages[name] = p
	p.unmount = v.byPath["/mcp"].engine.Mount(name+"+", p.remote)
	if view := v.byPath["/mcp/"+name]; view != nil {
		view.unmount = view.engine.Mount("", p.remote)
	}
	return p
}

// left takes note that a socket is gone. Within the grace time nobody notices;
// after it the page's entries leave the lists, and its name and subscriptions
// stay.
func (v *views) detach(p *page, s *socket.Socket) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if p.socket != s {
		return // replaced: the page is here
	}
	p.socket = nil
	v.startGrace(p)
	v.gateway.monitor.PagesChanged()
}

// await gives a page that is away the grace time. The lock is held.
func (v *views) startGrace(p *page) {
	if p.grace != nil {
		p.grace.Stop()
	}
	p.grace = time.AfterFunc(limits.GraceTime, func() {
		v.mu.Lock()
		away := p.socket == nil
		if away {
			p.expired = true
			v.updateDeclarations()
		}
		v.mu.Unlock()
		if away {
			p.remote.Forget()
			v.gateway.Options.Log.Info("page is away", "page", p.name)
		}
	})
}

// Expect mounts pages that are away and may come back: assistants can ask before that.
func (v *views) MountRemembered(names []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, name := range names {
		v.startGrace(v.mount(name, engine.NewRemote()))
	}
}

// SweepPages takes out pages that are away and whose names are not remembered.
func (v *views) SweepPages(names []string) {
	remembered := map[string]bool{}
	for _, name := range names {
		remembered[name] = true
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for name, p := range v.pages {
		if p.socket != nil || p.joining != nil || remembered[name] {
			continue
		}
		p.unmount()
		if view := v.byPath["/mcp/"+name]; view != nil && view.unmount != nil {
			view.unmount()
			view.unmount = nil
		}
		if p.grace != nil {
			p.grace.Stop()
		}
		p.remote.Close()
		delete(v.pages, name)
		v.gateway.monitor.Forget(name)
	}
	v.updateDeclarations()
	v.gateway.monitor.PagesChanged()
}

// A PageState is a page at one moment. What the page says of itself is cut and has no
// control characters.
type PageState struct {
	Name      string
	Title     string
	Origin    string
	URL       string
	Connected bool      // it has a socket
	Since     time.Time // when it joined last
}

// States returns the pages that are here, and those that were since the gateway began.
func (v *views) Pages() []PageState {
	v.mu.Lock()
	defer v.mu.Unlock()
	states := make([]PageState, 0, len(v.pages))
	for name, p := range v.pages {
		if p.origin == "" {
			continue // remembered from before, and not here since
		}
		states = append(states, PageState{
			Name: name, Title: engine.PlainText(p.hello.Title, 200), Origin: p.origin, URL: engine.PlainText(p.hello.URL, limits.MaxURI), // characters
			Connected: p.socket != nil, Since: p.since,
		})
	}
	return states
}

// IsHere tells whether a page has a socket, and no join of it is under way.
func (v *views) IsConnected(name string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	p := v.pages[name]
	return p != nil && p.socket != nil && p.joining == nil
}

// EndGrace gives up at once a page that is away, as if the grace time were over.
func (v *views) ExpireGrace(name string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if p := v.pages[name]; p != nil && p.socket == nil && p.grace != nil {
		p.grace.Reset(0)
	}
}
