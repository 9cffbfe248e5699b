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

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/remote"
	"github.com/pagemcp/pagemcp/wasm/internal/enginetest"
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
		p, r, first, _, done := followed(t)
		defer done()
		second := r.Follow(t.Context(), func(engine.Change) {})
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
			r, err := remote.Attach(t.Context(), near)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			following := r.Follow(ctx, func(engine.Change) {})
			<-following.Want([]string{"notes://a"})
			p.set(func() { p.onHold = onHold })
			following.Want([]string{"notes://a", "notes://b"})
			synctest.Wait()
			cancel()
			synctest.Wait()
			if got := p.covered(); got != "" {
				t.Errorf("on hold %v: covered without a follower: %q", onHold, got)
			}
			r.Close()
			synctest.Wait()
		})
	}
}

// A page that sleeps for 33 s while a ninth client subscribes: no client loses an
// update, and the ninth gets one when the page is back.
func TestNoSubscriptionIsLostWhileAPageSleeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, near := newScriptedPage(t)
		r, err := remote.Attach(t.Context(), near)
		if err != nil {
			t.Fatal(err)
		}
		e := engine.New(engine.Info{Name: "gateway", Version: "1"}, nil)
		e.Mount("notes+", r)
		var clients []*enginetest.Dialogue
		for i := range 8 {
			d := enginetest.NewDialogue(t, e)
			d.Listen(fmt.Sprintf(`"resourceSubscriptions":["notes+notes://%d"]`, i))
			clients = append(clients, d)
		}
		p.set(func() { p.onHold = true })
		began := time.Now()
		ninth := enginetest.NewDialogue(t, e)
		ninth.Listen(`"resourceSubscriptions":["notes+notes://8"]`)
		if waited := time.Since(began); waited != engine.ArmTimeout {
			t.Errorf("acknowledged after %v", waited)
		}
		time.Sleep(31 * time.Second)
		p.set(func() { p.onHold = false })
		if got := ninth.Next("the update of what may have changed"); !strings.Contains(got, `"uri":"notes+notes://8"`) {
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
			if got := d.Next("an update after the sleep"); !strings.Contains(got, fmt.Sprintf(`"uri":"notes+notes://%d"`, i)) {
				t.Errorf("client %d got %s", i, got)
			}
		}
		for _, d := range append(clients, ninth) {
			d.Port.Close()
		}
		r.Close()
		synctest.Wait()
	})
}
