package gateway

import (
	"context"
	"errors"
	"strings"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/remote"
)

// awayTasks is mounted at /mcp, with an empty name, and at /mcp/{page}. It answers for tasks of
// pages that this process does not know: it was started after them. The id says whether there
// may be such a task. And it finds tasks that another tab of the app has taken over.
type awayTasks struct {
	views *views
	name  string
}

// List implements engine.Source: there are no resources.
func (a awayTasks) List(context.Context, string) (engine.Listing, error) {
	return engine.Listing{}, nil
}

// Read implements engine.Source.
func (a awayTasks) Read(context.Context, string) ([]engine.Contents, error) {
	return nil, engine.ErrNotFound
}

// pages returns the Remotes of the tabs that may have a task, that of its own page first, and the
// prefix that its ids have here. There is none if the page is not known.
func (a awayTasks) pages(ctx context.Context, id string) (tabs []*remote.Remote, name, prefix string, err error) {
	if name = a.name; name == "" {
		var ok bool
		if name, _, ok = strings.Cut(id, "."); !ok || !access.ValidName(name) {
			return nil, "", "", engine.ErrNotFound
		}
		prefix = name + "."
	}
	if _, err := engine.TaskOfID(id, engine.PrincipalOf(ctx)); err != nil {
		return nil, "", "", err // before the wait for a page that another node may have
	}
	if r := a.views.await(ctx, name); r != nil {
		tabs = append([]*remote.Remote{r}, a.views.otherTabs(name)...)
	}
	return tabs, name, prefix, nil
}

// otherTabs returns the Remotes of the other pages of the same app and origin.
func (v *views) otherTabs(name string) (tabs []*remote.Remote) {
	v.mu.Lock()
	defer v.mu.Unlock()
	own := v.pages[name]
	for _, p := range v.pages {
		if own != nil && p != own && own.origin != "" && p.origin == own.origin && p.hello.Name == own.hello.Name {
			tabs = append(tabs, p.remote)
		}
	}
	return tabs
}

// each calls act with the tabs that may have a task, until one has it.
func (a awayTasks) each(ctx context.Context, id string, act func(r *remote.Remote, own string) error) error {
	tabs, _, prefix, err := a.pages(ctx, id)
	if err != nil {
		return err
	}
	if tabs == nil {
		return engine.NotSent(engine.ErrAway)
	}
	for _, r := range tabs {
		if err = act(r, id[len(prefix):]); !errors.Is(err, engine.ErrNotFound) {
			return err
		}
	}
	return err
}

// Task implements engine.Tasker.
func (a awayTasks) Task(ctx context.Context, id string) (engine.TaskState, error) {
	tabs, name, prefix, err := a.pages(ctx, id)
	if err != nil {
		return engine.TaskState{}, err
	}
	if tabs == nil {
		s, err := engine.TaskOfID(id, engine.PrincipalOf(ctx))
		s.Message = remote.AwayMessage("the page " + name)
		return s, err
	}
	var s engine.TaskState
	for _, r := range tabs {
		if s, err = r.Task(ctx, id[len(prefix):]); !errors.Is(err, engine.ErrNotFound) {
			break
		}
	}
	s.ID = prefix + s.ID
	return s, err
}

// UpdateTask implements engine.Tasker.
func (a awayTasks) UpdateTask(ctx context.Context, id string) error {
	return a.each(ctx, id, func(r *remote.Remote, own string) error { return r.UpdateTask(ctx, own) })
}

// CancelTask implements engine.Tasker.
func (a awayTasks) CancelTask(ctx context.Context, id string) error {
	return a.each(ctx, id, func(r *remote.Remote, own string) error { return r.CancelTask(ctx, own) })
}

// MayBeOf implements engine.Tasker.
func (a awayTasks) MayBeOf(who engine.Principal, id string) bool {
	_, err := engine.TaskOfID(id, who)
	return err == nil
}

// LastTask implements engine.Tasker: the Remote of the page has it, once there is one.
func (a awayTasks) LastTask(string) (engine.TaskState, bool) { return engine.TaskState{}, false }

// describe returns what the user has to open so that a page comes back.
func (v *views) describe(p *page) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	what := "the page " + p.name
	if title := engine.PlainText(p.hello.Title, engine.MaxTitle); title != "" {
		what += " (" + title + ")"
	}
	if p.origin != "" {
		what += " at " + engine.PlainText(p.origin, engine.MaxTitle)
	}
	return what
}
