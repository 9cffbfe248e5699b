package server

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// In a server of the host program the gateway serves its Hosts only, and pages of that
// server are not assistants because of their origin.
func TestHandlerAnswersUnderItsHosts(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	g, err := New(Options{State: t.TempDir(), Version: "0.0.0-test", Origins: []string{testOrigin}, Hosts: []string{"localhost:" + port}})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close(context.Background())
	server := &http.Server{Handler: g.Handler()}
	go server.Serve(l) // ends with Close
	defer server.Close()
	if want := "http://localhost:" + port + "/mcp"; g.URL() != want || g.PageURL() != "ws://localhost:"+port+"/page" {
		t.Errorf("%s, %s", g.URL(), g.PageURL())
	}
	page := newPage(t, testOrigin, "tab")
	page.write("notes://a", "1")
	page.join(g)
	c := caller(t, g)
	if status, body := c.Read("/mcp", "notes+notes://a"); status != 200 || !strings.Contains(body, `"text":"1"`) {
		t.Errorf("%d %s", status, body)
	}
	for name, line := range map[string]string{
		"another host":         "http://127.0.0.1:" + port,
		"an origin of its own": "http://localhost:" + port,
	} {
		r, err := http.NewRequestWithContext(t.Context(), "POST", "http://127.0.0.1:"+port+"/mcp", strings.NewReader(discover))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+g.testToken())
		r.Header.Set("Content-Type", "application/json")
		if name != "another host" {
			r.Host = "localhost:" + port
			r.Header.Set("Origin", line)
		}
		answer, err := gatewaytest.HTTP.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %s", name, answer.Status)
		}
	}
	if _, err := New(Options{State: t.TempDir(), Hosts: []string{"localhost:1"}, NoToken: true}); err == nil {
		t.Error("NoToken was accepted for a server of which the gateway knows nothing")
	}
	if _, err := New(Options{State: t.TempDir(), Hosts: []string{"http://localhost"}}); err == nil {
		t.Error("a URL was accepted as a host")
	}
}

// A page above the limit of its origin is refused, and learns why.
func TestPagesOfAnOriginAreLimited(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	for i := range limits.MaxPagesPerOrigin {
		newPage(t, testOrigin, "tab-"+strconv.Itoa(i)).join(g)
	}
	page := newPage(t, testOrigin, "tab")
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	first, key := invited(t, g)
	_, err := prove(ctx, page.dial(ctx, first.Address), first, testOrigin, key, &gateway.Hello{Page: "tab", Instance: "1", Name: "notes"})
	if refused := (websocket.CloseError{}); !errors.As(err, &refused) || refused.Code != 4429 || !strings.HasPrefix(refused.Reason, "16 pages of this origin are connected") {
		t.Errorf("a further page of the origin: %v", err)
	}
}

// Serve returns after its context has ended and everything is stored: another gateway
// can use the state directory.
func TestServeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	for range 2 {
		g, err := New(Options{State: state, Version: "0.0.0-test"})
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Listen("127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- g.Serve(ctx) }()
		if answer, err := gatewaytest.HTTP.Get(g.URL()); err != nil {
			t.Fatal(err)
		} else {
			answer.Body.Close()
		}
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
		g.Close(t.Context()) // a second call has no effect
	}
	g, err := New(Options{State: state, Version: "0.0.0-test"})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close(context.Background())
	if err := g.Serve(t.Context()); err == nil {
		t.Error("it serves without a port")
	}
}

// After Close the handler serves nothing: the state directory may belong to another
// gateway by then, and nothing is written to it.
func TestHandlerServesNothingAfterClose(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := newMemDisk()
	g, err := New(Options{State: "/state", disk: d, lockWait: -1, Version: "0.0.0-test", Hosts: []string{l.Addr().String()}})
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: g.Handler()}
	go server.Serve(l) // ends with Close
	defer server.Close()
	c := caller(t, g)
	if answer, body := c.Do(t.Context(), "POST", "/mcp", gatewaytest.Initialize, gatewaytest.Streams); answer.StatusCode != 200 {
		t.Fatalf("%s %s", answer.Status, body)
	}
	messages := c.Listen(t.Context(), "/mcp", `"toolsListChanged":true`).Messages
	g.Close(t.Context())
	if got := gatewaytest.Receive(t, messages); !strings.Contains(got, `"id":1,"result"`) {
		t.Errorf("an open subscription ends with %s", got)
	}
	before := len(d.names())
	for _, path := range []string{"/mcp", "/mcp/notes"} {
		if answer, _ := c.Do(t.Context(), "POST", path, gatewaytest.Initialize, gatewaytest.Streams); answer.StatusCode != 503 || answer.Header.Get("Retry-After") == "" {
			t.Errorf("%s after Close: %s", path, answer.Status)
		}
	}
	if err := g.state.save("late.json", 1); err == nil {
		t.Error("a late writer was not stopped")
	}
	if after := len(d.names()); after != before {
		t.Errorf("%d files, there were %d", after, before)
	}
}
