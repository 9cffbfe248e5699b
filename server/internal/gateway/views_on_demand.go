package gateway

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/remote"
)

// Views of many owners exist while they are used: an idle page costs its socket and its
// Remote, and an owner without pages and views costs nothing.

const (
	// maxAway is the number of pages of one owner that are away and not forgotten: a view
	// that is in use keeps their subscriptions.
	maxAway = 64

	// evictEvery is the time between two searches for idle views when there are too many:
	// each one visits all owners.
	evictEvery = time.Second
)

// makeRoom reports whether one more view may be made. If there are too many, it first
// removes the idle ones, at most once in evictEvery.
func (g *Gateway) makeRoom() bool {
	most := int64(g.Options.MaxViews)
	if most == 0 || g.views.Load() < most {
		return true
	}
	if g.mayEvict(time.Now()) {
		g.sweepViews(time.Now(), 0)
	}
	return g.views.Load() < most
}

func (g *Gateway) mayEvict(now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now.Sub(g.evicted) < evictEvery {
		return false
	}
	g.evicted = now
	return true
}

// CloseIdleViews removes all views that are not in use now, as when memory is short.
func (g *Gateway) CloseIdleViews() { g.sweepViews(time.Now(), 0) }

// RelieveMemory closes what nothing needs now: conversations of idle sessions, then views.
func (g *Gateway) RelieveMemory() {
	g.Sessions.Rest()
	g.CloseIdleViews()
}

// sweepViews removes views that have been unused for idle, and what is not needed without
// them.
func (g *Gateway) sweepViews(now time.Time, idle time.Duration) {
	for _, v := range g.all() {
		v.sweep(now, idle)
		if g.Options.OnDemand {
			v.forgetAway()
			g.retire(v)
		}
	}
}

// forgetAway removes pages that are away: all of them if there is no view, else those that
// have left first.
func (v *views) forgetAway() {
	away := v.away()
	if len(away) == 0 {
		return
	}
	v.removePages(func(name string, p *page) bool {
		return p.expired && p.socket == nil && p.joining == nil && slices.Contains(away, name)
	})
}

// away returns the names of the pages that forgetAway removes.
func (v *views) away() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	var away []*page
	for _, p := range v.pages {
		if p.expired && p.socket == nil && p.joining == nil {
			away = append(away, p)
		}
	}
	slices.SortFunc(away, func(a, b *page) int { return a.left.Compare(b.left) })
	if len(v.byPath) > 0 {
		away = away[:max(0, len(away)-maxAway)]
	}
	names := make([]string, len(away))
	for i, p := range away {
		names[i] = p.name
	}
	return names
}

// retire removes the views of an owner who has neither pages nor views. A request or page
// that has got v before finds that out, and takes the new ones.
func (g *Gateway) retire(v *views) {
	g.mu.Lock()
	defer g.mu.Unlock()
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.pages)+len(v.byPath)+len(v.sources) == 0 && !v.closed {
		v.retired = true
		delete(g.owners, v.owner)
	}
}

// awayPages is mounted at /mcp behind all pages. It answers for those that have not joined:
// a name does not tell whether the page exists and is away, or never existed.
type awayPages struct{ views *views }

// List implements engine.Source: there are no items.
func (a awayPages) List(context.Context, engine.Kind, string) (engine.Listing, error) {
	return engine.Listing{}, nil
}

// Read implements engine.Source.
func (a awayPages) Read(ctx context.Context, uri string) ([]engine.Contents, error) {
	name, own, ok := strings.Cut(uri, "+")
	if !ok || !access.ValidName(name) {
		return nil, engine.ErrNotFound
	}
	// Also a page that is there now: it may have come after the engine has looked for it.
	remote := a.views.await(ctx, name)
	if remote == nil {
		return nil, engine.ErrAway
	}
	contents, err := remote.Read(ctx, own)
	for i := range contents {
		contents[i].URI = name + "+" + contents[i].URI
	}
	return contents, err
}

// awayPage is mounted at /mcp/{page} behind the page.
type awayPage struct {
	views *views
	name  string
}

// List implements engine.Source: there are no items.
func (a awayPage) List(context.Context, engine.Kind, string) (engine.Listing, error) {
	return engine.Listing{}, nil
}

// Read implements engine.Source.
func (a awayPage) Read(ctx context.Context, uri string) ([]engine.Contents, error) {
	remote, err := a.views.awaitOrAway(ctx, a.name)
	if err != nil {
		return nil, err
	}
	return remote.Read(ctx, uri)
}

// await waits for a page that is not known, for the grace time of the request, if pages may be
// on their way from another node. It returns nil if the page does not come.
func (v *views) await(ctx context.Context, name string) *remote.Remote {
	if remote := v.remote(name); remote != nil {
		return remote
	}
	if !v.gateway.isUnsettled() {
		return nil
	}
	ctx, cancel := context.WithDeadline(ctx, engine.InvocationOf(ctx).WaitUntil())
	defer cancel()
	for {
		remote, arrived := v.remoteOrArrival(name)
		if remote != nil {
			return remote
		}
		select {
		case <-arrived:
		case <-ctx.Done():
			return nil
		}
	}
}

// remote returns the Remote of a page, or nil if there is no such page.
func (v *views) remote(name string) *remote.Remote {
	v.mu.Lock()
	defer v.mu.Unlock()
	if p := v.pages[name]; p != nil {
		return p.remote
	}
	return nil
}

func (v *views) remoteOrArrival(name string) (*remote.Remote, <-chan struct{}) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if p := v.pages[name]; p != nil {
		return p.remote, nil
	}
	if v.arrived == nil {
		v.arrived = make(chan struct{})
	}
	return nil, v.arrived
}
