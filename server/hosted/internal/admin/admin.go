// Package admin is the address of a node for probes and metrics.
package admin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/conns"
)

// Limits of the admin listener. A probe is answered in microseconds, a scrape in
// milliseconds.
const (
	maxConns  = 64      // of all addresses; half of them of one
	maxHeader = 8 << 10 // bytes
	readTime  = 5 * time.Second
	WriteTime = 10 * time.Second
	idleTime  = 30 * time.Second
	closeTime = 1 * time.Second // for responses when the node ends
	plainText = "text/plain; charset=utf-8"
)

// A Readiness is a set of named conditions, all of which must hold for a node to be ready.
// Its methods may be called concurrently.
type Readiness struct {
	mu     sync.Mutex
	names  []string // in the order in which they were added
	checks map[string]func() bool
	warn   func() string // what an operator should know although the node is ready; nil: nothing
}

// warning returns what an operator should know although the node is ready, or "".
func (r *Readiness) warning() string {
	r.mu.Lock()
	warn := r.warn
	r.mu.Unlock()
	if warn == nil {
		return ""
	}
	return warn()
}

// SetWarning sets what warning returns; warn must not block.
func (r *Readiness) SetWarning(warn func() string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.warn = warn
}

// Require adds a condition, or replaces it. Its name says what is not ready while holds
// returns false, which must not block.
func (r *Readiness) Require(name string, holds func() bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.checks == nil {
		r.checks = map[string]func() bool{}
	}
	if r.checks[name] == nil {
		r.names = append(r.names, name)
	}
	r.checks[name] = holds
}

// Set adds a condition, or replaces it, by its present value.
func (r *Readiness) Set(name string, holds bool) { r.Require(name, func() bool { return holds }) }

// Missing returns the names of the conditions that do not hold. Those in except are not
// looked at.
func (r *Readiness) Missing(except ...string) (names []string) {
	type check struct {
		name  string
		holds func() bool
	}
	r.mu.Lock()
	checks := make([]check, len(r.names))
	for i, name := range r.names {
		checks[i] = check{name, r.checks[name]}
	}
	r.mu.Unlock()
	for _, one := range checks { // without the lock: they are code of others
		if !slices.Contains(except, one.name) && !one.holds() {
			names = append(names, one.name)
		}
	}
	return names
}

// Handler serves /livez, /readyz, /metrics, the profiles of net/http/pprof, and /whereis, whose
// answer whereis returns unless it is nil. It shows no secrets, changes nothing and checks no Host:
// probes use IP addresses. /livez depends on the process alone, so that a failure elsewhere does
// not restart all nodes.
func Handler(ready *Readiness, metrics http.Handler, whereis func(url.Values) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		paths := []string{"/livez", "/readyz", "/metrics"}
		if whereis != nil {
			paths = append(paths, "/whereis")
		}
		profile, isProfile := strings.CutPrefix(r.URL.Path, "/debug/pprof/")
		switch {
		case !isProfile && !slices.Contains(paths, r.URL.Path):
			http.NotFound(w, r)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "GET only", http.StatusMethodNotAllowed)
		case profile == "profile": // CPU, for as many seconds as the query says; at most WriteTime
			pprof.Profile(w, r)
		case isProfile:
			pprof.Index(w, r)
		case r.URL.Path == "/whereis":
			w.Header().Set("Content-Type", plainText)
			io.WriteString(w, whereis(r.URL.Query()))
		case r.URL.Path == "/metrics":
			metrics.ServeHTTP(w, r)
		case r.URL.Path == "/readyz":
			answerReady(w, ready.Missing(), ready.warning())
		default:
			w.Header().Set("Content-Type", plainText)
			io.WriteString(w, "ok\n")
		}
	})
}

func answerReady(w http.ResponseWriter, missing []string, warning string) {
	w.Header().Set("Content-Type", plainText)
	if len(missing) > 0 {
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintf(w, "not ready: %s\n", strings.Join(missing, ", "))
	} else {
		io.WriteString(w, "ready\n")
	}
	if warning != "" {
		io.WriteString(w, warning+"\n")
	}
}

// A Listener serves an admin handler until Close.
type Listener struct {
	listener net.Listener
	server   *http.Server
}

// Listen binds address. Serve must be called, or Close.
func Listen(address string, handler http.Handler, log *slog.Logger) (*Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("admin.listen: %w", err)
	}
	server := conns.HTTPServer(handler, nil, log)
	server.MaxHeaderBytes = maxHeader
	server.ReadHeaderTimeout, server.ReadTimeout, server.WriteTimeout, server.IdleTimeout = readTime, readTime, WriteTime, idleTime
	limiter := conns.NewLimiter(conns.Options{MaxUnknown: maxConns, MaxPerAddress: maxConns / 2})
	return &Listener{limiter.Wrap(listener), server}, nil
}

// Address returns the bound address.
func (a *Listener) Address() net.Addr { return a.listener.Addr() }

// Serve serves until Close.
func (a *Listener) Serve() error {
	if err := a.server.Serve(a.listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("admin.listen: %w", err)
	}
	return nil
}

// Close waits up to one second for responses, then closes all connections.
func (a *Listener) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	if a.server.Shutdown(ctx) != nil {
		a.server.Close()
	}
	a.listener.Close() // if serve was never called
}
