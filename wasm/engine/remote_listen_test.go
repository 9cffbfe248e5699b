package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A scripted page is the far end of a Remote: the test determines its answers.
type scriptedPage struct {
	t    *testing.T
	port jsonrpc.Port

	mu       sync.Mutex
	answer   func(msg jsonrpc.Message) string // the rest of a response, from "result" or "error" on; "": none
	onHold   bool                             // listens are not acknowledged
	refuses  func(uri string) bool
	open     map[jsonrpc.ID][]string // listens and their URIs
	opened   int                     // listens so far
	most     int                     // listens open at the same time
	declared func() string           // the members of its extensions; nil: skills
}

// newScriptedPage returns the near end of its port.
func newScriptedPage(t *testing.T) (*scriptedPage, jsonrpc.Port) {
	near, far := jsonrpc.Pipe()
	p := &scriptedPage{t: t, port: far, open: map[jsonrpc.ID][]string{}}
	go p.run() // ends with the port
	return p, near
}

func (p *scriptedPage) run() {
	for {
		data, err := p.port.Read(p.t.Context())
		if err != nil {
			return
		}
		msg, refusal := jsonrpc.Parse(data)
		if refusal != nil {
			p.t.Errorf("the Remote sent %s", data)
			continue
		}
		p.take(msg)
	}
}

// extensions returns the members of what discover declares.
func (p *scriptedPage) extensions() string {
	if p.declared != nil {
		return p.declared()
	}
	return `"io.modelcontextprotocol/skills":{}`
}

func (p *scriptedPage) take(msg jsonrpc.Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch msg.Method {
	case "server/discover":
		p.say(`"id":` + string(msg.ID) + `,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"extensions":{` + p.extensions() + `}}}`)
	case "notifications/cancelled":
		delete(p.open, jsonrpc.ID(jsonrpc.Member(msg.Params, "requestId")))
	case "subscriptions/listen":
		p.opened++
		if p.onHold {
			return
		}
		p.acknowledge(msg)
	default:
		if p.answer == nil || msg.Kind != jsonrpc.Request {
			return
		}
		if answer := p.answer(msg); answer != "" {
			p.say(`"id":` + string(msg.ID) + "," + answer)
		}
	}
}

