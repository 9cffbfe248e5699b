package server

import (
	"context"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A page is one tab, through all its reloads: a Remote that stays mounted, with a
// socket or without one. It keeps its name, and so its URIs, until nobody has
// seen it for a day.
type page struct {
	name   string
	remote *engine.Remote

	// Guarded by the gateway's mu.
	socket  *socket       // nil: away
	grace   *time.Timer   // runs while it is away and may still be back at once
	gone    bool          // it was not back in time
	hello   hello         // of the last one that joined
	origin  string        // of that; empty: none has yet
	since   time.Time     // when that was
	unmount func()        // at /mcp
	entered chan struct{} // closed when the join that runs is over; nil: none runs
}

// host keeps a page that has joined, until its socket is gone.
func (g *Gateway) host(conn *websocket.Conn, origin string, who joiner) {
	s := newSocket(conn, maxAnswer, true)
	if !g.track(s) {
		return
	}
	defer g.untrack(s)
	begun := time.Now()
	p, err := g.attach(who, origin, s)
	if err != nil {
		g.report(err)
		g.audit.note(entry{Who: origin, Door: "/page", Verb: "join", URI: who.name, Outcome: "error", Ms: ms(begun)})
		s.Close()
		<-s.gone()
		return
	}
	go s.keepAlive(true) // ends with the socket
	g.audit.note(entry{Who: origin, Client: plain(who.hello.Title, 200), Door: "/page", Verb: "join", URI: who.name, Outcome: "ok", Ms: ms(begun)})
	g.say("%s joined (%s)", who.name, origin)
	g.sessions.pageJoined()
	stillUsed := time.NewTicker(saveKeys)
	defer stillUsed.Stop()
	for {
		select {
		case <-stillUsed.C:
			g.keys.touch(who.keyID)
			continue
		case <-s.gone():
		}
		break
	}
	g.keys.touch(who.keyID)
	g.left(p, s)
	g.audit.note(entry{Who: origin, Door: "/page", Verb: "leave", URI: who.name, Outcome: "ok", Ms: ms(begun)})
}

func ms(since time.Time) float64 { return float64(time.Since(since).Microseconds()) / 1000 }

// attach gives the page of a joiner its new socket. The one it still has is
// closed: of two documents with one page id the newer hello wins.
func (g *Gateway) attach(who joiner, origin string, s *socket) (*page, error) {
	p, done := g.enter(who.name)
	defer done()
	g.mu.Lock()
	old := p.socket
	p.socket = s
	if p.grace != nil {
		p.grace.Stop()
	}
	g.mu.Unlock()
	if old != nil {
		old.closeWith(closeReplaced, "replaced")
	}
	ctx, cancel := context.WithTimeout(s.ctx, attachTime)
	defer cancel()
	if err := p.remote.Reattach(ctx, s); err != nil {
		g.left(p, s)
		return nil, err
	}
	g.mu.Lock()
	p.gone = false
	p.hello, p.origin, p.since = who.hello, origin, time.Now()
	g.declare()
	g.mu.Unlock()
	g.watchers.changed()
	return p, nil
}

// enter returns the page called name, made and mounted if it is new, for one
// join at a time.
func (g *Gateway) enter(name string) (p *page, done func()) {
	for {
		g.mu.Lock()
		p = g.pages[name]
		if p == nil {
			stranger := engine.NewRemote()
			stranger.Forget() // nobody waits for a page that was never here
			p = g.mount(name, stranger)
		}
		before := p.entered
		if before == nil {
			p.entered = make(chan struct{})
			g.mu.Unlock()
			return p, func() {
				g.mu.Lock()
				close(p.entered)
				p.entered = nil
				g.mu.Unlock()
			}
		}
		g.mu.Unlock()
		<-before
	}
}

// mount makes a page that is away, and mounts it wherever it belongs. The lock is
// held.
func (g *Gateway) mount(name string, remote *engine.Remote) *page {
	p := &page{name: name, remote: remote}
	g.pages[name] = p
	p.unmount = g.endpoints["/mcp"].engine.Mount(name+"+", p.remote)
	if own := g.endpoints["/mcp/"+name]; own != nil {
		own.unmount = own.engine.Mount("", p.remote)
	}
	return p
}

// left takes note that a socket is gone. Within the grace time nobody notices;
// after it the page's entries leave the lists, and its name and subscriptions
// stay.
func (g *Gateway) left(p *page, s *socket) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if p.socket != s {
		return // replaced: the page is here
	}
	p.socket = nil
	g.await(p)
	g.watchers.changed()
}

// await gives a page that is away the grace time. The lock is held.
func (g *Gateway) await(p *page) {
	if p.grace != nil {
		p.grace.Stop()
	}
	p.grace = time.AfterFunc(graceTime, func() {
		g.mu.Lock()
		away := p.socket == nil
		if away {
			p.gone = true
			g.declare()
		}
		g.mu.Unlock()
		if away {
			p.remote.Forget()
			g.say("%s is away", p.name)
		}
	})
}

// sweepPages takes out pages whose names are forgotten.
func (g *Gateway) sweepPages() {
	remembered := map[string]bool{}
	for _, name := range g.names.remembered() {
		remembered[name] = true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for name, p := range g.pages {
		if p.socket != nil || p.entered != nil || remembered[name] {
			continue
		}
		p.unmount()
		if own := g.endpoints["/mcp/"+name]; own != nil && own.unmount != nil {
			own.unmount()
			own.unmount = nil
		}
		if p.grace != nil {
			p.grace.Stop()
		}
		p.remote.Close()
		delete(g.pages, name)
		g.watchers.forget(name)
	}
	g.declare()
	g.watchers.changed()
}
