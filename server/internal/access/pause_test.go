package access_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/skill"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A pausedSource has one resource, whose read ends when the request does or answer is closed.
type pausedSource struct {
	answer  chan struct{}
	changes chan string // URIs
}

func (s *pausedSource) Follow(ctx context.Context, changed func(engine.Change)) engine.Following {
	go func() { // ends with ctx
		for {
			select {
			case uri := <-s.changes:
				changed(engine.Change{URI: uri})
			case <-ctx.Done():
				return
			}
		}
	}()
	return engine.AnnouncesAll{}
}

func (s *pausedSource) List(_ context.Context, k engine.Kind, _ string) (listing engine.Listing, err error) {
	if k == engine.Resources {
		listing.Items = []engine.Item{{Key: "a:1", JSON: engine.Describe("uri", "a:1", "name", "a")}}
	}
	return listing, nil
}

func (s *pausedSource) Read(ctx context.Context, uri string) ([]engine.Contents, error) {
	if uri == "a:slow" {
		<-s.answer // it does not notice that the request has ended
	}
	return []engine.Contents{{URI: uri, Text: "secret"}}, nil
}

// pausable serves a client of an engine with a pausedSource under a fake clock.
func pausable(t *testing.T, do func(t *testing.T, gate *access.Gate, source *pausedSource, far jsonrpc.Port, audit *recorder)) {
	synctest.Test(t, func(t *testing.T) {
		gate, audit := newGate("", 0)
		gate.Pause = &access.Pause{}
		e, source := newEngine(), &pausedSource{answer: make(chan struct{}), changes: make(chan string)}
		defer e.Mount("", source)()
		near, far := jsonrpc.Pipe()
		var ended sync.WaitGroup
		ended.Go(func() {
			gate.Serve(t.Context(), near, e, access.Client{Principal: "someone", Endpoint: "/ws"})
		})
		do(t, gate, source, far, audit)
		far.Close()
		ended.Wait()
		gate.Pause.Set(time.Time{})
		time.Sleep(time.Minute) // in which the limits forget the principal
	})
}

func exchange(t *testing.T, p jsonrpc.Port, text string) string {
	t.Helper()
	if err := p.Write(t.Context(), []byte(text)); err != nil {
		t.Fatal(err)
	}
	msg, err := p.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return string(msg)
}

// During a pause every method that has something of a page is rejected in words, and
// recorded; handshakes and pings are answered. Afterwards all is as before.
func TestPauseRejectsEveryMethodOfPages(t *testing.T) {
	pausable(t, func(t *testing.T, gate *access.Gate, _ *pausedSource, far jsonrpc.Port, audit *recorder) {
		requests := []struct {
			method, params string
			passes         bool
		}{
			{engine.MethodDiscover, "", true},
			{engine.MethodReadResource, `"uri":"a:1"`, false},
			{engine.MethodListResources, "", false},
			{engine.MethodListTemplates, "", false},
			{engine.MethodListTools, "", false},
			{engine.MethodListPrompts, "", false},
			{engine.MethodCallTool, `"name":"x","arguments":{}`, false},
			{engine.MethodGetPrompt, `"name":"x"`, false},
			{engine.MethodComplete, `"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"a","value":""}`, false},
			{engine.MethodListen, `"notifications":{"resourceSubscriptions":["a:1"]}`, false},
			{skill.MethodList, "", false},
			{"acme/unknown", "", false},
		}
		paused := func(id int, method, params string) bool {
			got := exchange(t, far, modern(fmt.Sprint(id), method, params))
			return strings.Contains(got, `"reason":"paused"`) && strings.Contains(got, "The user has paused assistants until") && !strings.Contains(got, "secret")
		}
		gate.Pause.Set(time.Now().Add(time.Hour))
		for i, r := range requests {
			if paused(i, r.method, r.params) == r.passes {
				t.Errorf("%s during a pause: rejected is %v", r.method, r.passes)
			}
		}
		synctest.Wait() // an entry is recorded after its response
		if got := strings.Join(audit.outcomes(), "\n"); strings.Count(got, " paused") != len(requests)-1 {
			t.Errorf("the audit log: %s", got)
		}
		for _, e := range audit.all() {
			if want := access.MethodOf(e.Verb).Name != engine.MethodDiscover; (e.Reason == access.ReasonPaused) != want || (e.Right != "") != want {
				t.Errorf("the audit log: %+v", e)
			}
		}
		time.Sleep(time.Hour + time.Second) // it ends by itself
		for i, r := range requests {
			if r.method != engine.MethodListen && paused(100+i, r.method, r.params) {
				t.Errorf("%s after the pause is rejected", r.method)
			}
		}
	})
}

