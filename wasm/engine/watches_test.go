package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
)

// counting is a Follower that counts its watches.
type counting struct {
	engine.Source
	mu      sync.Mutex
	begun   int
	running int
	most    int
	slow    time.Duration // before Follow returns
	wanted  []string      // by Want
	changed func(engine.Change)
}

func (c *counting) List(context.Context, engine.Kind, string) (engine.Listing, error) {
	return engine.Listing{}, nil
}

func (c *counting) Read(context.Context, string) ([]engine.Contents, error) {
	return nil, engine.ErrNotFound
}

func (c *counting) start(changed func(engine.Change)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun++
	c.changed = changed
	c.running++
	c.most = max(c.most, c.running)
}

func (c *counting) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running--
}

func (c *counting) state() (begun, running, most int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.begun, c.running, c.most
}

type countingFollower struct{ *counting }

func (c countingFollower) Follow(ctx context.Context, changed func(engine.Change)) engine.Following {
	time.Sleep(c.slow)
	c.start(changed)
	context.AfterFunc(ctx, c.stop)
	return c
}

func (c countingFollower) Want(add, drop []engine.Topic) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range add {
		c.wanted = append(c.wanted, t.URI)
	}
	c.wanted = slices.DeleteFunc(c.wanted, func(uri string) bool { return slices.Contains(drop, engine.Topic{URI: uri}) })
	slices.Sort(c.wanted)
	c.wanted = slices.Compact(c.wanted)
	return nil
}

// Watching begins with the first listener and ends with the last, however often
// and fast they come and go; unmounting meanwhile leaves no watch behind.
func TestWatchesFollowListeners(t *testing.T) {
	for name, make := range map[string]func() (engine.Source, *counting){
		"follower":      func() (engine.Source, *counting) { c := &counting{}; return countingFollower{c}, c },
		"slow follower": func() (engine.Source, *counting) { c := &counting{slow: time.Second}; return countingFollower{c}, c },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := engine.New(engine.Info{Name: "e", Version: "1"}, nil)
				source, c := make()
				unmount := e.Mount("", source)
				synctest.Wait()
				if begun, _, _ := c.state(); begun != 0 {
					t.Error("watched before the first listener")
				}
				var clients []*enginetest.Dialogue
				for i := range 20 {
					d := enginetest.NewDialogue(t, e)
					d.Send("subscriptions/listen", enginetest.ModernMeta+fmt.Sprintf(`,"notifications":{"resourceSubscriptions":["a:%d"]}`, i))
					clients = append(clients, d)
					if i%3 == 0 {
						d.Port.Close()
					}
				}
				time.Sleep(5 * time.Second)
				if _, running, most := c.state(); running != 1 || most != 1 {
					t.Errorf("%d watches run, %d at most, want 1", running, most)
				}
				if len(c.wanted) != 13 {
					t.Errorf("%v are wanted", c.wanted)
				}
				for _, d := range clients {
					d.Port.Close()
				}
				time.Sleep(5 * time.Second)
				if _, running, _ := c.state(); running != 0 {
					t.Errorf("%d watches run without a listener", running)
				}
				d := enginetest.NewDialogue(t, e)
				d.Send("subscriptions/listen", enginetest.ModernMeta+`,"notifications":{"resourceSubscriptions":["a:b"]}`)
				time.Sleep(100 * time.Millisecond) // a slow Follow runs
				unmount()
				time.Sleep(5 * time.Second)
				if _, running, _ := c.state(); running != 0 {
					t.Errorf("%d watches run after unmounting", running)
				}
				d.Port.Close()
				synctest.Wait()
			})
		})
	}
}

// What a source begins to watch after its client was acknowledged may have changed before.
func TestLateWatchesAreAnnounced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := engine.New(engine.Info{Name: "e", Version: "1"}, nil)
		e.Mount("", countingFollower{&counting{slow: engine.ArmTimeout + time.Second}})
		d := enginetest.NewDialogue(t, e)
		began := time.Now()
		d.Listen(`"resourceSubscriptions":["a:1"],"resourcesListChanged":true`)
		if waited := time.Since(began); waited != engine.ArmTimeout {
			t.Errorf("acknowledged after %v", waited)
		}
		got := d.Next("the first notification") + d.Next("the second one") // in either order
		for _, part := range []string{`"uri":"a:1"`, engine.MethodResourcesChanged} {
			if !strings.Contains(got, part) {
				t.Errorf("%s\n  has no %s", got, part)
			}
		}
		d.Port.Close()
		e.Close()
		synctest.Wait()
	})
}
