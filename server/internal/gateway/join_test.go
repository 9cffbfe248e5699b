package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A fixedDoor decides alike about each document, after its first frame.
type fixedDoor struct {
	joiner Joiner
	err    error
}

func (d fixedDoor) Join(ctx context.Context, f Frames, _ *http.Request) (Joiner, error) {
	if _, _, err := f.Read(ctx); err != nil {
		return Joiner{}, err
	}
	return d.joiner, d.err
}

// A document that does not join gets a close code and a reason, which tells nothing unless the
// Doorkeeper says so, and one entry in the audit log; Leave is called for it.
func TestDocumentThatDoesNotJoinIsTold(t *testing.T) {
	for _, x := range []struct {
		name   string
		door   fixedDoor
		code   websocket.StatusCode
		reason string
		entry  string // verb and outcome
	}{
		{"another version", fixedDoor{err: ErrVersion}, socket.CloseVersion, "unsupported version", "join version"},
		{"any error", fixedDoor{err: errors.New("the key of Ann is wrong")}, socket.CloseRefused, "refused", "join refused"},
		{"a code of the doorkeeper", fixedDoor{err: &CloseError{Code: 4499, Reason: "come later", Outcome: "late"}}, 4499, "come later", "join late"},
		{"only paired", fixedDoor{}, websocket.StatusNormalClosure, "", "pair ok"},
		{"revoked meanwhile", fixedDoor{joiner: Joiner{Name: "notes", Valid: func() bool { return false }}}, socket.CloseRefused, "revoked", ""},
		{"too many sockets", fixedDoor{joiner: Joiner{Name: "notes", Valid: func() bool { return true }}}, closeLimit, "too many connections", "join busy"},
	} {
		synctest.Test(t, func(t *testing.T) {
			left := 0
			x.door.joiner.Owner, x.door.joiner.Leave = "o", func() { left++ }
			g := startGateway(t, func(o *Options) { o.Doorkeeper, o.MaxSockets = x.door, 1 })
			if x.code == closeLimit {
				g.Wire(access.SocketPath, AssistantProtocol)
			}
			page := newPage(t, "notes")
			conn, err := page.dial(g, testOrigin, PageProtocol, []byte("{}"))
			page.must(err)
			if got := closed(t, conn); got.Code != x.code || !strings.Contains(got.Reason, x.reason) {
				t.Errorf("%s: closed with %v", x.name, got)
			}
			entries := g.audited(func(e access.Entry) bool { return e.Principal == testOrigin && e.Verb+" "+e.Outcome == x.entry })
			if all := g.audited(func(access.Entry) bool { return true }); entries != all || x.entry != "" && all != 1 {
				t.Errorf("%s is recorded as %+v", x.name, g.entries)
			}
			if left != 1 || g.Views("o").IsConnected("notes") {
				t.Errorf("%s: left %d times", x.name, left)
			}
		})
	}
}

// A document that knows that it has joined is found by what it does next, however long the
// gateway needs for the join.
func TestWelcomedPageIsMounted(t *testing.T) {
	for _, request := range []struct{ method, params, want string }{
		{engine.MethodListResources, "", `"uri":"notes+notes://a"`},
		{engine.MethodReadResource, `"uri":"notes+notes://a"`, `"text":"1"`},
		{engine.MethodListTools, "", `__greet"`},
		{engine.MethodCallTool, `"name":"notes__greet","arguments":{}`, `"text":"hello"`},
		{engine.MethodListTemplates, "", `"uriTemplate":"notes+notes://{id}"`},
		{engine.MethodListPrompts, "", `__ask"`},
		{engine.MethodListen, `"notifications":{"resourceSubscriptions":["notes+notes://a"]}`, `"notifications":{"resourceSubscriptions":["notes+notes://a"]}`},
	} {
		synctest.Test(t, func(t *testing.T) {
			g := startGateway(t, func(o *Options) {
				o.Doorkeeper = fixedDoor{joiner: Joiner{
					Owner: "o", Name: "notes", Valid: func() bool { return true }, Welcome: []byte("{}"),
					Joined: func(func(websocket.StatusCode, string)) { time.Sleep(time.Second) }, // the gateway is busy
				}}
			})
			page := newPage(t, "notes")
			page.write("notes://a", "1")
			page.tool("greet", "{}", always("hello"))
			page.must(page.table.Put(engine.Entry{
				Kind: engine.Templates, JSON: engine.Describe("uriTemplate", "notes://{id}", "name", "note"),
				Expand: func(context.Context, string, []byte) ([]engine.Contents, error) { return nil, engine.ErrNotFound },
			}))
			page.must(page.table.Put(engine.Entry{Kind: engine.Prompts, JSON: []byte(`{"name":"ask"}`), Call: func(context.Context, []byte) ([]byte, error) { return nil, engine.ErrNotFound }}))
			conn, err := page.dial(g, testOrigin, PageProtocol, []byte("{}"))
			page.must(err)
			ctx, cancel := context.WithTimeout(t.Context(), testTime)
			defer cancel()
			if _, frame, err := conn.Read(ctx); err != nil || string(frame) != "{}" {
				t.Fatalf("instead of the welcome: %s, %v", frame, err)
			}
			go page.engine.Serve(context.Background(), socket.New(conn, limits.MaxMessage, false)) // ends with the socket
			answer := g.Open(ctx, "POST", "/mcp", gatewaytest.Modern("1", request.method, request.params), append(gatewaytest.HeadersOf(request.method, request.params), gatewaytest.Streams)...)
			defer answer.Body.Close()
			body := make([]byte, 1<<16)
			n, _ := io.ReadAtLeast(answer.Body, body, len(request.want))
			if !strings.Contains(string(body[:n]), request.want) {
				t.Errorf("%s: %s", request.method, body[:n])
			}
		})
	}
}

