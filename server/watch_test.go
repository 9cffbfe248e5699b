package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// watchHere runs Watch in the background, and returns its reports and a function that ends it.
func watchHere(t *testing.T, o WatchOptions) (reports <-chan WatchReport, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	all, done := make(chan WatchReport, 1000), make(chan error, 1)
	go func() { // ends with ctx
		done <- Watch(ctx, o, func(r WatchReport) error {
			all <- r
			return nil
		})
	}()
	t.Cleanup(cancel)
	return all, func() error {
		cancel()
		return await(t, "the end of Watch", done)
	}
}

// quick are options that report soon.
func quick(g *Gateway) WatchOptions {
	return WatchOptions{State: g.state.dir, Settle: 10 * time.Millisecond, Every: 20 * time.Millisecond}
}

// changedURIs are those in a report, with how many there are.
func changedURIs(r WatchReport) string {
	var uris []string
	for _, one := range r.Resources {
		uris = append(uris, one.URI)
	}
	return fmt.Sprint(uris, r.More)
}

// watched writes a resource until its change is reported: then it is watched.
func watched(t *testing.T, p *testPage, reports <-chan WatchReport, uri string) {
	t.Helper()
	for deadline := time.Now().Add(testTime); time.Now().Before(deadline); {
		p.write(uri, fmt.Sprint(time.Now()))
		select {
		case r := <-reports:
			if strings.Contains(changedURIs(r), uri) {
				return
			}
		case <-time.After(50 * time.Millisecond):
		}
	}
	t.Fatalf("%s is never reported", uri)
}

// What changes is reported by its URI and name, and what is new; other pages, and resources that
// were not asked for, are not.
func TestWatchReportsWhatChanges(t *testing.T) {
	const otherOrigin = "http://localhost:5999"
	g := startGateway(t, Options{Origins: []string{testOrigin, otherOrigin}})
	p := newPage(t, testOrigin, "tab")
	p.write("note:a", "1")
	p.write("note:b", "1")
	p.join(g)
	other := newPage(t, otherOrigin, "other")
	other.app = "other"
	other.write("note:a", "1")
	other.join(g)

	all, stop := watchHere(t, quick(g))
	onlyPage := quick(g)
	onlyPage.Page = "other"
	ofOther, stopOther := watchHere(t, onlyPage)
	onlyB := quick(g)
	onlyB.URIs = []string{"notes+note:b"}
	ofB, stopB := watchHere(t, onlyB)
	watched(t, p, all, "note:a")
	watched(t, other, ofOther, "note:a")
	watched(t, p, ofB, "note:b")

	p.write("note:c", "new")
	for r := await(t, "a report", all); !slices.Contains(r.Lists, "notes"); r = await(t, "a report", all) {
	}
	watched(t, p, all, "note:c")
	for _, end := range []func() error{stop, stopOther, stopB} {
		if err := end(); err != nil {
			t.Error(err)
		}
	}
	for _, row := range []struct {
		reports <-chan WatchReport
		only    string
	}{{ofOther, "other+"}, {ofB, "notes+note:b"}} {
		for len(row.reports) > 0 {
			for _, one := range (<-row.reports).Resources {
				if !strings.HasPrefix(one.URI, row.only) {
					t.Errorf("%s is reported besides %s", one.URI, row.only)
				}
			}
		}
	}
}

// A heldSource answers lists once held is closed; each call that waits is in calls.
type heldSource struct {
	isHeld atomic.Bool
	held   chan struct{}
	calls  chan struct{}
}

func (s *heldSource) List(ctx context.Context, _ string) (engine.Listing, error) {
	if s.isHeld.Load() {
		s.calls <- struct{}{}
		select {
		case <-s.held:
		case <-ctx.Done():
			return engine.Listing{}, ctx.Err()
		}
	}
	return engine.Listing{}, nil
}

func (s *heldSource) Read(context.Context, string) ([]engine.Contents, error) {
	return nil, engine.ErrNotFound
}

