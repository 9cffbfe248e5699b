//go:build unix

package clustertest

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/history"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A witness has pages and assistants that work through the faults of a test, records what
// they do and see, and judges it by P1 to P5 of package history.
type witness struct {
	d       *deployment
	b       *balancer
	h       *history.History
	rules   history.Rules
	ctx     context.Context // of the assistants
	tabs    []*tab
	writing atomic.Bool
	asking  atomic.Bool
	sockets atomic.Int64 // of its pages
	count   atomic.Int64 // of requests
	working sync.WaitGroup
}

// Its assistants. Each user has one of each kind: one reads, one calls tools, one listens
// (2026-07-28), and one has a session with subscriptions (2025-11-25).
const (
	witnessUsers = 3
	witnessTabs  = 2 // of each user
	readPace     = 20 * time.Millisecond
	callPace     = 50 * time.Millisecond
	writePace    = 100 * time.Millisecond
	togglePace   = 1500 * time.Millisecond // between unsubscribing and subscribing: longer than Delay
)

// witnessRules are for rows after which each page is at a node that is ready. Codes are
// those of a socket that broke and of a node that ends or is isolated.
func witnessRules() history.Rules {
	return history.Rules{
		Recovery: 3 * time.Second, Prompt: 5 * time.Second, Patience: testTime, Delay: time.Second, Reads: true, Whole: true, Codes: []int{-1, 4412},
	}
}

// witness starts one, and returns when all its subscriptions are made.
func (d *deployment) witness(b *balancer) *witness {
	d.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w := &witness{d: d, b: b, h: &history.History{Began: time.Now()}, rules: witnessRules(), ctx: ctx}
	d.t.Cleanup(func() { cancel(); w.working.Wait() })
	w.writing.Store(true)
	w.asking.Store(true)
	var subscribed sync.WaitGroup
	for i := range witnessUsers {
		user := fmt.Sprint("witness", i)
		var tabs []*tab
		for j := range witnessTabs {
			id := fmt.Sprint(user, "-", j)
			tabs = append(tabs, d.openTab(&tab{d: d, balancer: b, user: user, id: id, document: w.newDocument(user, id)}))
		}
		w.tabs = append(w.tabs, tabs...)
		c := d.client(user)
		w.working.Go(func() { w.asks(c, tabs, "read", readPace) })
		w.working.Go(func() { w.asks(c, tabs, "tool", callPace) })
		subscribed.Add(2)
		w.working.Go(func() { w.listens(c, tabs, sync.OnceFunc(subscribed.Done)) })
		w.working.Go(func() { w.sessions(c, tabs, sync.OnceFunc(subscribed.Done)) })
		for _, t := range tabs {
			w.working.Go(func() { w.writes(t.document) })
		}
	}
	done := make(chan struct{})
	go func() { subscribed.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(testTime):
		d.t.Fatal("timeout: the subscriptions of the witness are made")
	}
	return w
}

// fault records that a fault begins.
func (w *witness) fault(name string) { w.h.Add(history.Event{Kind: history.Fault, Text: name}) }

// reload loads all pages again.
func (w *witness) reload() {
	for _, t := range w.tabs {
		t.reload()
	}
}

// replace makes new documents of all tabs join a node while the old ones are there.
func (w *witness) replace(node *process) {
	w.d.t.Helper()
	for _, t := range w.tabs {
		if err := t.replace(node); err != nil {
			w.d.t.Fatal(err)
		}
	}
}

// settle returns when each tab is where it joined last, and requests are answered.
func (w *witness) settle() {
	w.d.t.Helper()
	began := time.Since(w.h.Began)
	eventually(w.d.t, "the tabs of the witness are joined, and requests are answered", func() bool {
		for _, t := range w.tabs {
			if t.at() == nil || t.present().instance != t.document.instance() {
				return false
			}
		}
		return w.open() == len(w.tabs) && w.answeredSince(began) >= 10
	})
}

// open returns the number of sockets of its pages.
func (w *witness) open() (count int) {
	for _, e := range w.h.All() {
		switch e.Kind {
		case history.Join:
			count++
		case history.Leave:
			count--
		}
	}
	return count
}

// pause waits, and reports whether the witness still works.
func (w *witness) pause(wait time.Duration) bool {
	select {
	case <-time.After(wait):
		return true
	case <-w.ctx.Done():
		return false
	}
}

func (w *witness) writes(d *document) {
	for w.pause(writePace) && w.writing.Load() {
		d.write()
	}
}

// asks sends requests of one kind, one after the other.
func (w *witness) asks(c *client, tabs []*tab, kind string, pace time.Duration) {
	for i := 0; w.pause(pace) && w.asking.Load(); i++ {
		tool := "echo"
		if i%10 == 9 {
			tool = "slow"
		}
		w.ask(c, tabs[i%len(tabs)], kind, tool)
	}
}

