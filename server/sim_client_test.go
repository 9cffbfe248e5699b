package server

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest/history"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// simRequestTimeout is the request timeout of clients: 60 s, as in the official SDKs.
const simRequestTimeout = 60 * time.Second

// A simClient is a simulated assistant: it sends requests, subscribes and cancels.
type simClient struct {
	w         *simWorld
	name      string
	rand      *simRand
	isClassic bool // it speaks 2025-11-25, otherwise 2026-07-28
	transport simTransport
	acts      atomic.Bool // it has what it needs to send requests

	mu    sync.Mutex
	count int
	ends  map[string]func() // each ends one subscription, by id; of a classic client by URI
}

// A simTransport carries the messages of a client.
type simTransport interface {
	// run connects and has the client act, until the world ends.
	run()

	// ask sends a request and returns when it is over. It calls over once, before it receives
	// anything else: with Answer and the response; with GiveUp, if ctx has ended and the gateway
	// has taken the cancellation; or with Closed, if the connection ended before. conn is nil if
	// there was none.
	ask(ctx context.Context, id, method, params string, over simOver)
}

type simOver func(kind history.Kind, m jsonrpc.Message, conn *simConn)

// nextID returns an id of a request, on the wire and in the history.
func (c *simClient) nextID() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count++
	return c.name + "/" + strconv.Itoa(c.count)
}

func (c *simClient) note(e history.Event) {
	e.Who = c.name
	c.w.history.Add(e)
}

// act makes requests until gone is closed or the world ends.
func (c *simClient) act(gone <-chan struct{}) {
	c.acts.Store(true)
	for c.w.pauseUntil(c.rand, c.w.pace, gone) {
		switch n := c.rand.IntN(4); {
		case n < 2 && c.w.still.Load():
		case n == 0:
			c.subscribe()
		case n == 1 && c.rand.IntN(3) == 0: // a burst: nothing waits for the one before
			for range 4 {
				c.subscribe()
				c.unsubscribe()
			}
		case n == 1:
			c.unsubscribe()
		default:
			c.w.parties.Go(func() { c.call(c.choose()) })
		}
	}
}

// A simRequest is a call that any client may make.
type simRequest struct {
	kind, method, params string
	id                   string // in the history
	name, uri            string
	target               string // the resource or tool, as clients name it
	clean                bool
	steady               []string // names whose entries a list must have
}

// choose makes a random request.
func (c *simClient) choose() simRequest {
	r := simRequest{id: c.nextID()}
	name, uri := c.w.randomResource(c.rand)
	switch n := c.rand.IntN(10); {
	case n < 6 && name != "":
		r.kind, r.method, r.name, r.uri = "read", "resources/read", name, uri
		r.target = name + "+" + uri
		r.params = string(jsonrpc.AppendString([]byte(`"uri":`), r.target))
	case n < 8 && name != "":
		tool := "echo"
		if c.rand.IntN(3) == 0 {
			tool = "slow"
		}
		r.kind, r.method, r.name = "tool", "tools/call", name
		r.target = name + "__" + tool
		r.params = `"name":"` + r.target + `","arguments":{"id":"` + r.id + `"}`
	default:
		r.kind, r.method, r.clean = "list", [...]string{"resources/list", "tools/list", "resources/templates/list"}[c.rand.IntN(3)], true
		if c.w.isCalm() && r.method == "resources/list" {
			r.steady = c.w.steadyNames()
		}
	}
	if r.name != "" {
		r.clean = c.w.isSteady(r.name)
	}
	return r
}

