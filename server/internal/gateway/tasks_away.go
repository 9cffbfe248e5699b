package gateway

import (
	"context"
	"slices"
	"strings"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/remote"
)

// awayTasks is mounted at /mcp, with an empty name, and at /mcp/{page}. It waits for pages that this
// process does not know yet: it was started after their tasks, or another node has them.
type awayTasks struct {
	views *views
	name  string
}

// List implements engine.Source: there are no items.
func (a awayTasks) List(context.Context, engine.Kind, string) (engine.Listing, error) {
	return engine.Listing{}, nil
}

// Read implements engine.Source.
func (a awayTasks) Read(context.Context, string) ([]engine.Contents, error) {
	return nil, engine.ErrNotFound
}

// page returns the Remote of the page of a task, and the prefix that its ids have here.
func (a awayTasks) page(ctx context.Context, id string) (r *remote.Remote, prefix string, err error) {
	name := a.name
	if name == "" {
		var ok bool
		if name, _, ok = strings.Cut(id, "."); !ok || !access.ValidName(name) {
			return nil, "", engine.ErrNotFound
		}
		prefix = name + "."
	}
	if _, err := engine.InterruptedTask(id, engine.PrincipalOf(ctx)); err != nil {
		return nil, "", err // before the wait for a page that another node may have
	}
	if a.views.remote(name) != nil {
		return nil, "", engine.ErrNotFound // it has answered
	}
	if r = a.views.await(ctx, name); r == nil {
		return nil, "", engine.NotSent(engine.ErrAway)
	}
	return r, prefix, nil
}

// Task implements engine.Tasker.
func (a awayTasks) Task(ctx context.Context, id string) (engine.TaskState, error) {
	r, prefix, err := a.page(ctx, id)
	if err != nil {
		return engine.TaskState{}, err
	}
	s, err := r.Task(ctx, id[len(prefix):])
	s.ID = prefix + s.ID
	return s, err
}

// UpdateTask implements engine.Tasker.
func (a awayTasks) UpdateTask(ctx context.Context, id string) error {
	r, prefix, err := a.page(ctx, id)
	if err != nil {
		return err
	}
	return r.UpdateTask(ctx, id[len(prefix):])
}

// CancelTask implements engine.Tasker.
func (a awayTasks) CancelTask(ctx context.Context, id string) error {
	r, prefix, err := a.page(ctx, id)
	if err != nil {
		return err
	}
	return r.CancelTask(ctx, id[len(prefix):])
}

// MayBeOf implements engine.Tasker.
func (a awayTasks) MayBeOf(who engine.Principal, id string) bool {
	_, err := engine.InterruptedTask(id, who)
	return err == nil
}

// LastTask implements engine.Tasker: the Remote of the page has it, once there is one.
func (a awayTasks) LastTask(string) (engine.TaskState, bool) { return engine.TaskState{}, false }

// tabsOfApps has, for each page of an app, all pages of the same app, origin and browser profile. It never changes, so that it is read
// without a lock: engines ask while they hold theirs.
type tabsOfApps map[*remote.Remote][]*remote.Remote

// updateTabs renews what otherTabs answers. The caller holds the lock.
func (v *views) updateTabs() {
	byApp := map[[3]string][]*remote.Remote{}
	for _, p := range v.pages {
		if p.origin != "" {
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
