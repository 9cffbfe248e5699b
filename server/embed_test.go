package server

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

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
