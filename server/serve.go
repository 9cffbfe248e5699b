package server

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/conns"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/loopback"
)

// Listen binds the gateway to loopback; see [CheckLoopback] for addr. Other processes of
// this user then find it by a file in the state directory; if that cannot be written, as on
// a full disk, the log has a warning, and it is tried again. Connections wait until Serve
// is called.
func (g *Gateway) Listen(addr string) error {
	port, err := loopback.CheckAddress(addr)
	if err != nil {
		return err
	}
	if g.listeners, g.port, err = loopback.Listen(port); err != nil {
		return err
	}
	g.announce()
	return nil
}

// Serve serves the port of Listen until Close is called or ctx ends, which calls Close.
// The error is nil unless the listener fails.
func (g *Gateway) Serve(ctx context.Context) error {
	if g.listeners == nil {
		return errors.New("serve: call Listen first")
	}
	server := conns.HTTPServer(g.Handler(), nil)
	if !g.begin(server) {
		return nil
	}
	stop := context.AfterFunc(ctx, func() { g.Close(context.Background()) })
	defer stop()
	acceptor := loopback.NewAcceptor(g.listeners, g.logOtherUsers())
	defer acceptor.Close()
	errs := make(chan error, len(g.listeners))
	for _, listener := range g.listeners {
		go func() { errs <- server.Serve(acceptor.Wrap(listener)) }() // ends with Close
	}
	for range g.listeners {
		if err := <-errs; !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			g.Close(context.Background())
			return err
		}
	}
	<-g.closed
	return nil
}

// begin stores the running server; false if the gateway is closing.
func (g *Gateway) begin(server *http.Server) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.isClosing() {
		return false
	}
	g.http = server
	return true
}

func (g *Gateway) isClosing() bool {
	select {
	case <-g.closing:
		return true
	default:
		return false
	}
}

// Handler returns the handler of /mcp, /mcp/{page}, /page, /ws and /watch, for the
// server of a host program. All calls return the same one. It rejects requests whose
// Host is not in Options.Hosts or, after Listen, a loopback name; a reverse proxy must
// not change Host. The WriteTimeout of the server must be 0, as it would end event
// streams.
func (g *Gateway) Handler() http.Handler { return g.handler() }

func (g *Gateway) newHandler() http.Handler {
	g.guard = &access.Guard{Hosts: g.options.Hosts}
	if g.port != 0 {
		g.guard = loopback.NewGuard(g.port, nil, nil)
		g.guard.Hosts = append(g.guard.Hosts, g.options.Hosts...)
	}
	g.guard.AssistantOrigins = g.options.AssistantOrigins
	g.guard.PageOrigins = g.origins
	g.guard.OnRefusal = func(r *http.Request) {
		g.activity.RecordRefusal(access.Entry{Principal: r.Header.Get("Origin"), Endpoint: r.URL.Path, Verb: "refuse", Outcome: "403"})
	}
	if g.options.Lenient {
		g.guard.ExtraHeaders = ", " + keyHeader
	}
	go g.sweep() // ends with Close
	return g.core.Handler(g.guard)
}

// logOtherUsers returns a function that logs the first rejected connection of each other
// user of this machine.
func (g *Gateway) logOtherUsers() func(uid int) {
	var logged sync.Map
	return func(uid int) {
		g.activity.RecordRefusal(access.Entry{Principal: "user " + strconv.Itoa(uid), Verb: "refuse", Outcome: "403"})
		if _, known := logged.LoadOrStore(uid, true); known {
			return
		}
		if uid < 0 {
			g.log.Warn("rejected a connection: the system knows no process at its other end")
			return
		}
		g.log.Warn("rejected a program of another user", "user", uid, "allowed", os.Getuid())
	}
}

// sweep stores and removes state periodically until the gateway closes.
func (g *Gateway) sweep() {
	ticker := time.NewTicker(limits.SessionIdle / 3)
	defer ticker.Stop()
	refresh := time.NewTicker(limits.SaveUsesEvery)
	defer refresh.Stop()
	for {
		select {
		case <-refresh.C:
			if !g.announced.Load() {
				g.announce()
			}
			g.names.refresh()
			if err := g.named.flush(); err != nil {
				g.log.Error(err.Error())
			}
		case now := <-ticker.C:
			g.sweepAt(now)
		case <-g.closing:
			return
		}
	}
}

func (g *Gateway) sweepAt(now time.Time) {
	g.core.Views("").SweepPages(g.names.remembered())
	g.core.Sweep(now)
}
