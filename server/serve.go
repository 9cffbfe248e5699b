package server

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/conns"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/loopback"
)

// Listen binds the gateway to loopback; see [CheckLoopback] for addr. Connections wait until
// Serve is called.
func (g *Gateway) Listen(addr string) error {
	port, err := loopback.CheckAddress(addr)
	if err != nil {
		return err
	}
	g.listeners, g.port, err = loopback.Listen(port)
	return err
}

// Serve serves the port of Listen, and the socket by which other processes of this user
// find the gateway, until Close is called or ctx ends, which calls Close. The error is nil unless the listener fails.
func (g *Gateway) Serve(ctx context.Context) error {
	if g.listeners == nil {
		return errors.New("serve: call Listen first")
	}
	server := conns.HTTPServer(g.use.count(g.handler()), nil, g.log)
	if !g.begin(server) {
		return nil
	}
	stop := context.AfterFunc(ctx, func() { g.Close(context.Background()) })
	defer stop()
	if err := g.serveSocket(); err != nil {
		g.log.Warn("other commands of pagemcp do not find this gateway, which tries again: free some space", "error", err)
	}
	g.use.add(0)
	if err := g.serveListeners(server, g.listeners); err != nil {
		g.Close(context.Background())
		return err
	}
	<-g.closed
	return nil
}

// isIdle reports whether no assistant waits for an answer, and no page runs a tool.
func (g *Gateway) isIdle() bool {
	requests, _ := g.core.Gate.Limits.InUse(limits.Requests, limits.OfNode, limits.User{})
	return requests == 0 && !slices.ContainsFunc(g.core.Connected(), func(p gateway.Connected) bool { return p.Calls() > 0 })
}

// serveListeners serves a port until server is closed.
func (g *Gateway) serveListeners(server *http.Server, listeners []net.Listener) error {
	acceptor := loopback.NewAcceptor(listeners, g.logOtherUsers())
	errs := make(chan error, len(listeners))
	for _, listener := range listeners {
		wrapped := acceptor.Wrap(listener)
		if g.tls != nil {
			wrapped = tls.NewListener(wrapped, g.tls)
		}
		go func() { errs <- server.Serve(wrapped) }() // ends with the server
	}
	for range listeners {
		if err := <-errs; !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			return err
		}
	}
	return nil
}

// begin keeps a server for Close; false if the gateway is closing.
func (g *Gateway) begin(server *http.Server) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.isClosing() {
		return false
	}
	g.servers = append(g.servers, server)
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

func (g *Gateway) newHandler() http.Handler {
	go g.sweep() // ends with Close
	g.guard = g.newGuard(g.port)
	return g.core.Handler(g.guard)
}

// guardAt returns the handler of another port than that of Listen.
func (g *Gateway) guardAt(port int) http.Handler {
	guard := g.newGuard(port)
	guard.Next = http.HandlerFunc(g.core.Route)
	return guard
}

// newGuard returns the guard of a port.
func (g *Gateway) newGuard(port int) *access.Guard {
	guard := loopback.NewGuard(port, g.tls != nil, nil)
	guard.AssistantOrigins, guard.PageOrigins = &g.assistantOrigins, &g.origins
	guard.OnRefusal = func(r *http.Request) {
		g.activity.RecordRefusal(access.Entry{Principal: r.Header.Get("Origin"), Endpoint: r.URL.Path, Verb: "refuse", Outcome: "403"})
	}
	if g.options.Lenient {
		guard.ExtraHeaders = ", " + keyHeader
	}
	return guard
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
			g.log.Warn("rejected a connection: the system knows no process at its other end; connect from this machine itself, not from a container or through a tunnel")
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
			g.serveSocket() // if it does not yet
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
	if g.yields.Load() && g.isIdle() {
		g.log.Info("a newer version takes over")
		g.Close(context.Background())
	}
}
