package gateway

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/remote"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/plain"
)

// A page is one browser tab through all its reloads: a Remote that stays mounted with or
// without a socket. It keeps its name, and so its URIs, until the name expires.
type page struct {
	name   string
	remote *remote.Remote

	// Guarded by mu of the views.
	socket  *socket.Socket // nil while the page is disconnected
	grace   *time.Timer    // runs from disconnecting until expired
	expired bool           // did not reconnect within the grace time
	left    time.Time      // when the grace time ended
	hello   Hello          // of the document that joined last
	profile string         // likewise
	origin  string         // of that document; empty if none has joined since the gateway started
	since   time.Time      // when that document joined
	unmount func()         // from /mcp; nil while that view does not exist
	joining chan struct{}  // closed when the current join has ended; nil if there is none
	via     string         // Joiner.Via of socket
}

// attach gives a page its new socket and closes the previous one: of two documents with
// the same page id, the newer one wins. The page is welcomed once it is mounted and its
// requests wait for it: whatever it causes after that finds it.
func (v *views) attach(joiner Joiner, origin string, s *socket.Socket, welcome func(context.Context) error) (*page, error) {
	p, done := v.lockJoin(joiner.Name)
	if p == nil {
		return nil, errRetired
	}
	defer done()
	defer p.remote.Arrives()() // the page knows that it has joined when it is welcomed
	v.mu.Lock()
	old := p.socket
	p.socket, p.via = s, joiner.Via
	if p.grace != nil {
		p.grace.Stop()
	}
	v.mu.Unlock()
	if old != nil {
		old.CloseWith(socket.CloseReplaced, "replaced")
	}
	ctx, cancel := context.WithTimeout(s.Context(), limits.AttachTime)
	defer cancel()
	if err := welcome(ctx); err != nil {
		v.detach(p, s)
		return nil, err
	}
	moved := func(title, url string) { v.moved(p, s, title, url) }
	if err := p.remote.Reattach(ctx, &pagePort{s, joiner.Credential, moved}); err != nil {
		v.detach(p, s)
		return nil, err
	}
	v.markJoined(p, &joiner, origin)
	v.gateway.monitor.PagesChanged()
	return p, nil
}

func (v *views) markJoined(p *page, joiner *Joiner, origin string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	p.expired = false
	p.hello, p.profile, p.origin, p.since = joiner.Hello, joiner.Profile, origin, time.Now()
	if v.arrived != nil {
		close(v.arrived)
		v.arrived = nil
	}
	v.updateDeclarations()
}

// moved is called when the document on a socket has another title or URL.
func (v *views) moved(p *page, s *socket.Socket, title, url string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if p.socket == s {
		p.hello.Title, p.hello.URL = plain.Text(title, 200), plain.Text(url, limits.MaxURI)
		v.gateway.monitor.PagesChanged()
	}
}

// errRetired is the error of views that were removed: their owner has new ones.
var errRetired = errors.New("the views were removed")

// attach attaches a page to the views of its owner.
func (g *Gateway) attach(joiner Joiner, origin string, s *socket.Socket, welcome func(context.Context) error) (v *views, p *page, err error) {
	for {
		v = g.Views(joiner.Owner)
		if p, err = v.attach(joiner, origin, s, welcome); !errors.Is(err, errRetired) {
			return v, p, err
		}
	}
}

// lockJoin returns the page with this name, creating and mounting it if necessary. One
// join of a page runs at a time; done ends it. The page is nil if the views were removed.
func (v *views) lockJoin(name string) (p *page, done func()) {
	for {
		p, other := v.tryLockJoin(name)
		if other == nil {
			return p, func() { v.unlockJoin(p) } // not called for nil
		}
		<-other
	}
}