func (p *scriptedPage) acknowledge(msg jsonrpc.Message) {
	filter := jsonrpc.Member(msg.Params, "notifications")
	elements, _ := jsonrpc.Elements(jsonrpc.Member(filter, "resourceSubscriptions"))
	var granted, quoted []string
	for _, element := range elements {
		uri, _ := jsonrpc.Text(element)
		if p.refuses == nil || !p.refuses(uri) {
			granted, quoted = append(granted, uri), append(quoted, string(element))
		}
	}
	lists := ""
	if jsonrpc.Member(filter, "resourcesListChanged") != nil {
		lists = `,"resourcesListChanged":true`
		granted = append(granted, "lists")
	}
	p.open[msg.ID] = granted
	p.most = max(p.most, len(p.open))
	p.say(`"method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + string(msg.ID) +
		`},"notifications":{"resourceSubscriptions":[` + strings.Join(quoted, ",") + `]` + lists + `}}`)
}

func (p *scriptedPage) say(members string) {
	go p.port.Write(context.Background(), []byte(`{"jsonrpc":"2.0",`+members+`}`)) // ends with the port
}

func (p *scriptedPage) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// end ends all listens, as an engine does that shuts down.
func (p *scriptedPage) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id := range p.open {
		p.say(`"id":` + string(id) + `,"result":{"resultType":"complete"}`)
	}
	clear(p.open)
}

// covered returns what the open listens ask for, sorted.
func (p *scriptedPage) covered() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := map[string]bool{}
	for _, uris := range p.open {
		for _, uri := range uris {
			all[uri] = true
		}
	}
	var sorted []string
	for uri := range all {
		sorted = append(sorted, uri)
	}
	slices.Sort(sorted)
	return strings.Join(sorted, " ")
}

// counted is how often each URI, or "lists", was announced.
type counted struct {
	mu    sync.Mutex
	times map[string]int
}

func (c *counted) add(change engine.Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.times == nil {
		c.times = map[string]int{}
	}
	if change.URI != "" {
		c.times[change.URI]++
	}
	if change.List {
		c.times["lists"]++
	}
}

func (c *counted) take() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var received []string
	for uri, times := range c.times {
		received = append(received, fmt.Sprintf("%s×%d", uri, times))
	}
	slices.Sort(received)
	c.times = nil
	return strings.Join(received, " ")
}

func isClosed(c <-chan struct{}) bool {
	if c == nil {
		return true
	}
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// followed is a Remote of a scripted page, and who follows it.
func followed(t *testing.T) (*scriptedPage, *engine.Remote, engine.Following, *counted, context.CancelFunc) {
	p, near := newScriptedPage(t)
	remote, err := engine.Attach(t.Context(), near)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	announced := &counted{}
	return p, remote, remote.Follow(ctx, announced.add), announced, func() { cancel(); remote.Close(); synctest.Wait() }
}

// A listen that is not acknowledged ends no other one, is sent again until it is
// acknowledged, and what may have changed meanwhile is announced one time.
func TestRemoteKeepsListensWhenTheUnionIsNotAcknowledged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _, following, announced, done := followed(t)
		defer done()
		var uris []string
		for i := range 8 {
			uris = append(uris, fmt.Sprintf("notes://%d", i))
			<-following.Want(uris)
		}
		p.set(func() { p.onHold = true })
		eight := p.covered()
		uris = append(uris, "notes://new")
		armed := following.Want(uris) // the ninth listen is a union
		time.Sleep(29 * time.Second)
		if got := p.covered(); got != eight || isClosed(armed) {
			t.Errorf("while the union is not acknowledged %q is covered, want %q; armed: %v", got, eight, isClosed(armed))
		}
		time.Sleep(4 * time.Second)
		if got := p.covered(); got != eight {
			t.Errorf("after the union failed %q is covered, want %q", got, eight)
		}
		p.say(`"method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":2},"uri":"notes://0"}`)
		synctest.Wait()
		if got := announced.take(); got != "notes://0×1" {
			t.Errorf("announced %q by an old listen", got)
		}
		p.set(func() { p.onHold = false })
		time.Sleep(time.Minute) // the listen that waits now fails, and is sent again
		if got, want := p.covered(), eight+" "; got != "lists notes://0 notes://1 notes://2 notes://3 notes://4 notes://5 notes://6 notes://7 notes://new" {
			t.Errorf("in the end %q is covered, want %q and the new one", got, want)
		}
		if !isClosed(armed) {
			t.Error("not armed after the acknowledgement")
		}
		if got := announced.take(); got != "notes://new×1" {
			t.Errorf("announced %q, want the new one, one time", got)
		}
		if p.most > 9+1 {
			t.Errorf("%d listens at the same time", p.most)
		}
	})
}

// An acknowledgement that grants a part, and a refusal: clients do not wait, the
// rest stays, and what is granted later is announced then.
func TestRemoteAsksAgainForWhatIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _, following, announced, done := followed(t)
		defer done()
		p.set(func() { p.refuses = func(uri string) bool { return uri == "notes://b" } })
		<-following.Want([]string{"notes://a"})
		armed := following.Want([]string{"notes://a", "notes://b"})
		synctest.Wait()
		if !isClosed(armed) {
			t.Error("a refusal holds up clients")
		}
		time.Sleep(5 * time.Minute)
		if got := p.covered(); got != "lists notes://a" {
			t.Errorf("covered: %q", got)
		}
		if p.opened > 40 || p.opened < 10 || p.most > 2 {
			t.Errorf("%d listens in 5 minutes, %d at the same time", p.opened, p.most)
		}
		if got := announced.take(); got != "" {
			t.Errorf("announced %q before anything was granted", got)
		}
		p.set(func() { p.refuses = nil })
		time.Sleep(20 * time.Second)
		if got := p.covered(); got != "lists notes://a notes://b" {
			t.Errorf("covered: %q", got)
		}
		if got := announced.take(); got != "notes://b×1" {
			t.Errorf("announced %q", got)
		}
	})
}

// Listens that the other engine ends are opened anew, with back-off, and what they
// were for is announced.
func TestRemoteListensAnewWhenListensEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _, following, announced, done := followed(t)
		defer done()
		<-following.Want([]string{"notes://a"})
		<-following.Want([]string{"notes://a", "notes://b"})
		p.end()
		synctest.Wait()
		if got := p.covered(); got != "" {
			t.Errorf("covered at once: %q", got)
		}
		time.Sleep(2 * time.Second)
		if got := p.covered(); got != "lists notes://a notes://b" {
			t.Errorf("covered: %q", got)
		}
		if got := announced.take(); got != "lists×1 notes://a×1 notes://b×1" {
			t.Errorf("announced %q", got)
		}
		before := p.opened
		for range 600 {
			p.end()
			time.Sleep(100 * time.Millisecond)
		}
		if p.opened-before > 30 {
			t.Errorf("%d listens in a minute for a page that ends them at once", p.opened-before)
		}
	})
}

// Want is called by many at a time: in the end the newest sets count.
func TestRemoteCoversTheNewestSets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, remote, first, _, done := followed(t)
		defer done()
		second := remote.Follow(t.Context(), func(engine.Change) {})
		for i := range 200 {
			first.Want([]string{fmt.Sprintf("notes://first%d", i)})
			second.Want([]string{fmt.Sprintf("notes://second%d", i), "notes://both"})
			if i%7 == 0 {
				synctest.Wait()
			}
		}
		<-first.Want([]string{"notes://first"})
		<-second.Want([]string{"notes://second"})
		synctest.Wait()
		if got := p.covered(); !strings.Contains(got, "notes://first ") && !strings.HasSuffix(got, "notes://first") || !strings.Contains(got, "notes://second") {
			t.Errorf("covered: %q", got)
		}
	})
}

// The last one who follows takes all listens along, also when one is not
// acknowledged.
func TestRemoteEndsListensWithTheLastFollower(t *testing.T) {
	for _, onHold := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			p, near := newScriptedPage(t)
			remote, err := engine.Attach(t.Context(), near)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			following := remote.Follow(ctx, func(engine.Change) {})
			<-following.Want([]string{"notes://a"})
			p.set(func() { p.onHold = onHold })
			following.Want([]string{"notes://a", "notes://b"})
			synctest.Wait()
			cancel()
			synctest.Wait()
			if got := p.covered(); got != "" {
				t.Errorf("on hold %v: covered without a follower: %q", onHold, got)
			}
			remote.Close()
			synctest.Wait()
		})
	}
}

// A page that sleeps for 33 s while a ninth client subscribes: no client loses an
// update, and the ninth gets one when the page is back.
func TestNoSubscriptionIsLostWhileAPageSleeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, near := newScriptedPage(t)
		remote, err := engine.Attach(t.Context(), near)
		if err != nil {
			t.Fatal(err)
		}
		e := engine.New(engine.Info{Name: "gateway", Version: "1"}, nil)
		e.Mount("notes+", remote)
		var clients []*dialogue
		for i := range 8 {
			d := newDialogue(t, e)
			d.listen(fmt.Sprintf(`"resourceSubscriptions":["notes+notes://%d"]`, i))
			clients = append(clients, d)
		}
		p.set(func() { p.onHold = true })
		began := time.Now()
		ninth := newDialogue(t, e)
		ninth.listen(`"resourceSubscriptions":["notes+notes://8"]`)
		if waited := time.Since(began); waited != engine.ArmTimeout {
			t.Errorf("acknowledged after %v", waited)
		}
		time.Sleep(31 * time.Second)
		p.set(func() { p.onHold = false })
		if got := ninth.next("the update of what may have changed"); !strings.Contains(got, `"uri":"notes+notes://8"`) {
			t.Errorf("the ninth got %s", got)
		}
		synctest.Wait() // the old listens are cancelled
		p.mu.Lock()
		var id jsonrpc.ID
		for id = range p.open {
		}
		p.mu.Unlock()
		for i, d := range clients {
			p.say(fmt.Sprintf(`"method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s},"uri":"notes://%d"}`, id, i))
			if got := d.next("an update after the sleep"); !strings.Contains(got, fmt.Sprintf(`"uri":"notes+notes://%d"`, i)) {
				t.Errorf("client %d got %s", i, got)
			}
		}
		for _, d := range append(clients, ninth) {
			d.port.Close()
		}
		remote.Close()
		synctest.Wait()
	})
}

