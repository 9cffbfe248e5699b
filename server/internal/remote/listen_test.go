package remote_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/remote"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A scripted page is the far end of a Remote: the test determines its answers.
type scriptedPage struct {
	t    *testing.T
	port jsonrpc.Port

	mu       sync.Mutex
	answer   func(msg jsonrpc.Message) string // the rest of a response, from "result" or "error" on; "": none
	onHold   bool                             // listens and cancels wait
	held     []jsonrpc.Message                // these
	refuses  func(uri string) bool
	open     map[jsonrpc.ID][]string // listens and their URIs
	opened   int                     // listens so far
	most     int                     // listens open at the same time
	declared func() string           // the members of its extensions; nil: skills
}

// topics returns those of the lists and of resources, of a client without a name.
func topics(uris ...string) []engine.Topic {
	all := []engine.Topic{{}}
	for _, uri := range uris {
		all = append(all, engine.Topic{URI: uri})
	}
	return all
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
		if p.onHold {
			p.held = append(p.held, msg)
			return
		}
		delete(p.open, jsonrpc.ID(jsonrpc.Member(msg.Params, "requestId")))
	case "subscriptions/listen":
		if p.onHold {
			p.held = append(p.held, msg)
			return
		}
		p.opened++
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

// hold queues listens, or answers the queued ones.
func (p *scriptedPage) hold(onHold bool) {
	held := []jsonrpc.Message(nil)
	p.set(func() { p.onHold, held, p.held = onHold, p.held, nil })
	for _, msg := range held {
		p.take(msg)
	}
}

// updated announces a change by each listen that has the URI.
func (p *scriptedPage) updated(uri string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, uris := range p.open {
		if slices.Contains(uris, uri) {
			p.say(`"method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + string(id) + `},"uri":"` + uri + `"}`)
		}
	}
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
func followed(t *testing.T) (*scriptedPage, *remote.Remote, engine.Following, *counted, context.CancelFunc) {
	p, near := newScriptedPage(t)
	r, err := remote.Attach(t.Context(), near)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	announced := &counted{}
	return p, r, r.Follow(ctx, announced.add), announced, func() { cancel(); r.Close(); synctest.Wait() }
}

// A page that does not answer for a while, such as one that sleeps, gets each listen once, and what
// was acknowledged before stays.
func TestRemoteWaitsForAcknowledgements(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _, following, announced, done := followed(t)
		defer done()
		<-following.Want(topics("notes://a"), nil)
		p.hold(true)
		armed := following.Want(topics("notes://b"), nil)
		following.Want(nil, topics("notes://a")[1:])
		following.Want(topics("notes://a"), nil)
		time.Sleep(time.Minute)
		if got := p.covered(); got != "lists notes://a" || isClosed(armed) || p.opened != 2 {
			t.Errorf("without an answer %q is covered, by %d listens; armed: %v", got, p.opened, isClosed(armed))
		}
		p.hold(false)
		synctest.Wait()
		if got := p.covered(); got != "lists notes://a notes://b" || !isClosed(armed) {
			t.Errorf("with the answers %q is covered; armed: %v", got, isClosed(armed))
		}
		if got := announced.take(); got != "" {
			t.Errorf("announced %q", got)
		}
	})
}

// Many topics share listens, so that a page that comes back is not flooded with them.
func TestRemoteListensToManyAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _, following, _, done := followed(t)
		defer done()
		var uris []string
		for i := range 40_000 {
			uris = append(uris, fmt.Sprintf("notes://%d", i))
		}
		<-following.Want(topics(uris...), nil)
		if got := len(strings.Fields(p.covered())); got != len(uris)+1 || p.opened > 10 {
			t.Errorf("%d are covered, by %d listens", got, p.opened)
		}
		following.Want(nil, topics(uris[1:]...)[1:])
		synctest.Wait()
		if len(p.open) != 2 {
			t.Errorf("%d listens for one URI and the lists", len(p.open))
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
		<-following.Want(topics("notes://a"), nil)
		armed := following.Want(topics("notes://b"), nil)
		synctest.Wait()
		if !isClosed(armed) {
			t.Error("a refusal holds up clients")
		}
		time.Sleep(5 * time.Minute)
		if got := p.covered(); got != "lists notes://a" {
			t.Errorf("covered: %q", got)
		}
		if p.opened > 40 || p.opened < 10 || p.most > 3 {
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
		<-following.Want(topics("notes://a"), nil)
		<-following.Want(topics("notes://b"), nil)
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

// Want is called by many at a time: in the end the newest sets count. What else is covered shares a listen with
// one of these.
func TestRemoteCoversTheNewestSets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, r, first, _, done := followed(t)
		defer done()
		second := r.Follow(t.Context(), func(engine.Change) {})
		for i := range 200 {
			first.Want(topics(fmt.Sprintf("notes://first%d", i)), topics(fmt.Sprintf("notes://first%d", i-1))[1:])
			second.Want(topics(fmt.Sprintf("notes://second%d", i), "notes://both"), topics(fmt.Sprintf("notes://second%d", i-1))[1:])
			if i%7 == 0 {
				synctest.Wait()
			}
		}
		synctest.Wait()
		if got := p.covered(); !strings.HasPrefix(got, "lists notes://both ") || !strings.Contains(got, "notes://first199 ") ||
			!strings.HasSuffix(got, "notes://second199") || len(strings.Fields(got)) > 10 {
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
			r, err := remote.Attach(t.Context(), near)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			following := r.Follow(ctx, func(engine.Change) {})
			<-following.Want(topics("notes://a"), nil)
			p.hold(onHold)
			following.Want(topics("notes://b"), nil)
			synctest.Wait()
			cancel()
			synctest.Wait()
			p.hold(false)
			synctest.Wait()
			if got := p.covered(); got != "" {
				t.Errorf("on hold %v: covered without a follower: %q", onHold, got)
			}
			r.Close()
			synctest.Wait()
		})
	}
}

// A page that sleeps while a client subscribes: no other client loses an update, and that one gets
// one when the page is awake.
func TestNoSubscriptionIsLostWhileAPageSleeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, near := newScriptedPage(t)
		r, err := remote.Attach(t.Context(), near)
		if err != nil {
			t.Fatal(err)
		}
		e := engine.New(engine.Info{Name: "gateway", Version: "1"}, nil)
		e.Mount("notes+", r)
		first, second := enginetest.NewDialogue(t, e), enginetest.NewDialogue(t, e)
		first.Listen(`"resourceSubscriptions":["notes+notes://1"]`)
		p.hold(true)
		began := time.Now()
		second.Listen(`"resourceSubscriptions":["notes+notes://2"]`)
		if waited := time.Since(began); waited != engine.ArmTimeout {
			t.Errorf("acknowledged after %v", waited)
		}
		p.updated("notes://1")
		first.Next("an update, which was on its way")
		time.Sleep(31 * time.Second)
		p.hold(false)
		if got := second.Next("the update of what may have changed"); !strings.Contains(got, `"uri":"notes+notes://2"`) {
			t.Errorf("the second got %s", got)
		}
		time.Sleep(time.Second)
		for i, d := range []*enginetest.Dialogue{first, second} {
			p.updated(fmt.Sprintf("notes://%d", i+1))
			if got := d.Next("an update after the sleep"); !strings.Contains(got, fmt.Sprintf(`"uri":"notes+notes://%d"`, i+1)) {
				t.Errorf("client %d got %s", i+1, got)
			}
			d.Port.Close()
		}
		r.Close()
		synctest.Wait()
	})
}
