package server

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest/history"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A classicClient is an assistant of 2025-11-25 over Streamable HTTP: one session
// for the whole run. Like the official TypeScript client it never begins a new
// one: a 404 would leave it broken.
type classicClient struct {
	simClient
	withoutStream bool // it does not reopen its GET stream

	session string
	mu      sync.Mutex
	subs    map[string]string // by URI: the id in the history
}

func (c *classicClient) run() {
	for !c.initialize() {
		if !c.pause(time.Second) {
			return
		}
	}
	c.w.parties.Go(c.stream)
	for c.pause(c.w.pace) {
		switch n := c.rand.IntN(4); {
		case n < 2 && c.w.still.Load():
		case n == 0:
			c.subscribe()
		case n == 1:
			if c.rand.IntN(2) == 0 {
				c.unsubscribe()
			} else {
				c.subscribe()
			}
		default:
			c.w.parties.Go(func() { c.call(c.choose()) })
		}
	}
}

func (c *classicClient) initialize() bool {
	ctx, cancel := context.WithTimeout(c.w.ctx, simRequestTimeout)
	defer cancel()
	_, answer, _, err := c.exchange(ctx, gatewaytest.Classic("0", "initialize",
		`"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"sim","version":"1"}`), c.receive)
	if err != nil || answer.StatusCode != http.StatusOK {
		return false
	}
	c.mu.Lock()
	c.session = answer.Header.Get("Mcp-Session-Id")
	c.mu.Unlock()
	for c.w.ctx.Err() == nil {
		_, answer, _, err = c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		if err == nil && answer.StatusCode == http.StatusAccepted {
			return true
		}
		c.pause(time.Second)
	}
	return false
}

// isOpen tells whether there is a session.
func (c *classicClient) isOpen() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session != ""
}

func (c *classicClient) post(body string) (jsonrpc.Message, *http.Response, *simConn, error) {
	ctx, cancel := context.WithTimeout(c.w.ctx, simRequestTimeout)
	defer cancel()
	m, answer, conn, err := c.exchange(ctx, body, c.receive, "Mcp-Session-Id: "+c.session, "MCP-Protocol-Version: 2025-11-25")
	if answer != nil && answer.StatusCode == http.StatusNotFound {
		c.w.alarm("the session of " + c.name + " is unknown: 404")
	}
	return m, answer, conn, err
}

// receive handles a message of the stream of a POST or of the GET stream.
func (c *classicClient) receive(m jsonrpc.Message, sent time.Time) {
	if m.Method != "notifications/resources/updated" {
		return
	}
	uri, _ := jsonrpc.Text(jsonrpc.Member(m.Params, "uri"))
	name, rest := splitURI(uri)
	c.note(history.Event{Kind: history.Note, Name: name, URI: rest, Sent: c.w.since(sent)})
}

// stream keeps the GET stream open.
func (c *classicClient) stream() {
	tries := 0
	for c.w.ctx.Err() == nil {
		ctx, cancel := context.WithCancel(c.w.ctx)
		answer, conn, err := c.request(ctx, http.MethodGet, "", "Mcp-Session-Id: "+c.session, "Accept: text/event-stream", "MCP-Protocol-Version: 2025-11-25")
		tries++
		if err == nil {
			switch answer.StatusCode {
			case http.StatusOK:
				tries = 0
				c.note(history.Event{Kind: history.Stream})
				simEvents(io.TeeReader(answer.Body, watchdog(ctx, conn, cancel)), func(m jsonrpc.Message) bool {
					c.receive(m, conn.sent())
					return true
				})
			case http.StatusNotFound:
				c.w.alarm("the session of " + c.name + " is unknown to GET: 404")
			}
			conn.Close()
		}
		cancel()
		if c.withoutStream && tries >= 2 {
			return
		}
		select {
		case <-time.After(3 * time.Second): // the gateway's `retry:`
		case <-c.w.ctx.Done():
		}
	}
}

func (c *classicClient) call(r simRequest) {
	calm := c.w.isCalm()
	c.begin(r)
	m, _, conn, err := c.post(gatewaytest.Classic(strconv.Itoa(c.next()), r.method, r.params))
	switch {
	case err == nil:
		c.finish(r, m, conn.sent(), !conn.isFaulty())
	default:
		if c.w.ctx.Err() == nil && calm && r.clean && conn != nil && !conn.isFaulty() {
			c.w.alarm("no answer to " + r.id + ", " + r.method + " " + r.target + ": " + err.Error())
		}
		c.note(history.Event{Kind: history.Closed, ID: r.id})
	}
}

func (c *classicClient) subscribe() {
	name, rest := c.w.randomResource(c.rand)
	if name == "" {
		return
	}
	uri := name + "+" + rest
	c.mu.Lock()
	_, has := c.subs[uri]
	id := c.name + "/sub" + strconv.Itoa(c.next())
	if !has {
		c.subs[uri] = id
	}
	c.mu.Unlock()
	if has {
		return
	}
	c.note(history.Event{Kind: history.Subscribe, ID: id, Name: name, URI: rest, Text: "classic"})
	for c.w.ctx.Err() == nil {
		m, answer, _, err := c.post(gatewaytest.Classic(strconv.Itoa(c.next()), "resources/subscribe", string(jsonrpc.AppendString([]byte(`"uri":`), uri))))
		if err == nil && answer.StatusCode == http.StatusOK {
			if m.Error == nil {
				c.note(history.Event{Kind: history.Ack, ID: id, Name: name, URI: rest})
				return
			}
			if !isRetry(m.Error) {
				break
			}
		}
		c.pause(2 * time.Second) // it may have taken effect: retry
	}
	// A refused subscription may still have been made by an earlier try.
	c.drop(uri, id)
}

func isRetry(err *jsonrpc.Error) bool { return string(jsonrpc.Member(err.Data, "retry")) == "true" }

func (c *classicClient) unsubscribe() {
	c.mu.Lock()
	var uri, id string
	for candidate, of := range c.subs {
		if uri == "" || candidate < uri { // the first by name: the same in every run of the seed
			uri, id = candidate, of
		}
	}
	c.mu.Unlock()
	if uri != "" {
		c.drop(uri, id)
	}
}

// drop unsubscribes until the gateway has confirmed it.
func (c *classicClient) drop(uri, id string) {
	name, rest := splitURI(uri)
	for c.w.ctx.Err() == nil {
		m, answer, conn, err := c.post(gatewaytest.Classic(strconv.Itoa(c.next()), "resources/unsubscribe", string(jsonrpc.AppendString([]byte(`"uri":`), uri))))
		if err == nil && answer.StatusCode == http.StatusOK && m.Error == nil {
			c.note(history.Event{Kind: history.Cancel, ID: id, Name: name, URI: rest, Sent: c.w.since(conn.sent())})
			c.mu.Lock()
			delete(c.subs, uri)
			c.mu.Unlock()
			return
		}
		c.pause(2 * time.Second)
	}
}