// counting is a Watcher or Follower that counts its watches.
type counting struct {
	engine.Source
	mu      sync.Mutex
	begun   int
	running int
	most    int
	fails   int // how many of the next watches end at once
	err     error
	slow    time.Duration // before Follow returns
	sets    [][]string    // of Want
	changed func(engine.Change)
}

func (c *counting) List(context.Context, string) (engine.Listing, error) {
	return engine.Listing{}, nil
}

func (c *counting) Read(context.Context, string) ([]engine.Contents, error) {
	return nil, engine.ErrNotFound
}

func (c *counting) start(changed func(engine.Change)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun++
	if c.fails > 0 {
		c.fails--
		return c.err
	}
	c.changed = changed
	c.running++
	c.most = max(c.most, c.running)
	return nil
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

type countingWatcher struct{ *counting }

func (c countingWatcher) Watch(ctx context.Context, changed func(engine.Change)) error {
	if err := c.start(changed); err != nil {
		return err
	}
	<-ctx.Done()
	c.stop()
	return nil
}

type countingFollower struct{ *counting }

func (c countingFollower) Follow(ctx context.Context, changed func(engine.Change)) engine.Following {
	time.Sleep(c.slow)
	if c.start(changed) != nil {
		panic("Follow fails")
	}
	context.AfterFunc(ctx, c.stop)
	return c
}

func (c countingFollower) Want(uris []string) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.Sort(uris)
	c.sets = append(c.sets, uris)
	return nil
}

