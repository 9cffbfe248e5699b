package server

import (
	"context"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/conns/connstest"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// startInMemory runs a gateway on a disk and a network in memory, in a bubble of
// synctest. kill ends it like kill -9: what it does from then on reaches no disk.
func startInMemory(t *testing.T, d *memDisk, change ...func(*Options)) (g *Gateway, client *http.Client, kill func()) {
	t.Helper()
	var killed atomic.Bool
	opts := Options{
		State: "/state", disk: d.process(), lockWait: -1, Origins: []string{testOrigin}, Version: "0.0.0-test",
		Logger: logTo(func(line string) {
			if !killed.Load() { // then it complains about the disk
				t.Log(line)
			}
		}),
	}
	for _, each := range change {
		each(&opts)
	}
	g, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	wires := connstest.NewListener()
	g.port, g.listeners = 8808, []net.Listener{wires}
	served := make(chan error, 1)
	go func() { served <- g.Serve(context.Background()) }()
	transport := &http.Transport{DialContext: wires.Connect}
	return g, &http.Client{Transport: transport}, func() {
		killed.Store(true)
		d.crash(nil)
		transport.CloseIdleConnections()
		g.Close(context.Background())
		if err := <-served; err != nil {
			t.Error(err)
		}
	}
}

// inMemory runs do with a gateway whose clock is fake.
func inMemory(t *testing.T, do func(t *testing.T, g *Gateway, client *http.Client)) {
	synctest.Test(t, func(t *testing.T) {
		g, client, kill := startInMemory(t, newMemDisk())
		do(t, g, client)
		kill()
	})
}

// joinInMemory joins a page by a new secret.
func joinInMemory(t *testing.T, g *Gateway, client *http.Client, answer reply) (*websocket.Conn, welcome) {
	t.Helper()
	first, key := invited(t, g)
	conn, _, err := websocket.Dial(t.Context(), first.Address, &websocket.DialOptions{
		HTTPClient: client, HTTPHeader: http.Header{"Origin": {testOrigin}}, Subprotocols: []string{gateway.PageProtocol},
	})
	if err != nil {
		t.Fatal(err)
	}
	done, err := proveFor(t.Context(), conn, first, testOrigin, key, answer)
	if err != nil {
		t.Fatal(err)
	}
	return conn, done
}

// socketInMemory opens the WebSocket of an assistant.
func socketInMemory(t *testing.T, client *http.Client, token string) *websocket.Conn {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), "ws://127.0.0.1:8808/ws", &websocket.DialOptions{
		HTTPClient: client, HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}, Subprotocols: []string{gateway.AssistantProtocol},
	})
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// tabInMemory joins a page with this id, by a new secret. It returns its name.
func tabInMemory(t *testing.T, g *Gateway, client *http.Client, id string, source engine.Source) (name string, conn *websocket.Conn) {
	t.Helper()
	conn, done := joinInMemory(t, g, client, reply{Hello: &gateway.Hello{Page: id, Name: "notes"}})
	page := engine.New(engine.Info{Name: "notes", Version: "1"}, &engine.Options{Tools: true, Prompts: true, Completions: true})
	page.Mount("", source)
	go page.Serve(context.Background(), socket.New(conn, limits.MaxMessage+limits.MaxSlack, false)) // ends with the socket
	synctest.Wait()
	return *done.Joined, conn
}

// answerInMemory sends a POST and returns the response as a whole, but of a listen, which has no
// end; status 0 is an error.
func answerInMemory(t *testing.T, g *Gateway, client *http.Client, path, session, body string, header http.Header) (status int, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour) // of the bubble's clock; no request may last so long
	defer cancel()
	r := caller(t, g).Request(ctx, "POST", path, body, gatewaytest.Streams)
	maps.Copy(r.Header, header)
	if session != "" {
		r.Header.Set(mcphttp.SessionHeader, session)
	}
	answer, err := client.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	if strings.Contains(body, "subscriptions/listen") && answer.StatusCode == 200 {
		return 200, ""
	}
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, err.Error()
	}
	return answer.StatusCode, string(data)
}

// inSession returns a session at /mcp by its id.
func inSession(t *testing.T, g *Gateway, client *http.Client, id string) *gatewaytest.Session {
	c := caller(t, g)
	c.HTTP = client
	return &gatewaytest.Session{Client: c, Path: "/mcp", ID: id}
}

// beginInMemory opens a session and returns its id.
func beginInMemory(t *testing.T, g *Gateway, client *http.Client) string {
	t.Helper()
	session := inSession(t, g, client, "").Begin("/mcp", gatewaytest.Initialize).ID
	synctest.Wait() // 202 means accepted, not handled by the engine
	return session
}
