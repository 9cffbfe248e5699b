package remote_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/remote"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
)

// While a browser stops a page, published values are read with their age, lists are those from before, and everything
// else fails at once; the page is not away.
func TestAPageThatSleeps(t *testing.T) {
	for _, tells := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			h := newMirroredHop(t, newShare())
			h.anotherTab("")
			h.publisher.Publishes = func(uri string) bool { return uri == "notes://cart" }
			h.put("notes://computed", "7")
			var announced changes
			following := h.remote.Follow(t.Context(), announced.add)
			following.Want(topics(), nil)
			h.remote.Read(t.Context(), "notes://cart")
			h.remote.List(t.Context(), engine.Resources, "")
			synctest.Wait()
			before := h.publisher.Reads()
			announced.take()
			began := time.Now()
			if tells {
				h.publisher.Sleep(true)
			} else {
				h.remote.Silent(30 * time.Second)
				began = began.Add(-30 * time.Second)
			}
			synctest.Wait()
			d := enginetest.Speak(t, h.gateway, "claude")
			time.Sleep(time.Second)
			asked := time.Now()
			for id, method := range map[string]string{
				"1": `resources/read ,"uri":"notes+notes://computed"`, "2": `tools/call ,"name":"notes__add"`, "3": `prompts/get ,"name":"notes__p"`,
				"4": `completion/complete ,"ref":{"type":"ref/resource","uri":"notes+notes://{a}"},"argument":{"name":"a","value":""}`,
			} {
				name, members, _ := strings.Cut(method, " ")
				d.Ask(id, name, "", members)
				if got := d.Next(); !strings.Contains(got, `"reason":"page-asleep"`) && name == "resources/read" || strings.Contains(got, `"result":{"content"`) {
					t.Errorf("%s of a page that sleeps: %s", name, got)
				}
			}
			if _, err := h.remote.CallTool(t.Context(), "add", nil); err == nil || !strings.Contains(err.Error(), "Ask the user to look at it") {
				t.Errorf("a tool of a page that sleeps: %v", err)
			}
			listing, err := h.remote.List(t.Context(), engine.Resources, "")
			if err != nil || len(listing.Items) != 2 {
				t.Errorf("the list: %v, %v", listing, err)
			}
			if waited := time.Since(asked); waited > 0 {
				t.Errorf("requests waited %v", waited)
			}
			time.Sleep(time.Hour)
			contents, err := h.remote.Read(t.Context(), "notes://cart")
			if age := time.Since(began).Milliseconds(); err != nil || string(contents[0].Relayed.Result) != `{"io.github.pagemcp/ageMs":`+strconv.FormatInt(age, 10)+`}` {
				t.Fatalf("%v, %s after %d ms", err, contents[0].Relayed.Result, age)
			}
			if sent := h.publisher.Reads() - before; sent != 0 {
				t.Errorf("a page that sleeps was sent %d reads", sent)
			}
			if tells {
				h.publisher.Sleep(false)
			} else {
				h.table.Changed("notes://computed")
				h.publisher.Port.Write(context.Background(), []byte(`{"jsonrpc":"2.0","id":"gateway-ping","result":{}}`))
			}
			synctest.Wait()
			if got := announced.take(); !strings.Contains(got, "list=true") {
				t.Errorf("on waking %q is announced", got)
			}
			contents, err = h.remote.Read(t.Context(), "notes://cart")
			if err != nil || contents[0].Relayed.Result != nil {
				t.Errorf("awake: %v, %+v", err, contents)
			}
			if _, err := h.remote.Read(t.Context(), "notes://computed"); err != nil {
				t.Errorf("awake: %v", err)
			}
			d.Port.Close()
		})
	}
}