// Watching begins with the first listener and ends with the last, however often
// and fast they come and go; unmounting meanwhile leaves no watch behind.
func TestWatchesFollowListeners(t *testing.T) {
	for name, make := range map[string]func() (engine.Source, *counting){
		"watcher":       func() (engine.Source, *counting) { c := &counting{}; return countingWatcher{c}, c },
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
				var clients []*dialogue
				for i := range 20 {
					d := newDialogue(t, e)
					d.send("subscriptions/listen", modernMeta+fmt.Sprintf(`,"notifications":{"resourceSubscriptions":["a:%d"]}`, i))
					clients = append(clients, d)
					if i%3 == 0 {
						d.port.Close()
					}
				}
				time.Sleep(5 * time.Second)
				if _, running, most := c.state(); running != 1 || most != 1 {
					t.Errorf("%d watches run, %d at most, want 1", running, most)
				}
				if len(c.sets) > 0 {
					if last := c.sets[len(c.sets)-1]; len(last) != 13 {
						t.Errorf("the newest set is %v", last)
					}
				}
				for _, d := range clients {
					d.port.Close()
				}
				time.Sleep(5 * time.Second)
				if _, running, _ := c.state(); running != 0 {
					t.Errorf("%d watches run without a listener", running)
				}
				d := newDialogue(t, e)
				d.send("subscriptions/listen", modernMeta+`,"notifications":{"resourceSubscriptions":["a:b"]}`)
				time.Sleep(100 * time.Millisecond) // a slow Follow runs
				unmount()
				time.Sleep(5 * time.Second)
				if _, running, _ := c.state(); running != 0 {
					t.Errorf("%d watches run after unmounting", running)
				}
				d.port.Close()
				synctest.Wait()
			})
		})
	}
}

// A watch that ends by an error is begun again with back-off, and listeners are
// notified of what they may have missed; one that returns nil is over.
func TestFailedWatchesAreBegunAgain(t *testing.T) {
	for name, wrap := range map[string]func(*counting) engine.Source{
		"watcher":  func(c *counting) engine.Source { return countingWatcher{c} },
		"follower": func(c *counting) engine.Source { return countingFollower{c} },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &counting{fails: 3, err: errors.New("it broke")}
				e := engine.New(engine.Info{Name: "e", Version: "1"}, nil)
				e.Mount("", wrap(c))
				d := newDialogue(t, e)
				d.listen(`"resourceSubscriptions":["a:b"]`)
				time.Sleep(time.Second)
				if begun, _, _ := c.state(); begun != 2 {
					t.Errorf("after 1 s begun %d times, want 2", begun)
				}
				time.Sleep(10 * time.Second)
				if begun, running, _ := c.state(); begun != 4 || running != 1 {
					t.Errorf("begun %d times, %d run; want 4 and 1", begun, running)
				}
				if got := d.next("the update after a failed watch"); !strings.Contains(got, `"uri":"a:b"`) {
					t.Errorf("got %s", got)
				}
				d.port.Close()
				time.Sleep(time.Minute)
				if begun, running, _ := c.state(); begun != 4 || running != 0 {
					t.Errorf("without a listener begun %d times, %d run", begun, running)
				}
			})
		})
	}
}
