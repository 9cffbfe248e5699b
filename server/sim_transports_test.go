package server

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest/history"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A simHTTP carries messages over Streamable HTTP, each on a connection of its own. A classic
// client has one session for the whole run: like the official TypeScript client it never begins
// a new one, so that a 404 would leave it broken.
type simHTTP struct {
	*simClient
	withoutStream bool // it does not reopen the stream of its session

	session []string // lines of the header; nil without a session
}

// run implements simTransport.
func (h *simHTTP) run() {
	if h.isClassic {
		for !h.initialize() {
			if !h.w.pause(h.rand, time.Second) {
				return
			}
		}
		h.w.parties.Go(h.stream)
	}
	h.act(nil)
}

// initialize begins a session.
func (h *simHTTP) initialize() bool {
	ctx, cancel := context.WithTimeout(h.w.ctx, simRequestTimeout)
	defer cancel()
	answer, conn, err := h.open(ctx, http.MethodPost, gatewaytest.Initialize)
	if err != nil {
		return false
	}
	defer conn.Close()
	h.session = []string{"Mcp-Session-Id: " + answer.Header.Get("Mcp-Session-Id"), "MCP-Protocol-Version: 2025-11-25"}
	for answer.StatusCode == http.StatusOK && h.w.ctx.Err() == nil {
		answer, conn, err := h.open(h.w.ctx, http.MethodPost, gatewaytest.Initialized, h.session...)
		if err == nil {
			conn.Close()
			if answer.StatusCode == http.StatusAccepted {
				return true
			}
		}
		h.w.pause(h.rand, time.Second)
	}
	return false
}

// stream keeps the stream of the session open.
func (h *simHTTP) stream() {
	for tries := 0; tries < 2 || !h.withoutStream; tries++ {
		answer, conn, err := h.open(h.w.ctx, http.MethodGet, "", h.session...)
		if err == nil {
			if answer.StatusCode == http.StatusOK {
				tries = 0
				h.note(history.Event{Kind: history.Stream})
			}
			h.read(answer, conn)
			conn.Close()
		}
		select {
		case <-time.After(3 * time.Second): // the gateway's `retry:`
		case <-h.w.ctx.Done():
			return
		}
	}
}

// ask implements simTransport.
func (h *simHTTP) ask(ctx context.Context, id, method, params string, over simOver) {
	body, lines := gatewaytest.Modern(`"`+id+`"`, method, params), gatewaytest.HeadersOf(method, params)
	if h.isClassic {
		body, lines = gatewaytest.Classic(`"`+id+`"`, method, params), h.session
	}
	var m jsonrpc.Message
	answer, conn, err := h.open(ctx, http.MethodPost, body, lines...)
	if err == nil {
		defer conn.Close()
		m = h.read(answer, conn)
	}
	switch {
	case m.Kind == jsonrpc.Response:
		over(history.Answer, m, conn)
	case ctx.Err() != nil:
		over(history.GiveUp, m, conn)
	default:
		over(history.Closed, m, conn)
	}
}