// tryLockJoin begins a join, unless another one runs: then it returns the channel that is
// closed when that ends.
func (v *views) tryLockJoin(name string) (p *page, other <-chan struct{}) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.retired {
		return nil, nil
	}
	p = v.pages[name]
	if p == nil {
		r := remote.New()
		if !v.gateway.Options.OnDemand {
			r.Forget() // requests to a page that has never joined do not wait for it
		} // else it may have been joined before, at another node or another time
		p = v.mount(name, r)
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
func (v *views) mount(name string, r *remote.Remote) *page {
	p := &page{name: name, remote: r}
	r.MirrorIn(v.mirror)
	r.OnInput(func() engine.InputPolicy { return v.inputPolicy(p) })
	r.OnOthers(func() []*remote.Remote { return v.otherTabs(r) })
	v.pages[name] = p
	v.mountPage(p)
	if view := v.byPath["/mcp/"+name]; view != nil {
		view.unmount = view.engine.Mount("", p.remote)
	}
	return p
}

// mountPage mounts a page at /mcp, if that view exists. The caller holds the lock.
func (v *views) mountPage(p *page) {
	if all := v.byPath["/mcp"]; all != nil {
		p.unmount = all.engine.Mount(p.name+"+", p.remote)
	}
}

// unmountPage undoes mountPage. The caller holds the lock.
func (p *page) unmountPage() {
	if p.unmount != nil {
		p.unmount()
		p.unmount = nil
	}
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

// expire ends the grace time of a page. It returns false if the page has come back.
func (v *views) expire(p *page) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if p.socket != nil {
		return false
	}
	p.expired, p.left = true, time.Now()
	v.updateDeclarations()
	return true
}

// MountRemembered mounts disconnected pages that may come back, so that requests for
// them wait instead of failing.
func (v *views) MountRemembered(names []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, name := range names {
		v.startGrace(v.mount(name, remote.New()))
	}
}

// SweepPages unmounts disconnected pages whose names are not in names, the remembered
// ones.
func (v *views) SweepPages(names []string) {
	remembered := map[string]bool{}
	for _, name := range names {
		remembered[name] = true
	}
	v.removePages(func(name string, p *page) bool {
		return p.socket == nil && p.joining == nil && !remembered[name]
	})
}

// RemovePages unmounts pages by name, connected or not: requests to them fail from now on. Their sockets stay open, see CloseOrigins.
func (v *views) RemovePages(names []string) {
	v.removePages(func(name string, _ *page) bool { return slices.Contains(names, name) })
}

func (v *views) removePages(selects func(name string, p *page) bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for name, p := range v.pages {
		if !selects(name, p) {
			continue
		}
		p.unmountPage()
		if view := v.byPath["/mcp/"+name]; view != nil && view.unmount != nil {
			view.unmount()
			view.unmount = nil
		}
		if p.grace != nil {
			p.grace.Stop()
		}
		p.socket = nil // detach does nothing when it closes
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
			Name: name, Title: plain.Text(p.hello.Title, 200), Origin: p.origin, URL: plain.Text(p.hello.URL, limits.MaxURI), // characters
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

// tabsOfApps has, for each page of an app, all pages of the same app, origin and browser profile. It never changes, so that it is read
// without a lock: engines ask while they hold theirs.
type tabsOfApps map[*remote.Remote][]*remote.Remote

// updateTabs renews what otherTabs answers. The caller holds the lock.
func (v *views) updateTabs() {
	byApp := map[[3]string][]*remote.Remote{}
	for _, p := range v.pages {
		if p.profile != "" { // else nobody knows which tabs have the decisions of one user
			app := [3]string{p.origin, p.hello.Name, p.profile}
			byApp[app] = append(byApp[app], p.remote)
		}
	}
	tabs := tabsOfApps{}
	for _, all := range byApp {
		for _, r := range all {
			tabs[r] = all
		}
	}
	v.tabs.Store(&tabs)
}

// otherTabs returns the Remotes of the other tabs of the app, which have the decisions of the same user.
func (v *views) otherTabs(own *remote.Remote) []*remote.Remote {
	all := (*v.tabs.Load())[own]
	return slices.DeleteFunc(slices.Clone(all), func(r *remote.Remote) bool { return r == own })
}
