package server

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/skill"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A way in is how a test sends the requests of one assistant. ask returns the response; of a
// listen the acknowledgement.
type wayIn struct {
	name    string
	classic bool
	ask     func(method, params string) string
	stream  func() <-chan string // opens the GET stream; of a session alone
}

// byHTTP sends requests of 2026-07-28 to /mcp.
func byHTTP(t *testing.T, g *Gateway, token string) wayIn {
	return wayIn{name: "HTTP", ask: func(method, params string) string {
		_, body := caller(t, g).As(token).Ask("/mcp", method, params, gatewaytest.Streams)
		return body
	}}
}

// bySession sends requests in a session of a classic revision.
func bySession(t *testing.T, g *Gateway, token, version string) wayIn {
	t.Helper()
	session := caller(t, g).As(token).Begin("/mcp", strings.Replace(gatewaytest.Initialize, "2025-11-25", version, 1))
	return wayIn{name: "session " + version, classic: true, stream: func() <-chan string {
		stream := session.Listen(t.Context())
		gatewaytest.Receive(t, stream.Lines)
		return stream.Messages
	}, ask: func(method, params string) string {
		_, answer := session.Say(gatewaytest.Classic("1", method, params))
		return answer
	}}
}

// dialAs opens a WebSocket with a token and further header lines.
func dialAs(t *testing.T, g *Gateway, token string, lines ...string) (*socket.Socket, error) {
	t.Helper()
	header := http.Header{"Authorization": {"Bearer " + token}}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ":")
		header.Set(name, strings.TrimSpace(value))
	}
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	conn, answer, err := websocket.Dial(ctx, "ws"+strings.TrimSuffix(strings.TrimPrefix(g.URL(), "http"), "/mcp")+"/ws", &websocket.DialOptions{
		HTTPClient: gatewaytest.HTTP, HTTPHeader: header, Subprotocols: []string{gateway.AssistantProtocol},
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %d", err, answer.StatusCode)
	}
	s := socket.New(conn, limits.MaxAnswer, false)
	t.Cleanup(s.Abort)
	return s, nil
}

// bySocket sends requests of 2026-07-28 on a WebSocket.
func bySocket(t *testing.T, s *socket.Socket) wayIn {
	return wayIn{name: "/ws", ask: func(method, params string) string {
		ctx, cancel := context.WithTimeout(t.Context(), testTime)
		defer cancel()
		if err := s.Write(ctx, []byte(gatewaytest.Modern("1", method, params))); err != nil {
			t.Fatal(err)
		}
		for {
			msg, err := s.Read(ctx)
			if err != nil {
				t.Fatalf("the socket ended: %v", err)
			}
			if message.HeadOf(msg).Kind == jsonrpc.Response {
				return string(msg)
			}
		}
	}}
}

// assistantPage joins a page with everything that a right is about: a resource, a template, a
// prompt, a tool that reads and one that acts, and a skill.
func assistantPage(t *testing.T, g *Gateway, app string, extended bool) *testPage {
	t.Helper()
	return assistantPageWith(t, g, app, extended, func(*engine.Options) {}, func(*engine.Engine) {})
}

// assistantPageWith is assistantPage with further options, and what is done before it joins.
func assistantPageWith(t *testing.T, g *Gateway, app string, extended bool, adapt func(*engine.Options), begin func(*engine.Engine)) *testPage {
	t.Helper()
	p := newPage(t, testOrigin, app)
	p.app = app
	options := engine.Options{UpdateInterval: 10 * time.Millisecond, Tools: true, Prompts: true, Completions: true}
	if extended {
		options.Extensions = []*engine.Extension{skill.Extension}
	}
	adapt(&options)
	p.engine = engine.New(engine.Info{Name: app, Version: "1"}, &options)
	begin(p.engine)
	p.engine.Mount("", p.table)
	if extended {
		p.skill()
	}
	p.write("note:a", "secret of "+app)
	values := func(context.Context, engine.CompletionRequest) (engine.Completion, error) {
		return engine.Completion{Values: []string{"value of " + app}}, nil
	}
	p.must(p.table.Put(engine.Entry{Kind: engine.Templates, JSON: engine.Describe("uriTemplate", "note:x/{id}", "name", "t"), Complete: values}))
	p.must(p.table.Put(engine.Entry{
		Kind: engine.Prompts, JSON: []byte(`{"name":"ask","arguments":[{"name":"a"}]}`),
		Complete: values,
		Call: func(context.Context, []byte) ([]byte, error) {
			return []byte(`{"messages":[{"role":"user","content":{"type":"text","text":"prompt of ` + app + `"}}]}`), nil
		},
	}))
	for name, hints := range map[string]string{"look": `{"readOnlyHint":true}`, "act": `{"readOnlyHint":false}`, "bare": `{}`} {
		p.must(p.table.Put(engine.Entry{
			Kind: engine.Tools, JSON: []byte(`{"name":"` + name + `","inputSchema":{"type":"object"},"annotations":` + hints + `}`),
			Call: func(context.Context, []byte) ([]byte, error) {
				return []byte(`{"content":[{"type":"text","text":"` + name + ` of ` + app + `"}]}`), nil
			},
		}))
	}
	p.join(g)
	return p
}
