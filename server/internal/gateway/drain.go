package gateway

import (
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/socket"
)

// A Connected is a page that has a socket.
type Connected struct {
	Owner     access.Owner
	Via       string                                         // see Joiner
	Calls     func() int                                     // of tools, without a result yet; if 0, later ones wait for its next socket
	CloseWith func(code websocket.StatusCode, reason string) // closes its socket
}

// Connected returns all pages that have a socket.
func (g *Gateway) Connected() (pages []Connected) {
	for _, v := range g.all() {
		pages = v.appendConnected(pages)
	}
	return pages
}

func (v *views) appendConnected(pages []Connected) []Connected {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, p := range v.pages {
		if p.socket != nil {
			pages = append(pages, Connected{v.owner, p.via, p.remote.StopCalls, p.socket.CloseWith})
		}
	}
	return pages
}

// Forget removes what this process keeps of owners that another one serves now, unless it is in
// use: their views, and their sessions in any case.
func (g *Gateway) Forget(moved func(access.Owner) bool) {
	g.Sessions.Move(moved)
	for _, v := range g.all() {
		if moved(v.owner) {
			v.sweep(time.Now(), 0)
			v.removePages(func(_ string, p *page) bool { return p.socket == nil && p.joining == nil })
			g.retire(v)
		}
	}
}

// EndStreams ends subscriptions with their result, and GET streams; others that begin later
// end at once. Other requests go on.
func (g *Gateway) EndStreams() { g.endStreams() }

// Counts are numbers of all owners together, at one moment.
type Counts struct {
	Pages, Away              int // with a socket; without one
	Views, ViewsWithoutPages int // paths that are served; those of owners without a page
}

// Count returns the present numbers. It visits all owners.
func (g *Gateway) Count() (all Counts) {
	for _, v := range g.all() {
		v.addTo(&all)
	}
	return all
}

func (v *views) addTo(all *Counts) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, p := range v.pages {
		switch {
		case p.socket != nil:
			all.Pages++
		default:
			all.Away++
		}
	}
	all.Views += len(v.byPath)
	if len(v.pages) == 0 {
		all.ViewsWithoutPages += len(v.byPath)
	}
}

// RefuseOrigins closes the sockets of joined pages whose origins are not in allowed any more.
func (g *Gateway) RefuseOrigins(allowed access.OriginSet) {
	for _, s := range g.socketsOf(func(origin string) bool { return !allowed.Contains(origin) }) {
		s.CloseWith(socket.CloseRefused, "refused")
	}
}