// Documents of other origins, with another subprotocol, or while no page may join, reach no
// Doorkeeper.
func TestDoorkeeperSeesNoOtherDocuments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var busy *limits.Exceeded
		g := startGateway(t, func(o *Options) {
			o.Doorkeeper, o.MayJoin = nil, func() *limits.Exceeded { return busy }
		})
		page := newPage(t, "notes")
		if _, err := page.dial(g, "https://evil.example", PageProtocol, nil); err == nil || !strings.Contains(err.Error(), "403") {
			t.Errorf("another origin: %v", err)
		}
		conn, err := page.dial(g, testOrigin, "pagemcp.v0", nil)
		page.must(err)
		if got := closed(t, conn); got.Code != socket.CloseVersion {
			t.Errorf("another subprotocol: %v", got)
		}
		busy = &limits.Exceeded{Text: "the memory is full"}
		if _, err := page.dial(g, testOrigin, PageProtocol, nil); err == nil || !strings.Contains(err.Error(), "503") {
			t.Errorf("while no page may join: %v", err)
		}
	})
}

// The credentials of a page are in use while it is joined, and it may send new ones between
// its messages.
func TestJoinedPageUsesItsCredentials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var touched atomic.Int32
		credentials := make(chan string, 1)
		door := fixedDoor{joiner: Joiner{
			Owner: "o", Name: "notes", Welcome: []byte("{}"), Valid: func() bool { return true }, Touch: func() { touched.Add(1) },
			Credential: func(frame []byte) { credentials <- string(frame) },
		}}
		g := startGateway(t, func(o *Options) { o.Doorkeeper = door })
		page := newPage(t, "notes")
		page.write("notes://a", "1")
		page.join(g)
		page.must(page.conn.Write(t.Context(), websocket.MessageText, []byte(`{"pagemcp":1,"token":"new"}`)))
		if _, body := g.Read("/mcp", "notes+notes://a"); !strings.Contains(body, `"text":"1"`) {
			t.Errorf("a read afterwards: %s", body)
		}
		if len(credentials) != 1 || !strings.Contains(<-credentials, "new") {
			t.Error("the credentials have not arrived")
		}
		time.Sleep(2*TouchEvery + time.Second)
		if n := touched.Load(); n != 2 {
			t.Errorf("touched %d times", n)
		}
		page.leave(g, false)
		time.Sleep(2 * TouchEvery)
		if n := touched.Load(); n != 3 {
			t.Errorf("touched %d times after the end", n)
		}
	})
}

// A page of a single-page app that shows something else is listed as what it shows, also before an older socket of it
// has ended. What it declares is cleaned, as in its hello.
func TestPageMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := startGateway(t)
		page := newPage(t, "notes")
		page.write("notes://a", "1")
		page.join(g)
		older := page.conn
		again := newPage(t, "notes")
		again.write("notes://a", "1")
		again.join(g)
		again.must(again.conn.Write(t.Context(), websocket.MessageText, []byte(`{"pagemcp":1,"page":{"title":"Note\u202e 7","url":"https://app.example/7"}}`)))
		_ = older.Write(t.Context(), websocket.MessageText, []byte(`{"pagemcp":1,"page":{"title":"old","url":""}}`)) // it is closed
		synctest.Wait()
		states := g.Views("o").Pages()
		if len(states) != 1 || states[0].Title != "Note 7" || states[0].URL != "https://app.example/7" {
			t.Errorf("the pages: %+v", states)
		}
		if _, body := g.Read("/mcp", "notes+notes://a"); !strings.Contains(body, `"text":"1"`) {
			t.Errorf("a read afterwards: %s", body)
		}
	})
}