// ask sends a request, and records it and what comes back.
func (w *witness) ask(c *client, t *tab, kind, tool string) {
	node, connections := w.b.pick()
	if node == nil {
		return
	}
	name, id := t.name(), fmt.Sprint(c.user, "/", w.count.Add(1))
	method, target := "resources/read", name+"+"+pageURI
	members := `"uri":"` + target + `"`
	if kind == "tool" {
		method, target = "tools/call", name+"__"+tool
		members = `"name":"` + target + `","arguments":{"id":"` + id + `"}`
	}
	e := history.Event{Kind: history.Call, Who: c.user, ID: id, Name: name, URI: pageURI, Text: kind, Clean: true}
	w.h.Add(e)
	ctx, cancel := context.WithTimeout(connections, testTime)
	defer cancel()
	status, body, err := c.ask(ctx, node, "/mcp", method, target, members)
	e.Kind, e.Text = history.Answer, "ok"
	m := lastMessage(body)
	switch {
	case context.Cause(ctx) == context.DeadlineExceeded:
		e.Text = "no answer in " + testTime.String()
	case err != nil || m == nil && status == 200 || status == 503 && kind == "read": // the client repeats it at another node
		e.Kind = history.Closed
	case m == nil:
		e.Text = fmt.Sprint(status, " ", body)
	case m.Error != nil:
		e.Text = fmt.Sprint(m.Error.Code, " ", m.Error.Message, " ", string(m.Error.Data))
	case kind == "read":
		w.takeContents(&e, m.Result)
	default:
		if text := firstText(m.Result, "content"); text != id {
			w.alarm("call " + id + " got the answer of another: " + string(m.Result))
		}
	}
	w.h.Add(e)
}

// takeContents adds to an answer what was read.
func (w *witness) takeContents(e *history.Event, result []byte) {
	fields := strings.Fields(firstText(result, "contents"))
	if len(fields) != 4 || fields[1] != e.Who {
		w.alarm("a read of " + e.Name + " by " + e.Who + " is answered with " + string(result))
		return
	}
	e.Store = fields[2]
	e.Version, _ = strconv.Atoi(fields[3])
}

// firstText returns the text of the first element of a member.
func firstText(result []byte, member string) string {
	elements, _ := jsonrpc.Elements(jsonrpc.Member(result, member))
	if len(elements) == 0 {
		return ""
	}
	text, _ := jsonrpc.Text(jsonrpc.Member(elements[0], "text"))
	return text
}

// lastMessage returns the response in a body, which is JSON or an event stream; or nil.
func lastMessage(body string) (last *jsonrpc.Message) {
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "data: "))
		if m, refusal := jsonrpc.Parse([]byte(line)); refusal == nil && m.Kind == jsonrpc.Response {
			last = &m
		}
	}
	return last
}

func (w *witness) alarm(text string) { w.h.Add(history.Event{Kind: history.Alarm, Text: text}) }

// judge waits until everything works, lets each page change once more, and checks the
// history. Call it when the faults are over.
func (w *witness) judge() {
	w.d.t.Helper()
	w.h.Add(history.Event{Kind: history.Calm})
	calm := time.Since(w.h.Began)
	within(w.d.t, 3*testTime, "requests are answered after the faults", func() bool { return w.answeredSince(calm+w.rules.Recovery) >= 30 })
	w.writing.Store(false)
	if !w.pause(2 * writePace) {
		return
	}
	for _, t := range w.tabs {
		t.document.write()
	}
	w.asking.Store(false)
	var found []history.Violation
	for deadline := time.Now().Add(testTime); ; time.Sleep(50 * time.Millisecond) {
		if found = w.check(); len(found) == 0 || time.Now().After(deadline) {
			break
		}
	}
	shown := map[string]int{}
	for _, v := range found {
		if shown[v.Promise]++; shown[v.Promise] <= 3 {
			w.d.t.Error(v)
		}
	}
	if len(found) > 0 {
		w.keep()
	}
	kinds, answers := map[history.Kind]int{}, 0
	for _, e := range w.h.All() {
		kinds[e.Kind]++
		if e.Kind == history.Answer && e.Text == "ok" {
			answers++
		}
	}
	w.d.t.Logf("history: %d requests, %d answered, %d errors, %d broken; %d tool runs; %d changes, %d notifications; %d joins; %d violations of P1 to P5: %v",
		kinds[history.Call], answers, kinds[history.Answer]-answers, kinds[history.Closed], kinds[history.Run], kinds[history.Write], kinds[history.Note], kinds[history.Join], len(found), shown)
}

// keep writes the history to a file, so that the cause of a failure can be found.
func (w *witness) keep() {
	file, err := os.CreateTemp("", "history-*.txt")
	if err != nil {
		w.d.t.Log(err)
		return
	}
	defer file.Close()
	for _, e := range w.h.All() {
		fmt.Fprintln(file, e)
	}
	w.d.t.Log("the history is in ", file.Name())
}

// answeredSince returns how many requests that began after a time are answered.
func (w *witness) answeredSince(begin time.Duration) (count int) {
	began := map[string]bool{}
	for _, e := range w.h.All() {
		switch {
		case e.Kind == history.Call && e.At > begin:
			began[e.ID] = true
		case e.Kind == history.Answer && began[e.ID]:
			count++
		}
	}
	return count
}

// check judges the history as it would be if nothing more came.
func (w *witness) check() []history.Violation {
	end := time.Since(w.h.Began) + w.rules.Recovery + w.rules.Patience + time.Second
	return history.Violations(append(w.h.All(), history.Event{At: end, Kind: history.Check}), w.rules)
}