// open sends one request. It is over when the connection is closed, which the caller does, or the end of ctx.
func (h *simHTTP) open(ctx context.Context, method, body string, lines ...string) (*http.Response, *simConn, error) {
	conn, err := h.w.network.dial(ctx, h.name)
	if err != nil {
		return nil, nil, err
	}
	context.AfterFunc(ctx, func() { conn.Close() })
	r, err := http.NewRequest(method, "http://127.0.0.1:8808/mcp", strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	r.Close = true
	for _, line := range append(lines, "Authorization: Bearer "+h.w.token, "Content-Type: application/json", gatewaytest.Streams) {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	if err = r.Write(conn); err == nil {
		var answer *http.Response
		if answer, err = http.ReadResponse(bufio.NewReader(conn), r); err == nil {
			if h.session != nil && answer.StatusCode == http.StatusNotFound {
				h.w.alarm("the session of " + h.name + " is unknown: 404")
			}
			return answer, conn, nil
		}
	}
	conn.Close()
	return nil, conn, err
}

// read receives messages until the response, or the end. A reader notices a dead connection by the
// missing comment, which the gateway sends every 15 s.
func (h *simHTTP) read(answer *http.Response, conn *simConn) jsonrpc.Message {
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	for {
		conn.SetReadDeadline(time.Now().Add(50 * time.Second))
		if !lines.Scan() {
			return jsonrpc.Message{}
		}
		m, err := jsonrpc.Parse([]byte(strings.TrimPrefix(lines.Text(), "data: ")))
		switch {
		case err != nil: // no message
		case m.Kind == jsonrpc.Response:
			return m
		default:
			h.receive(m, conn)
		}
	}
}

// A simSocket carries messages over /ws.
type simSocket struct {
	*simClient

	mu   sync.Mutex
	port *socket.Socket     // nil: it is not connected
	open map[string]simOver // requests without an answer, by id
}

// run implements simTransport.
func (s *simSocket) run() {
	for s.w.pause(s.rand, time.Second) {
		s.connect()
	}
}

// connect connects once, and returns when the connection has ended.
func (s *simSocket) connect() {
	ctx, cancel := context.WithTimeout(s.w.ctx, 5*time.Second)
	defer cancel()
	conn, wire, err := s.w.network.dialWebSocket(ctx, s.name, "/ws", gateway.AssistantProtocol, http.Header{"Authorization": {"Bearer " + s.w.token}})
	if err != nil {
		return
	}
	defer conn.CloseNow()
	port := socket.New(conn, limits.MaxAnswer, false)
	s.attach(port)
	acting := make(chan struct{})
	go func() { // ends with the socket
		defer close(acting)
		defer port.Abort()
		port.KeepAlive(nil)
		s.act(port.Done())
	}()
	for {
		msg, err := port.Read(context.Background())
		if err != nil {
			break
		}
		m, _ := jsonrpc.Parse(msg)
		if m.Kind != jsonrpc.Response {
			s.receive(m, wire)
		} else if id, _ := jsonrpc.Text([]byte(m.ID)); !s.settle(id, history.Answer, m, wire) {
			s.w.alarm("an answer on /ws that no request waits for: " + id)
		}
	}
	port.Abort()
	for _, over := range s.attach(nil) {
		over(history.Closed, jsonrpc.Message{}, wire)
	}
	<-acting
}

// attach replaces the connection, and returns the requests of the one before.
func (s *simSocket) attach(port *socket.Socket) (open map[string]simOver) {
	s.mu.Lock()
	defer s.mu.Unlock()
	open = s.open
	s.port, s.open = port, map[string]simOver{}
	return open
}

// settle ends a request that is open.
func (s *simSocket) settle(id string, kind history.Kind, m jsonrpc.Message, wire *simConn) bool {
	s.mu.Lock()
	over := s.open[id]
	delete(s.open, id)
	s.mu.Unlock()
	if over != nil {
		over(kind, m, wire)
	}
	return over != nil
}

// begin adds a request, if there is a connection.
func (s *simSocket) begin(id string, over simOver) *socket.Socket {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.port != nil {
		s.open[id] = over
	}
	return s.port
}

// ask implements simTransport. What the gateway sends after the answer to a ping was sent after it had
// taken the cancellation before.
func (s *simSocket) ask(ctx context.Context, id, method, params string, over simOver) {
	done := make(chan struct{})
	port := s.begin(id, func(kind history.Kind, m jsonrpc.Message, wire *simConn) {
		over(kind, m, wire)
		close(done)
	})
	if port == nil {
		over(history.Closed, jsonrpc.Message{}, nil)
		return
	}
	port.Write(s.w.ctx, []byte(gatewaytest.Modern(`"`+id+`"`, method, params)))
	select {
	case <-done:
		return
	case <-ctx.Done():
	}
	ping := s.nextID()
	s.begin(ping, func(kind history.Kind, m jsonrpc.Message, wire *simConn) { s.settle(id, history.GiveUp, m, wire) })
	port.Write(s.w.ctx, []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{`+gatewaytest.Envelope+`,"requestId":"`+id+`"}}`))
	port.Write(s.w.ctx, []byte(`{"jsonrpc":"2.0","id":"`+ping+`","method":"ping"}`))
	<-done
}
