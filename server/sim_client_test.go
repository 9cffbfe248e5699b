package server

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest/history"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// simRequestTimeout is the request timeout of clients: 60 s, as in the official SDKs.
const simRequestTimeout = 60 * time.Second

// A simClient is what all simulated assistants have in common.
type simClient struct {
	w    *simWorld
	name string
	rand *simRand

	mu    sync.Mutex
	count int
}

func (c *simClient) next() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count++
	return c.count
}

func (c *simClient) pause(mean time.Duration) bool { return c.w.pause(c.rand, mean) }

func (c *simClient) note(e history.Event) {
	e.Who = c.name
	c.w.history.Add(e)
}

// request sends one HTTP request on a connection of its own. The answer's body
// ends when the connection is closed.
func (c *simClient) request(ctx context.Context, method, body string, lines ...string) (*http.Response, *simConn, error) {
	conn, err := c.w.network.dial(ctx, c.name)
	if err != nil {
		return nil, nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	r, err := http.NewRequest(method, "http://127.0.0.1:8808/mcp", strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	r.Close = true
	r.Header.Set("Authorization", "Bearer "+c.w.token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	if err = r.Write(conn); err == nil {
		var answer *http.Response
		if answer, err = http.ReadResponse(bufio.NewReader(conn), r); err == nil {
			return answer, conn, nil
		}
	}
	stop()
	conn.Close()
	return nil, conn, err
}

// errNoAnswer: the connection ended before the answer.
var errNoAnswer = errors.New("closed without an answer")

// exchange sends a request and waits for its answer, which may be JSON or an event
// stream. other gets what comes before it.
func (c *simClient) exchange(ctx context.Context, body string, other func(jsonrpc.Message, time.Time), lines ...string) (jsonrpc.Message, *http.Response, *simConn, error) {
	answer, conn, err := c.request(ctx, http.MethodPost, body, lines...)
	if err != nil {
		return jsonrpc.Message{}, nil, conn, err
	}
	defer conn.Close()
	if !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") {
		data, err := io.ReadAll(answer.Body)
		if err != nil {
			return jsonrpc.Message{}, answer, conn, err
		}
		m, _ := jsonrpc.Parse(data)
		return m, answer, conn, nil
	}
	var last jsonrpc.Message
	found := false
	err = simEvents(answer.Body, func(m jsonrpc.Message) bool {
		if m.Kind == jsonrpc.Response {
			last, found = m, true
			return false
		}
		other(m, conn.sent())
		return true
	})
	if !found {
		return last, answer, conn, errors.Join(errNoAnswer, err)
	}
	return last, answer, conn, nil
}

// simEvents reads an event stream until it ends or take returns false.
func simEvents(body io.Reader, take func(jsonrpc.Message) bool) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, isData := strings.CutPrefix(lines.Text(), "data: ")
		if !isData {
			continue
		}
		m, err := jsonrpc.Parse([]byte(data))
		if err != nil {
			return err
		}
		if !take(m) {
			return nil
		}
	}
	return lines.Err()
}

// A simRequest is a call that any client may make.
type simRequest struct {
	kind, method, params string
	id                   string // in the history
	name, uri            string
	target               string // Mcp-Name
	clean                bool
	steady               []string // names whose entries a list must have
}