// A read that waits when a pause begins is answered at once, and its contents do not come
// later, neither during the pause nor after it.
func TestPauseEndsRequestsThatWait(t *testing.T) {
	pausable(t, func(t *testing.T, gate *access.Gate, source *pausedSource, far jsonrpc.Port, audit *recorder) {
		if err := far.Write(t.Context(), []byte(modern("1", engine.MethodReadResource, `"uri":"a:slow"`))); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		began := time.Now()
		gate.Pause.Set(began.Add(time.Hour))
		if msg, err := far.Read(t.Context()); err != nil || !strings.Contains(string(msg), `"id":1,"error"`) || !strings.Contains(string(msg), `"reason":"paused"`) {
			t.Errorf("the read that waited: %s, %v", msg, err)
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("it was answered after %v", took) // of the fake clock: nothing waits
		}
		close(source.answer)
		synctest.Wait()
		gate.Pause.Set(time.Time{})
		if got := exchange(t, far, modern("2", engine.MethodReadResource, `"uri":"a:1"`)); !strings.Contains(got, `"id":2,"result"`) {
			t.Errorf("the next message after the pause: %s", got)
		}
		if got := audit.outcomes(); len(got) != 2 || got[0] != "resources/read paused" {
			t.Errorf("the audit log: %v", got)
		}
	})
}

// A subscription is silent during a pause; afterwards its client learns once of each resource
// that has changed meanwhile.
func TestPauseKeepsNotifications(t *testing.T) {
	pausable(t, func(t *testing.T, gate *access.Gate, source *pausedSource, far jsonrpc.Port, _ *recorder) {
		if got := exchange(t, far, modern("1", engine.MethodListen, `"notifications":{"resourceSubscriptions":["a:1","a:2"]}`)); !strings.Contains(got, "acknowledged") {
			t.Fatalf("listen: %s", got)
		}
		gate.Pause.Set(time.Now().Add(time.Hour))
		for range 3 {
			source.changes <- "a:1"
			time.Sleep(time.Minute)
		}
		source.changes <- "a:2"
		synctest.Wait()
		if got := exchange(t, far, modern("2", engine.MethodDiscover, "")); !strings.Contains(got, `"id":2`) {
			t.Errorf("during the pause: %s", got)
		}
		gate.Pause.Set(time.Time{})
		var got []string
		for range 2 {
			msg, err := far.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(jsonrpc.Member(jsonrpc.Member(msg, "params"), "uri")))
		}
		if slices.Sort(got); fmt.Sprint(got) != `["a:1" "a:2"]` {
			t.Errorf("after the pause: %v", got)
		}
		if got := exchange(t, far, modern("3", engine.MethodDiscover, "")); !strings.Contains(got, `"id":3`) {
			t.Errorf("afterwards: %s", got)
		}
	})
}

// One assistant is stopped without the others, for its time or until all may go on; the longer
// of its own pause and that of all holds. How many can be stopped is bounded: one more pauses all.
func TestStopPausesOneAssistant(t *testing.T) {
	pausable(t, func(t *testing.T, gate *access.Gate, _ *pausedSource, far jsonrpc.Port, _ *recorder) {
		id := 0
		check := func(when string, want bool) {
			t.Helper()
			id++
			got := exchange(t, far, modern(fmt.Sprint(id), engine.MethodReadResource, `"uri":"a:1"`))
			if strings.Contains(got, `"reason":"paused"`) != want || strings.Contains(got, "secret") == want {
				t.Errorf("%s: %s", when, got)
			}
		}
		p := gate.Pause
		p.Stop("another", time.Now().Add(time.Hour))
		check("another one is stopped", false)
		p.Stop("someone", time.Now().Add(time.Hour))
		p.Set(time.Now().Add(time.Minute))
		check("both", true)
		time.Sleep(time.Minute + time.Second)
		check("after the pause of all", true)
		if until := p.UntilOf("another"); until.IsZero() || !p.Until().IsZero() || len(p.Stopped()) != 2 {
			t.Errorf("%v %v", until, p.Stopped())
		}
		time.Sleep(time.Hour)
		check("after its time", false)
		if len(p.Stopped()) != 0 {
			t.Errorf("kept: %v", p.Stopped())
		}
		p.Stop("someone", time.Now().Add(time.Hour))
		p.Set(time.Now().Add(time.Hour))
		check("again", true)
		p.Resume()
		check("resumed", false)
		for i := range access.MaxStopped {
			p.Stop(fmt.Sprint("a", i), time.Now().Add(time.Hour))
		}
		check("others are stopped", false)
		p.Stop("someone", time.Now().Add(time.Hour))
		check("one too many: all are paused", true)
		if n := len(p.Stopped()); n != access.MaxStopped {
			t.Errorf("%d are stopped", n)
		}
		p.Stop("a0", time.Now().Add(2*time.Hour)) // one that is known can be stopped longer
		if until := p.UntilOf("a0"); time.Until(until) < 90*time.Minute {
			t.Errorf("until %v", until)
		}
		p.Resume()
	})
}