// call makes a request, and sometimes gives it up.
func (c *simClient) call(r simRequest) {
	calm, timeout := c.w.isCalm(), simRequestTimeout
	givesUp := c.rand.IntN(8) == 0 && !calm
	if givesUp {
		timeout = c.rand.upTo(3 * time.Second)
	}
	ctx, cancel := context.WithTimeout(c.w.ctx, timeout)
	defer cancel()
	c.note(history.Event{Kind: history.Call, ID: r.id, Name: r.name, URI: r.uri, Text: r.kind, Clean: r.clean})
	c.transport.ask(ctx, r.id, r.method, r.params, func(kind history.Kind, m jsonrpc.Message, conn *simConn) {
		if kind == history.Answer {
			c.finish(r, m, conn)
			return
		}
		if calm && c.w.isCalm() && r.clean && conn != nil && !conn.isFaulty() && c.w.ctx.Err() == nil {
			c.w.alarm("no answer to " + r.id + ", " + r.method + " " + r.target)
		}
		c.note(history.Event{Kind: kind, ID: r.id})
	})
}

// finish notes the answer to a request.
func (c *simClient) finish(r simRequest, m jsonrpc.Message, conn *simConn) {
	e := history.Event{Kind: history.Answer, ID: r.id, Name: r.name, URI: r.uri, Text: "ok", Clean: !conn.isFaulty(), Sent: c.w.since(conn.sent())}
	switch {
	case m.Error != nil:
		e.Text = strconv.FormatInt(m.Error.Code, 10) + " " + m.Error.Message + " " + string(m.Error.Data)
	case r.kind == "read":
		contents, _ := jsonrpc.Elements(jsonrpc.Member(m.Result, "contents"))
		if len(contents) != 1 {
			c.w.alarm("a read answered with " + string(m.Result))
			break
		}
		text, _ := jsonrpc.Text(jsonrpc.Member(contents[0], "text"))
		version, tab, _ := strings.Cut(text, " ")
		e.Version, _ = strconv.Atoi(version)
		e.Text = "ok"
		if uri, _ := jsonrpc.Text(jsonrpc.Member(contents[0], "uri")); uri != r.name+"+"+r.uri {
			c.w.alarm("a read of " + r.target + " answered with " + uri)
		}
		if store := c.w.storeOfTab(tab); store != c.w.storeOfName(r.name) {
			c.w.alarm("a read of " + r.target + " was answered by a page of " + store)
		}
	case r.kind == "list":
		for _, name := range r.steady {
			if !strings.Contains(string(m.Result), `"uri":"`+name+`+notes:///0"`) {
				c.w.alarm("a list lacks the resources of " + name + ", which has been there all the time")
			}
		}
	case r.kind == "tool":
		content, _ := jsonrpc.Elements(jsonrpc.Member(m.Result, "content"))
		text := ""
		if len(content) == 1 {
			text, _ = jsonrpc.Text(jsonrpc.Member(content[0], "text"))
		}
		if text != r.id {
			c.w.alarm("call " + r.id + " got the answer of another: " + string(m.Result))
		}
	}
	c.note(e)
}

// subscribe subscribes to what the client does not know yet.
func (c *simClient) subscribe() {
	var uris []string
	for range 1 + c.rand.IntN(5) {
		if name, uri := c.w.randomResource(c.rand); name != "" && !slices.Contains(uris, name+"+"+uri) {
			uris = append(uris, name+"+"+uri)
		}
	}
	id := c.nextID()
	if uris == nil {
		return
	}
	if c.isClassic {
		if c.enter(uris[0], func() { c.drop(id, uris[0]) }) {
			c.hold(id, uris[0])
		}
		return
	}
	ctx, cancel := context.WithCancel(c.w.ctx)
	if !c.enter(id, cancel) {
		cancel()
		return
	}
	c.w.parties.Go(func() {
		defer cancel()
		c.listen(ctx, id, uris)
		c.leave(id)
	})
}

// enter adds a subscription, unless there is one with this key, or too many.
func (c *simClient) enter(key string, end func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ends[key] != nil || len(c.ends) >= 20 {
		return false
	}
	c.ends[key] = end
	return true
}

func (c *simClient) leave(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.ends, key)
}

