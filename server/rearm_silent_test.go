package server

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A silentPage is the source of a page with one resource, whose reads may hang or fail.
type silentPage struct {
	mu      sync.Mutex
	hangs   chan struct{} // reads wait until it is closed
	missing bool          // reads find nothing
	changed func(engine.Change)
}

// set changes what reads do.
func (p *silentPage) set(hangs chan struct{}, missing bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hangs, p.missing = hangs, missing
}

func (p *silentPage) List(context.Context, string) (engine.Listing, error) {
	return engine.Listing{}, nil
}

func (p *silentPage) Read(ctx context.Context, uri string) ([]engine.Contents, error) {
	p.mu.Lock()
	hangs, missing := p.hangs, p.missing
	p.mu.Unlock()
	if hangs != nil {
		select {
		case <-hangs:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if missing {
		return nil, engine.ErrNotFound
	}
	return []engine.Contents{{URI: uri, MIMEType: "text/plain", Text: "text"}}, nil
}

func (p *silentPage) Follow(_ context.Context, changed func(engine.Change)) engine.Following {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changed = changed
	return engine.AnnouncesAll{}
}

// change announces that the resource has changed, if something watches it.
func (p *silentPage) change() {
	p.mu.Lock()
	changed := p.changed
	p.mu.Unlock()
	if changed != nil {
		changed(engine.Change{URI: "notes://a"})
	}
}

// After a restart of the gateway a session's subscriptions are effective whatever its page does:
// no change of a page that does not answer, or has no such resource yet, is lost (P2).
func TestSubscriptionsOfSilentPagesOutliveKill(t *testing.T) {
	t.Parallel()
	const updated = `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"notes+notes://a"}}`
	for name, test := range map[string]struct {
		before func(*testing.T, *Gateway) // the kill; may be nil
		begin  func(*silentPage)          // before the gateway is there again
		while  func(*silentPage)          // ends when the change follows
	}{
		"reads hang for longer than a request may take": {
			begin: func(p *silentPage) { p.set(make(chan struct{}), false) },
			while: func(p *silentPage) {
				time.Sleep(45 * time.Second)
				p.set(nil, false)
			},
		},
		"a read is answered late": {
			begin: func(p *silentPage) {
				hangs := make(chan struct{})
				p.set(hangs, false)
				time.AfterFunc(25*time.Second, func() { close(hangs) })
			},
			while: func(*silentPage) { time.Sleep(15 * time.Second) },
		},
		"the resource is there later": {
			begin: func(p *silentPage) { p.set(nil, true) },
			while: func(p *silentPage) {
				time.Sleep(5 * time.Second)
				p.set(nil, false)
			},
		},
		"assistants are paused": {
			before: func(t *testing.T, g *Gateway) {
				if _, err := g.controlPause(nil, []byte(`{"seconds":60}`)); err != nil {
					t.Fatal(err)
				}
			},
			begin: func(*silentPage) {},
			while: func(*silentPage) { time.Sleep(90 * time.Second) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, page := newMemDisk(), &silentPage{}
				g, client, kill := startInMemory(t, d)
				tabInMemory(t, g, client, "tab", page)
				session := beginInMemory(t, g, client)
				inSession(t, g, client, session).Say(subscribeA)
				synctest.Wait()
				if test.before != nil {
					test.before(t, g)
				}
				kill()
				test.begin(page)
				g, client, kill = startInMemory(t, d)
				tabInMemory(t, g, client, "tab", page)
				stream := inSession(t, g, client, session).Listen(t.Context())
				test.while(page)
				stream.Take()
				page.change()
				time.Sleep(15 * time.Second)
				if got := stream.Take(); !slices.Contains(got, updated) {
					t.Errorf("after a change: %q", got)
				}
				kill()
			})
		})
	}
}