// What the user decides while a page sleeps holds for what its gateway has kept of it: another tab of the app, which is
// awake, has the decision. Without such a tab nothing is answered from memory.
func TestAPageThatSleepsIsAnsweredForByTheNewestDecisions(t *testing.T) {
	const (
		stopped = `{"default":"open","grants":[{"assistant":"claude","right":"read"}]}`
		paused  = `{"default":"open","pausedUntil":9007199254740991,"grants":[]}`
		asked   = `{"default":"ask","grants":[]}`
		expires = `{"default":"ask","grants":[{"assistant":"claude","right":"read","allow":true,"until":946684860000}]}` // a minute after synctest begins
		always  = `{"default":"ask","grants":[{"assistant":"claude","right":"read","allow":true}]}`
	)
	for _, row := range []struct {
		name, own, other string
		after            string // of the other tab, while the page sleeps
		waits            time.Duration
		may              bool
	}{
		{name: "both are open", may: true},
		{name: "stopped in another tab", after: stopped},
		{name: "paused in another tab", after: paused},
		{name: "forgotten in another tab", own: always, other: always, after: asked},
		{name: "expired in both", own: expires, other: expires, waits: 2 * time.Minute},
		{name: "expired here, and renewed in another tab", own: expires, other: always, waits: 2 * time.Minute},
		{name: "stopped here, and allowed by another profile", own: stopped, other: always},
		{name: "the other tab sleeps, too", other: "asleep"},
		{name: "the other tab has left", other: "left"},
		{name: "there is no other tab", other: "none"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newMirroredHop(t, newShare())
				var other *engine.Engine
				switch row.other {
				case "none":
				case "asleep", "left":
					h.anotherTab("")
					if row.other == "left" {
						h.tabs[0].Close()
					} else {
						h.tabs[0].Silent(time.Minute)
					}
				default:
					other = h.anotherTab(row.other)
				}
				claude := engine.WithPrincipal(t.Context(), "claude")
				h.remote.Read(claude, "notes://cart")
				h.remote.List(claude, engine.Resources, "")
				if row.own != "" {
					setGrants(t, h.page, row.own)
					time.Sleep(time.Second)
					h.remote.Read(claude, "notes://cart")
					h.remote.List(claude, engine.Resources, "")
				}
				h.publisher.Sleep(true)
				synctest.Wait()
				if row.after != "" {
					setGrants(t, other, row.after)
					time.Sleep(time.Second)
				}
				time.Sleep(row.waits)
				contents, err := h.remote.Read(claude, "notes://cart")
				if row.may != (err == nil) {
					t.Errorf("it reads %+v, %v", contents, err)
				}
				if list, err := h.remote.List(claude, engine.Resources, ""); row.after != "" && (err != nil || len(list.Items) > 0) {
					t.Errorf("it sees the list %+v, %v", list.Items, err)
				}
				time.Sleep(time.Second) // the requests for the grants end
			})
		})
	}
}

// A message of a page that has told that it sleeps, which was on its way, does not wake it.
func TestOnlyThePageEndsASleepThatItHasTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newMirroredHop(t, newShare())
		h.publisher.Sleep(true)
		synctest.Wait()
		h.remote.Silent(30 * time.Second)
		h.publisher.Port.Write(context.Background(), []byte(`{"jsonrpc":"2.0","id":"gateway-ping","result":{}}`))
		synctest.Wait()
		if _, err := h.remote.Read(t.Context(), "notes://cart"); err == nil || !strings.Contains(err.Error(), engine.ErrAsleep.Error()) {
			t.Errorf("%v", err)
		}
		h.cut()
		h.join()
		if _, err := h.remote.Read(t.Context(), "notes://cart"); err != nil {
			t.Errorf("after a reload: %v", err)
		}
	})
}

// The reads of an endless source never end.
type endless struct{}

func (endless) List(context.Context, engine.Kind, string) (engine.Listing, error) {
	return engine.Listing{}, nil
}

func (endless) Read(ctx context.Context, _ string) ([]engine.Contents, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// What waits for a page that begins to sleep fails then; a tool may have taken effect, and is waited for.
func TestRequestsEndWhenThePageBeginsToSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newMirroredHop(t, newShare())
		h.page.Mount("", endless{})
		failed := make(chan error, 1)
		go func() { // ends with the read
			_, err := h.remote.Read(t.Context(), "notes://slow")
			failed <- err
		}()
		synctest.Wait()
		h.publisher.Sleep(true)
		began := time.Now()
		if err := <-failed; !errors.Is(err, engine.ErrAsleep) || time.Since(began) > 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// A read that came just before a page fell asleep gets the value that the page has sent then.
func TestALateValueAnswersWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newMirroredHop(t, newShare())
		h.anotherTab("")
		h.remote.Read(t.Context(), "notes://cart")
		h.publisher.Change("notes://cart", "")
		h.table.Remove(engine.Resources, "notes://cart")
		h.page.Mount("", endless{})
		synctest.Wait()
		read := make(chan string, 1)
		go func() { // ends with the read
			contents, err := h.remote.Read(t.Context(), "notes://cart")
			if err != nil {
				read <- err.Error()
				return
			}
			read <- string(contents[0].Relayed.Body)
		}()
		synctest.Wait()
		h.publisher.Change("notes://cart", value("notes://cart", "3 apples"))
		h.publisher.Sleep(true)
		if got := <-read; got != `"3 apples"` {
			t.Errorf("the read got %s", got)
		}
	})
}

// A page that falls asleep while a read begins answers it at once: the read does not wait for a page that
// is stopped.
func TestAPageFallsAsleepWhileAReadBegins(t *testing.T) {
	for range 3_000 {
		synctest.Test(t, func(t *testing.T) {
			_, near := newScriptedPage(t) // answers no read
			r, err := remote.Attach(t.Context(), near)
			if err != nil {
				t.Fatal(err)
			}
			began, start := time.Now(), make(chan struct{})
			go func() { // ends at once
				<-start
				r.Silent(time.Second)
			}()
			close(start)
			if _, err := r.Read(t.Context(), "notes://a"); !errors.Is(err, engine.ErrAsleep) || time.Since(began) > 0 {
				t.Errorf("after %v: %v", time.Since(began), err)
			}
			r.Close()
			synctest.Wait()
		})
	}
}