// unsubscribe ends a subscription.
func (c *simClient) unsubscribe() {
	if end := c.first(); end != nil {
		end()
	}
}

// first takes the first subscription by its key: the same in every run of the seed.
func (c *simClient) first() (end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.ends) > 0 {
		key := slices.Min(slices.Collect(maps.Keys(c.ends)))
		end = c.ends[key]
		delete(c.ends, key)
	}
	return end
}

// listen keeps a listen open until ctx ends.
func (c *simClient) listen(ctx context.Context, id string, uris []string) {
	filter := []byte(`"notifications":{"resourcesListChanged":true,"resourceSubscriptions":[`)
	for i, uri := range uris {
		c.noteOf(history.Subscribe, id, uri, 0)
		if i > 0 {
			filter = append(filter, ',')
		}
		filter = jsonrpc.AppendString(filter, uri)
	}
	c.transport.ask(ctx, id, engine.MethodListen, string(filter)+"]}", func(kind history.Kind, m jsonrpc.Message, _ *simConn) {
		switch {
		case kind == history.GiveUp:
			kind = history.Cancel
		case m.Error != nil:
			kind = history.Refused
		default:
			kind = history.End
		}
		c.note(history.Event{Kind: kind, ID: id})
	})
}

// noteOf notes what concerns one URI of the endpoint /mcp.
func (c *simClient) noteOf(kind history.Kind, id, uri string, sent time.Duration) {
	name, rest, _ := strings.Cut(uri, "+")
	e := history.Event{Kind: kind, ID: id, Name: name, URI: rest, Sent: sent}
	if kind == history.Subscribe && c.isClassic {
		e.Text = "classic"
	}
	c.note(e)
}

// receive notes a notification.
func (c *simClient) receive(m jsonrpc.Message, conn *simConn) {
	id, _ := jsonrpc.Text(jsonrpc.Member(jsonrpc.Member(m.Params, "_meta"), metaSubscription))
	switch m.Method {
	case engine.MethodAcknowledged:
		c.note(history.Event{Kind: history.Ack, ID: id})
	case engine.MethodUpdated:
		c.noteOf(history.Note, id, uriOf(m.Params), c.w.since(conn.sent()))
	}
}

// hold subscribes in a session until the gateway has taken it. One that it refuses may still have
// been made by an earlier try.
func (c *simClient) hold(id, uri string) {
	c.noteOf(history.Subscribe, id, uri, 0)
	for c.w.ctx.Err() == nil {
		m, _, isAnswer := c.say(engine.MethodSubscribe, uri)
		switch {
		case isAnswer && m.Error == nil:
			c.noteOf(history.Ack, id, uri, 0)
			return
		case isAnswer && string(jsonrpc.Member(m.Error.Data, "retry")) != "true":
			c.leave(uri)
			c.drop(id, uri)
			return
		}
		c.w.pause(c.rand, 2*time.Second)
	}
}

// drop unsubscribes in a session until the gateway has confirmed it.
func (c *simClient) drop(id, uri string) {
	for c.w.ctx.Err() == nil {
		if m, conn, isAnswer := c.say(engine.MethodUnsubscribe, uri); isAnswer && m.Error == nil {
			c.noteOf(history.Cancel, id, uri, c.w.since(conn.sent()))
			return
		}
		c.w.pause(c.rand, 2*time.Second)
	}
}

// say sends a request about a resource, and returns its response.
func (c *simClient) say(method, uri string) (m jsonrpc.Message, conn *simConn, isAnswer bool) {
	ctx, cancel := context.WithTimeout(c.w.ctx, simRequestTimeout)
	defer cancel()
	params := string(jsonrpc.AppendString([]byte(`"uri":`), uri))
	c.transport.ask(ctx, c.nextID(), method, params, func(kind history.Kind, answer jsonrpc.Message, at *simConn) {
		m, conn, isAnswer = answer, at, kind == history.Answer
	})
	return m, conn, isAnswer
}