// A list that takes long holds back no changes, and what it brings is reported when it comes.
func TestWatchDoesNotWaitForLists(t *testing.T) {
	g := startGateway(t, Options{})
	p := newPage(t, testOrigin, "tab")
	p.write("note:a", "1")
	source := &heldSource{held: make(chan struct{}), calls: make(chan struct{}, 100)}
	p.engine.Mount("held+", source)
	p.join(g)
	reports, _ := watchHere(t, quick(g))
	watched(t, p, reports, "note:a")

	source.isHeld.Store(true)
	p.write("note:new", "1")
	await(t, "the list", source.calls)
	watched(t, p, reports, "note:a")
	source.isHeld.Store(false)
	close(source.held)
	for r := await(t, "a report", reports); !slices.Contains(r.Lists, "notes"); r = await(t, "the report of the list", reports) {
	}
	watched(t, p, reports, "note:new")
}

// Ten thousand writes are reported once a period, each report has at most WatchShown names, and
// the last change is not lost.
func TestWatchReportsManyWritesRarely(t *testing.T) {
	g := startGateway(t, Options{})
	p := newPage(t, testOrigin, "tab")
	const resources = 100
	for i := range resources {
		p.write(fmt.Sprintf("note:%02d", i), "0")
	}
	p.join(g)
	o := quick(g)
	o.Every = 300 * time.Millisecond
	reports, _ := watchHere(t, o)
	watched(t, p, reports, "note:00")
	began := time.Now()
	for i := range 10_000 {
		p.write(fmt.Sprintf("note:%02d", i%resources), fmt.Sprint(i))
	}
	p.write("note:42", "last")
	count, seen := 0, false
	for quiet := false; !quiet; {
		select {
		case r := <-reports:
			count++
			seen = seen || r.More > 0 && len(r.Resources) == WatchShown
		case <-time.After(2 * time.Second):
			quiet = true
		}
	}
	if most := int(time.Since(began)/o.Every) + 1; count > most || !seen {
		t.Errorf("%d reports, at most %d expected; one with further resources: %v", count, most, seen)
	}
	p.write("note:42", "again")
	if r := await(t, "a report", reports); changedURIs(r) != "[notes+note:42] 0" {
		t.Errorf("the last report is %+v", r)
	}
}

// The gateway restarts: what has changed meanwhile is reported once, as missed, and nothing else is
// said to be. Without a gateway at the beginning there is an error.
func TestWatchSaysWhatItHasMissed(t *testing.T) {
	options := Options{State: t.TempDir()}
	g := startGateway(t, options)
	p := newPage(t, testOrigin, "tab")
	for _, uri := range []string{"note:a", "note:b", "note:c"} {
		p.write(uri, "1")
	}
	p.join(g)
	reports, _ := watchHere(t, quick(g))
	watched(t, p, reports, "note:a")
	g.Close(context.Background())
	if err := Watch(t.Context(), quick(g), func(WatchReport) error { return nil }); !errors.Is(err, ErrNotRunning) {
		t.Errorf("without a gateway: %v", err)
	}
	p.write("note:b", "while the gateway is away")
	p.write("note:b", "again")
	g2 := startGateway(t, options)
	p.join(g2)
	for {
		r := await(t, "what was missed", reports)
		if len(r.Resources) == 0 { // of a list
			continue
		}
		if changedURIs(r) != "[notes+note:b] 0" || r.Missed == nil || !r.Missed.Gateway || r.Missed.Unknown || r.Missed.Seconds <= 0 {
			t.Errorf("the report is %+v with %+v", r, r.Missed)
		}
		break
	}
	watched(t, p, reports, "note:c")
	for len(reports) > 0 {
		if r := <-reports; r.Missed != nil {
			t.Errorf("it is reported twice: %+v", r.Missed)
		}
	}
}