// choose makes a random request.
func (c *simClient) choose() simRequest {
	r := simRequest{id: c.name + "/" + strconv.Itoa(c.next())}
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

// begin notes that a request is made.
func (c *simClient) begin(r simRequest) {
	c.note(history.Event{Kind: history.Call, ID: r.id, Name: r.name, URI: r.uri, Text: r.kind, Clean: r.clean})
}

// finish notes its answer.
func (c *simClient) finish(r simRequest, m jsonrpc.Message, sent time.Time, clean bool) {
	e := history.Event{Kind: history.Answer, ID: r.id, Name: r.name, URI: r.uri, Text: "ok", Clean: clean, Sent: c.w.since(sent)}
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

// splitURI takes the name of the page off a URI of the endpoint /mcp.
func splitURI(uri string) (name, rest string) {
	name, rest, _ = strings.Cut(uri, "+")
	return name, rest
}

// A modernClient is an assistant of 2026-07-28 over Streamable HTTP.
type modernClient struct{ simClient }

func (c *modernClient) run() {
	for range 2 {
		c.w.parties.Go(c.listens)
	}
	for c.pause(c.w.pace) {
		c.w.parties.Go(func() { c.call(c.choose()) })
	}
}

func (c *modernClient) call(r simRequest) {
	timeout := simRequestTimeout
	givesUp := c.rand.IntN(8) == 0 && !c.w.isCalm()
	if givesUp {
		timeout = c.rand.upTo(3 * time.Second)
	}
	ctx, cancel := context.WithTimeout(c.w.ctx, timeout)
	defer cancel()
	lines := []string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: " + r.method}
	if r.target != "" {
		lines = append(lines, "Mcp-Name: "+r.target)
	}
	calm := c.w.isCalm()
	c.begin(r)
	m, _, conn, err := c.exchange(ctx, gatewaytest.Modern("1", r.method, r.params), func(jsonrpc.Message, time.Time) {}, lines...)
	switch {
	case err == nil:
		c.finish(r, m, conn.sent(), !conn.isFaulty())
	case ctx.Err() != nil:
		if !givesUp && c.w.ctx.Err() == nil && calm && r.clean && conn != nil && !conn.isFaulty() {
			c.w.alarm("no answer in " + timeout.String() + " to " + r.id + ", " + r.method + " " + r.target)
		}
		c.note(history.Event{Kind: history.GiveUp, ID: r.id})
	default:
		c.note(history.Event{Kind: history.Closed, ID: r.id})
	}
}

// listens keeps one listen open, with other URIs each time.
func (c *modernClient) listens() {
	for c.pause(2 * time.Second) {
		if c.w.still.Load() {
			continue
		}
		c.listenOnce()
	}
}

// listenOnce holds a listen to a few URIs open for a while.
func (c *modernClient) listenOnce() {
	var uris []string
	for range 1 + c.rand.IntN(5) {
		if name, uri := c.w.randomResource(c.rand); name != "" && !slices.Contains(uris, name+"+"+uri) {
			uris = append(uris, name+"+"+uri)
		}
	}
	ctx, cancel := context.WithCancel(c.w.ctx)
	go func() { // ends with ctx
		for c.w.pauseUntil(c.rand, 5*time.Minute, ctx.Done()) {
			if !c.w.still.Load() {
				cancel()
			}
		}
	}()
	c.listen(ctx, uris)
	cancel()
}

func (c *modernClient) listen(ctx context.Context, uris []string) {
	id := c.name + "/listen" + strconv.Itoa(c.next())
	filter := []byte(`"notifications":{"resourcesListChanged":true,"resourceSubscriptions":[`)
	for i, uri := range uris {
		name, rest := splitURI(uri)
		c.note(history.Event{Kind: history.Subscribe, ID: id, Name: name, URI: rest})
		if i > 0 {
			filter = append(filter, ',')
		}
		filter = jsonrpc.AppendString(filter, uri)
	}
	filter = append(filter, "]}"...)
	answer, conn, err := c.request(ctx, http.MethodPost, gatewaytest.Modern(`"`+id+`"`, "subscriptions/listen", string(filter)),
		"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: subscriptions/listen")
	if err != nil {
		c.note(history.Event{Kind: history.Refused, ID: id})
		return
	}
	defer conn.Close()
	if answer.StatusCode != http.StatusOK {
		c.note(history.Event{Kind: history.Refused, ID: id, Text: answer.Status})
		return
	}
	// A reader of event streams notices a dead connection by the missing comment.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	alive := watchdog(ctx, conn, cancel)
	simEvents(io.TeeReader(answer.Body, alive), func(m jsonrpc.Message) bool {
		switch {
		case m.Method == "notifications/subscriptions/acknowledged":
			c.note(history.Event{Kind: history.Ack, ID: id})
		case m.Method == "notifications/resources/updated":
			uri, _ := jsonrpc.Text(jsonrpc.Member(m.Params, "uri"))
			name, rest := splitURI(uri)
			c.note(history.Event{Kind: history.Note, ID: id, Name: name, URI: rest, Sent: c.w.since(conn.sent())})
		case m.Kind == jsonrpc.Response:
			return false
		}
		return true
	})
	c.note(history.Event{Kind: history.End, ID: id})
}

// watchdog closes a connection on which nothing came for 50 s, though the gateway
// sends a comment every 15 s.
func watchdog(ctx context.Context, conn *simConn, give func()) io.Writer {
	d := &dog{last: time.Now()}
	go func() { // ends with ctx
		ticker := time.NewTicker(10 * time.Second)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				if d.quiet() > 50*time.Second {
					conn.Close()
					give()
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return d
}

type dog struct {
	mu   sync.Mutex
	last time.Time
}

func (d *dog) Write(b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = time.Now()
	return len(b), nil
}

func (d *dog) quiet() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return time.Since(d.last)
}
