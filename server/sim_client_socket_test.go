package server

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest/history"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A socketClient is an assistant on /ws that speaks 2026-07-28: listens, cancels
// and many requests at a time on one connection.
type socketClient struct {
	simClient

	mu      sync.Mutex
	port    *socket.Socket
	wire    *simConn
	calls   map[string]simRequest // by the id's key
	listens map[string]string     // open ones, by id: the id in the history
	pings   map[string]func()     // what to do when one is answered
}

func (c *socketClient) run() {
	for c.pause(time.Second) {
		c.connect()
	}
}

func (c *socketClient) connect() {
	ctx, cancel := context.WithTimeout(c.w.ctx, 5*time.Second)
	defer cancel()
	var wire *simConn
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		conn, err := c.w.network.dial(ctx, c.name)
		if err != nil {
			return nil, err
		}
		wire = conn
		return conn, nil
	}}
	defer transport.CloseIdleConnections()
	conn, _, err := websocket.Dial(ctx, "ws://127.0.0.1:8808/ws", &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: transport},
		HTTPHeader: http.Header{"Authorization": {"Bearer " + c.w.token}}, Subprotocols: []string{gateway.AssistantProtocol},
	})
	if err != nil {
		return
	}
	defer conn.CloseNow()
	port := socket.New(conn, limits.MaxAnswer, false)
	c.mu.Lock()
	c.port, c.wire = port, wire
	c.calls, c.listens, c.pings = map[string]simRequest{}, map[string]string{}, map[string]func(){}
	c.mu.Unlock()
	acting := make(chan struct{})
	go func() { // ends with the socket
		defer close(acting)
		c.act(port)
	}()
	for {
		msg, err := port.Read(context.Background())
		if err != nil {
			break
		}
		if m, err := jsonrpc.Parse(msg); err == nil {
			c.receive(m, wire)
		}
	}
	port.Abort()
	<-acting
	c.mu.Lock()
	defer c.mu.Unlock()
	c.port = nil
	for _, r := range c.calls {
		c.note(history.Event{Kind: history.Closed, ID: r.id})
	}
	for _, id := range c.listens {
		c.note(history.Event{Kind: history.End, ID: id})
	}
	c.calls, c.listens = map[string]simRequest{}, map[string]string{}
}

// act makes requests until the socket ends.
func (c *socketClient) act(port *socket.Socket) {
	port.KeepAlive(nil)
	defer port.Abort()
	for c.w.pauseUntil(c.rand, c.w.pace, port.Done()) {
		switch n := c.rand.IntN(4); {
		case n < 2 && c.w.still.Load():
		case n == 0:
			c.listen(port)
		case n == 1:
			c.cancel(port)
			if c.rand.IntN(4) == 0 { // a burst: nothing waits for the one before
				for range 4 {
					c.listen(port)
					c.cancel(port)
				}
			}
		default:
			c.call(port, c.choose())
		}
	}
}

func (c *socketClient) send(port *socket.Socket, text string) { port.Write(c.w.ctx, []byte(text)) }

func (c *socketClient) call(port *socket.Socket, r simRequest) {
	id := strconv.Itoa(c.next())
	c.begin(r)
	c.mu.Lock()
	c.calls[jsonrpc.ID(id).Key()] = r
	c.mu.Unlock()
	c.send(port, gatewaytest.Modern(id, r.method, r.params))
}

func (c *socketClient) listen(port *socket.Socket) {
	name, rest := c.w.randomResource(c.rand)
	c.mu.Lock()
	full := len(c.listens) >= 20
	c.mu.Unlock()
	if name == "" || full {
		return
	}
	key := strconv.Itoa(c.next())
	id := c.name + "/listen" + key
	c.note(history.Event{Kind: history.Subscribe, ID: id, Name: name, URI: rest})
	c.mu.Lock()
	c.listens[`"L`+key+`"`] = id
	c.mu.Unlock()
	c.send(port, gatewaytest.Modern(`"L`+key+`"`, "subscriptions/listen",
		`"notifications":{"resourceSubscriptions":[`+string(jsonrpc.AppendString(nil, name+"+"+rest))+`]}`))
}

// listenMore opens three listens at once, if the client is connected.
func (c *socketClient) listenMore() {
	c.mu.Lock()
	port := c.port
	c.mu.Unlock()
	for range 3 {
		if port != nil {
			c.listen(port)
		}
	}
}

// cancel ends a listen, or a request, and then pings: what the gateway sends after
// the answer to the ping was sent after it had taken the cancel.
func (c *socketClient) cancel(port *socket.Socket) {
	ping := strconv.Itoa(c.next())
	c.mu.Lock()
	var key, id string
	for candidate, of := range c.listens {
		if key == "" || candidate < key {
			key, id = candidate, of
		}
	}
	kind := history.Cancel
	if c.rand.IntN(3) == 0 || key == "" {
		kind, key = history.GiveUp, ""
		for candidate, r := range c.calls {
			if key == "" || candidate < key {
				key, id = candidate, r.id
			}
		}
	}
	if key == "" {
		c.mu.Unlock()
		return
	}
	c.pings[jsonrpc.ID(ping).Key()] = func() { // the lock is held
		if kind == history.Cancel {
			if _, open := c.listens[key]; open {
				delete(c.listens, key)
				c.note(history.Event{Kind: history.Cancel, ID: id})
			}
			return
		}
		if _, open := c.calls[key]; open {
			delete(c.calls, key)
			c.note(history.Event{Kind: history.GiveUp, ID: id})
		}
	}
	c.mu.Unlock()
	c.send(port, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{`+gatewaytest.Envelope+`,"requestId":`+key+`}}`)
	c.send(port, `{"jsonrpc":"2.0","id":`+ping+`,"method":"ping"}`)
}

func (c *socketClient) receive(m jsonrpc.Message, wire *simConn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	sent := wire.sent()
	if m.Kind == jsonrpc.Response {
		key := m.ID.Key()
		if done := c.pings[key]; done != nil {
			delete(c.pings, key)
			done()
			return
		}
		if id, open := c.listens[string(m.ID)]; open {
			delete(c.listens, string(m.ID))
			kind := history.End
			if m.Error != nil {
				kind = history.Refused
			}
			c.note(history.Event{Kind: kind, ID: id, Sent: c.w.since(sent)})
			return
		}
		if r, open := c.calls[key]; open {
			delete(c.calls, key)
			c.finish(r, m, sent, !wire.isFaulty())
			return
		}
		c.w.alarm("an answer on /ws that no request waits for: " + string(m.ID))
		return
	}
	subscription := string(jsonrpc.Member(jsonrpc.Member(m.Params, "_meta"), "io.modelcontextprotocol/subscriptionId"))
	id := c.listens[subscription]
	if id == "" && subscription != "" {
		id = c.name + "/listen" + subscription[2:len(subscription)-1] // over: the checker judges
	}
	switch m.Method {
	case "notifications/subscriptions/acknowledged":
		c.note(history.Event{Kind: history.Ack, ID: id})
	case "notifications/resources/updated":
		uri, _ := jsonrpc.Text(jsonrpc.Member(m.Params, "uri"))
		name, rest := splitURI(uri)
		c.note(history.Event{Kind: history.Note, ID: id, Name: name, URI: rest, Sent: c.w.since(sent)})
	}
}