// A page that is loaded again has forgotten what happened: one report says so.
func TestWatchSaysThatAPageHasForgotten(t *testing.T) {
	g := startGateway(t, Options{})
	p := newPage(t, testOrigin, "tab")
	p.write("note:a", "1")
	p.join(g)
	reports, _ := watchHere(t, quick(g))
	watched(t, p, reports, "note:a")
	p.leave()
	p.load()
	p.write("note:a", "2")
	p.join(g)
	for {
		if r := await(t, "the gap", reports); r.Missed != nil {
			if !r.Missed.Unknown || r.Missed.Gateway {
				t.Errorf("the gap is %+v", r.Missed)
			}
			break
		}
	}
	watched(t, p, reports, "note:a")
}

// An event is watched by its name, also before its page has joined; its data is reported if the
// page says that it may be shown, and only then.
func TestWatchReportsEvents(t *testing.T) {
	g := startGateway(t, Options{})
	watchEvent := func(name string) <-chan WatchReport {
		o := quick(g)
		o.Event, o.Contents = name, true
		reports, _ := watchHere(t, o)
		return reports
	}
	shown, hidden := watchEvent("notes.shown"), watchEvent("notes.hidden")
	p := newPage(t, testOrigin, "tab")
	p.event(`{"name":"shown","description":"It is shown.","_meta":{"io.github.pagemcp/show":true}}`)
	p.event(`{"name":"hidden","description":"It is not."}`)
	p.join(g)
	for _, row := range []struct {
		name    string
		reports <-chan WatchReport
		want    string
	}{{"shown", shown, `notes.shown It is shown. {"id":7}`}, {"hidden", hidden, "notes.hidden It is not. "}} {
		var got WatchReport
		for deadline := time.Now().Add(testTime); got.Events == nil && time.Now().Before(deadline); {
			p.emit(row.name, `{"id":7}`)
			select {
			case got = <-row.reports:
			case <-time.After(100 * time.Millisecond):
			}
		}
		if got.Events == nil {
			t.Fatalf("%s is never reported", row.name)
		}
		if text := got.Events[0].Name + " " + got.Events[0].Description + " " + string(got.Events[0].Data); text != row.want || got.Events[0].Count < 1 {
			t.Errorf("%s, want %s", text, row.want)
		}
	}
}

// What cannot be watched ends it with a reason in words.
func TestWatchEndsWithAReason(t *testing.T) {
	g := startGateway(t, Options{Allow: func(_ engine.Principal, _ engine.Verb, uri string) bool { return uri != "notes+note:secret" }})
	p := newPage(t, testOrigin, "tab")
	p.join(g)
	o := quick(g)
	o.URIs = []string{"notes+note:secret", "notes+note:a"}
	err := Watch(t.Context(), o, func(WatchReport) error { return nil })
	if err == nil || err.Error() != `these resources cannot be watched: ["notes+note:secret"]` {
		t.Errorf("it ended with %v", err)
	}
}

// A page that is not shared asks its user, once; what they allow is watched from then on.
func TestWatchAsksForAPage(t *testing.T) {
	g := startGateway(t, Options{})
	asked := make(chan string, 10)
	var p *testPage
	p = assistantPageWith(t, g, "notes", false, func(o *engine.Options) {
		o.Ask = func(_ context.Context, q *engine.AccessQuestion) engine.AccessAnswer {
			asked <- q.Assistant + " " + q.URI
			p.engine.SetGrants(grantsOf(t, `{"default":"ask","grants":[{"assistant":"unnamed","right":"read","allow":true}]}`))
			return engine.AccessAnswer{Allow: true, Reason: "asked"}
		}
	}, func(e *engine.Engine) { e.SetGrants(grantsOf(t, `{"default":"ask","grants":[]}`)) })
	reports, stop := watchHere(t, quick(g))
	if got := await(t, "the question", asked); got != "unnamed access:///read" {
		t.Errorf("the question is %q", got)
	}
	watched(t, p, reports, "note:a")
	if err := stop(); err != nil || len(asked) > 0 {
		t.Errorf("it ended with %v; %d more questions", err, len(asked))
	}
}
