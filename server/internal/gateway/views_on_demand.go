package gateway

import (
	"context"
	"slices"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/remote"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/task"
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
	if len(v.pages)+len(v.byPath) == 0 && !v.closed {
		v.retired = true
		delete(g.owners, v.owner)
	}
}

// awayPages is mounted at /mcp behind all pages. It answers for those that have not joined:
// a name does not tell whether the page exists and is away, or never existed.
type awayPages struct{}

// List implements engine.Source: there are no items.
func (awayPages) List(context.Context, engine.Kind, string) (engine.Listing, error) {
	return engine.Listing{}, nil
}

// Read implements engine.Source.
func (awayPages) Read(_ context.Context, uri string) ([]engine.Contents, error) {
	if access.PageOfURI(uri) == "" {
		return nil, engine.ErrNotFound
	}
	return nil, engine.ErrAway
}

// awayTasks is mounted at /mcp, and with the name of the page at /mcp/{page}. It answers for tasks of pages that this
// process does not know: it was started after them. Their pages may come back, so that they have not ended.
type awayTasks struct {
	awayPages
	views *views
	name  string
}

// Read implements engine.Source.
func (awayTasks) Read(context.Context, string) ([]engine.Contents, error) {
	return nil, engine.ErrNotFound
}

// IsGuarded implements engine.Guarded: it stands for other engines.
func (awayTasks) IsGuarded() {}

// Task implements task.Source.
func (a awayTasks) Task(ctx context.Context, id string) (task.State, error) {
	if _, err := task.Interrupted(id, engine.PrincipalOf(ctx)); err != nil {
		return task.State{}, err
	}
	name := a.name
	if name == "" {
		name, _, _ = access.CutName(id)
	}
	a.views.mu.Lock()
	defer a.views.mu.Unlock()
	if !access.ValidName(name) || a.views.pages[name] != nil {
		return task.State{}, engine.ErrNotFound // the page has answered
	}
	return task.State{}, engine.NotSent(engine.ErrAway)
}

// UpdateTask implements task.Source.
func (a awayTasks) UpdateTask(ctx context.Context, id string) error {
	_, err := a.Task(ctx, id)
	return err
}

// CancelTask implements task.Source.
func (a awayTasks) CancelTask(ctx context.Context, id string) error {
	_, err := a.Task(ctx, id)
	return err
}

// MayBeOf implements task.Source.
func (a awayTasks) MayBeOf(who engine.Principal, id string) bool {
	_, err := task.Interrupted(id, who)
	return err == nil
}

// LastTask implements task.Source: the Remote of the page has it, once there is one.
func (awayTasks) LastTask(engine.Principal, string) (task.State, bool) { return task.State{}, false }

// await mounts a page that is not known, if it may be on its way from another node: requests wait
// for it as for one that reloads, for the grace time.
func (g *Gateway) await(owner access.Owner, name string) {
	if !g.Options.Unsettled() {
		return
	}
	v := g.Views(owner)
	v.mu.Lock()
	defer v.mu.Unlock()
	p := v.pages[name]
	switch {
	case p == nil && !v.retired && !v.closed && len(v.pages) < maxAway:
		p = v.mount(name, remote.New())
	case p != nil && p.expired && p.socket == nil:
		p.expired = false
		p.remote.Expect()
	default:
		return
	}
	v.startGrace(p)
}

// firstPageTime is how long the first request of an owner waits for a page that may be on its way
// from another node: lists would be empty otherwise.
const firstPageTime = 3 * time.Second

// awaitPages waits for the first page of an owner who has none here, and no view, if pages may be on
// their way from another node.
func (v *views) awaitPages() {
	if v.gateway.Options.Unsettled == nil || !v.gateway.Options.Unsettled() {
		return
	}
	if arrived := v.firstArrival(); arrived != nil {
		late := time.NewTimer(firstPageTime)
		defer late.Stop()
		select {
		case <-arrived:
		case <-late.C:
		}
	}
}

// firstArrival returns what is closed when the next page has joined; nil if there is one, or a view.
func (v *views) firstArrival() <-chan struct{} {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.byPath) > 0 {
		return nil
	}
	for _, p := range v.pages {
		if p.socket != nil {
			return nil
		}
	}
	if v.arrived == nil {
		v.arrived = make(chan struct{})
	}
	return v.arrived
}
