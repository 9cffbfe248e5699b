package gateway

import (
	"context"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/wait"
	"github.com/pagemcp/pagemcp/wasm/engine/remote"
)

// A following is the time in which the views of an owner know the pages of other nodes.
type following struct {
	ctx    context.Context
	cancel context.CancelFunc
	ready  chan struct{} // closed when the other nodes have answered
	err    error         // after that
}

// follow returns when the pages of other nodes are known, and linked if that does not take
// long. The error is [ErrIsolated].
func (l *links) follow(v *views) error {
	f, first := v.beginFollowing()
	if !first {
		<-f.ready
		return f.err
	}
	defer close(f.ready)
	if f.err = l.nodes.Follow(f.ctx, v.owner, func(h Held) { l.heldChanged(v, f, h) }); f.err != nil {
		v.endFollowing(f)
		return f.err
	}
	late := time.NewTimer(firstLinkTime)
	defer late.Stop()
	for _, linked := range v.unlinkedPages() {
		select {
		case <-linked:
		case <-late.C:
			return nil // requests to them wait
		}
	}
	return nil
}

func (v *views) beginFollowing() (f *following, first bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.following != nil {
		return v.following, false
	}
	f = &following{ready: make(chan struct{})}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	v.following = f
	return f, true
}

// unlinkedPages returns a channel for each page that is not linked for the first time yet.
func (v *views) unlinkedPages() (all []<-chan struct{}) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, p := range v.pages {
		if p.keeping && !p.linked {
			all = append(all, p.firstLink)
		}
	}
	return all
}

// unfollow forgets the pages of other nodes if there is no view that needs them.
func (l *links) unfollow(v *views) {
	if f := v.idleFollowing(); f != nil {
		v.endFollowing(f)
	}
}

func (v *views) idleFollowing() *following {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.byPath) > 0 || v.following == nil || !isClosed(v.following.ready) {
		return nil
	}
	f := v.following
	v.following = nil // acquire fails from now on, until there is another one
	return f
}

func (v *views) endFollowing(f *following) {
	v.mu.Lock()
	if v.following == f {
		v.following = nil
	}
	v.mu.Unlock()
	f.cancel()
	v.removePages(func(_ string, p *page) bool {
		return p.socket == nil && p.joining == nil && p.released == nil && p.key != ""
	})
}

// heldChanged records where a page is. Peers call it: it must not block, nor call them.
func (l *links) heldChanged(v *views, f *following, h Held) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.following != f || !access.ValidName(h.Name) {
		return
	}
	p := v.pages[h.Name]
	if h.State != HeldThere {
		if p != nil && p.held != nil && p.held.Node == h.Node && p.held.Epoch <= h.Epoch {
			p.held, p.departed = nil, h.State == HeldLeft
			p.signalChanged()
		}
		return
	}
	if p == nil {
		p = v.mount(h.Name, remote.New()) // requests wait for the link
		v.updateDeclarations()
	}
	if p.key != "" && p.key != h.Key {
		return // another page with this name: the nodes let one of them leave
	}
	if p.changed == nil {
		p.changed, p.firstLink = wait.NewSignal(), make(chan struct{})
	}
	p.key, p.held, p.departed, p.origin = h.Key, &h, false, h.Origin
	p.remote.Expect() // requests wait for the link
	if p.keeping {
		p.signalChanged()
	}
	l.keepLinked(v, p)
}
