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

// A page is one browser tab through all its reloads: a Remote that stays mounted with or
// without a socket. It keeps its name, and so its URIs, until the name expires.
type page struct {
	name   string
	remote *engine.Remote

	// Guarded by mu of the views.
	socket  *socket.Socket // nil while the page is disconnected
	grace   *time.Timer    // runs from disconnecting until expired
	expired bool           // did not reconnect within the grace time
	hello   Hello          // of the document that joined last
	origin  string         // of that document; empty if none has joined since the gateway started
	since   time.Time      // when that document joined
	unmount func()         // from /mcp
	joining chan struct{}  // closed when the current join has ended; nil if there is none
}

// serveJoined serves a page that has joined, until its socket is closed.
func (g *Gateway) serveJoined(conn *websocket.Conn, origin string, joiner Joiner) {
	s := socket.New(conn, limits.MaxAnswer, true)
	if joiner.Sequences {
		s.AllowSequences()
	}
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

// TouchEvery is the interval at which Joiner.Touch is called while a page is joined.
const TouchEvery = 10 * time.Minute

// ms returns the time since since in milliseconds.
func ms(since time.Time) float64 { return float64(time.Since(since).Microseconds()) / 1000 }

// attach gives a page its new socket and closes the previous one: of two documents with
// the same page id, the newer one wins.
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
	v.markJoined(p, joiner.Hello, origin)
	v.gateway.monitor.PagesChanged()
	return p, nil
}

func (v *views) markJoined(p *page, hello Hello, origin string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	p.expired = false
	p.hello, p.origin, p.since = hello, origin, time.Now()
	v.updateDeclarations()
}

// lockJoin returns the page with this name, creating and mounting it if necessary. One
// join of a page runs at a time; done ends it.
func (v *views) lockJoin(name string) (p *page, done func()) {
	for {
		p, other := v.tryLockJoin(name)
		if other == nil {
			return p, func() { v.unlockJoin(p) }
		}
		<-other
	}
}

// tryLockJoin begins a join, unless another one runs: then it returns the channel that is
// closed when that ends.
func (v *views) tryLockJoin(name string) (p *page, other <-chan struct{}) {
	v.mu.Lock()
	defer v.mu.Unlock()
	p = v.pages[name]
	if p == nil {
		remote := engine.NewRemote()
		remote.Forget() // requests to a page that has never joined do not wait for it
		p = v.mount(name, remote)
	}
	if p.joining != nil {
		return nil, p.joining
	}
	p.joining = make(chan struct{})
	return p, nil
}

func (v *views) unlockJoin(p *page) {
	v.mu.Lock()
	defer v.mu.Unlock()
	close(p.joining)
	p.joining = nil
}

// mount creates a disconnected page and mounts it at /mcp and at its own endpoint. The
// caller holds the lock.
func (v *views) mount(name string, remote *engine.Remote) *page {
	p := &page{name: name, remote: remote}
	v.pages[name] = p
	p.unmount = v.byPath["/mcp"].engine.Mount(name+"+", p.remote)
	if view := v.byPath["/mcp/"+name]; view != nil {
		view.unmount = view.engine.Mount("", p.remote)
	}
	return p
}

// detach handles a closed socket. Within the grace time nothing changes for clients;
// after it the entries of the page leave the lists, while its name and subscriptions
// stay.
func (v *views) detach(p *page, s *socket.Socket) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if p.socket != s {
		return // replaced by a newer socket
	}
	p.socket = nil
	v.startGrace(p)
	v.gateway.monitor.PagesChanged()
}

// startGrace starts the grace time of a disconnected page. The caller holds the lock.
func (v *views) startGrace(p *page) {
	if p.grace != nil {
		p.grace.Stop()
	}
	p.grace = time.AfterFunc(limits.GraceTime, func() {
		if v.expire(p) {
			p.remote.Forget()
			v.gateway.Options.Log.Info("page is away", "page", p.name)
		}
	})
}

// expire ends the grace time of a page; false if it has come back.
func (v *views) expire(p *page) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if p.socket != nil {
		return false
	}
	p.expired = true
	v.updateDeclarations()
	return true
}

// MountRemembered mounts disconnected pages that may come back, so that requests for
// them wait instead of failing.
func (v *views) MountRemembered(names []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, name := range names {
		v.startGrace(v.mount(name, engine.NewRemote()))
	}
}

// SweepPages unmounts disconnected pages whose names are not in names, the remembered
// ones.
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

// A PageState describes a page at one moment. Title and URL, which the page declares,
// are truncated and have no control characters.
type PageState struct {
	Name      string
	Title     string
	Origin    string
	URL       string
	Connected bool      // has a socket
	Since     time.Time // of the last join
}

// Pages returns the pages that have joined since the gateway started.
func (v *views) Pages() []PageState {
	v.mu.Lock()
	defer v.mu.Unlock()
	states := make([]PageState, 0, len(v.pages))
	for name, p := range v.pages {
		if p.origin == "" {
			continue // has not joined since the start
		}
		states = append(states, PageState{
			Name: name, Title: engine.PlainText(p.hello.Title, 200), Origin: p.origin, URL: engine.PlainText(p.hello.URL, limits.MaxURI), // characters
			Connected: p.socket != nil, Since: p.since,
		})
	}
	return states
}

// IsConnected reports whether a page has a socket and no join of it is in progress.
func (v *views) IsConnected(name string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	p := v.pages[name]
	return p != nil && p.socket != nil && p.joining == nil
}

// ExpireGrace ends the grace time of a disconnected page at once.
func (v *views) ExpireGrace(name string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if p := v.pages[name]; p != nil && p.socket == nil && p.grace != nil {
		p.grace.Reset(0)
	}
}
