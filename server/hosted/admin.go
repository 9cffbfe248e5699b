package hosted

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/conns"
)

// Limits of the admin listener. A probe is answered in microseconds, a scrape in
// milliseconds.
const (
	maxAdminConns  = 64      // of all addresses; half of them of one
	maxAdminHeader = 8 << 10 // bytes
	adminReadTime  = 5 * time.Second
	adminWriteTime = 10 * time.Second
	adminIdleTime  = 30 * time.Second
	adminCloseTime = 1 * time.Second // for responses when the node ends
	plainText      = "text/plain; charset=utf-8"
)

// A readiness is a set of named conditions, all of which must hold for a node to be ready.
// Its methods may be called concurrently.
type readiness struct {
	mu     sync.Mutex
	names  []string // in the order in which they were added
	checks map[string]func() bool
	warn   func() string // what an operator should know although the node is ready; nil: nothing
}

// warning returns what an operator should know although the node is ready, or "".
func (r *readiness) warning() string {
	r.mu.Lock()
	warn := r.warn
	r.mu.Unlock()
	if warn == nil {
		return ""
	}
	return warn()
}

// setWarning sets what warning returns; warn must not block.
func (r *readiness) setWarning(warn func() string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.warn = warn
}

// require adds a condition, or replaces it. Its name says what is not ready while holds
// returns false, which must not block.
func (r *readiness) require(name string, holds func() bool) {
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

// set adds a condition, or replaces it, by its present value.
func (r *readiness) set(name string, holds bool) { r.require(name, func() bool { return holds }) }

// missing returns the names of the conditions that do not hold. Those in except are not
// looked at.
func (r *readiness) missing(except ...string) (names []string) {
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

// adminHandler serves /livez, /readyz and /metrics. It shows no secrets, changes nothing and
// checks no Host: probes use IP addresses. /livez depends on the process alone, so that a
// failure elsewhere does not restart all nodes.
func adminHandler(ready *readiness, metrics http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		paths := []string{"/livez", "/readyz", "/metrics"}
		switch {
		case !slices.Contains(paths, r.URL.Path):
			http.NotFound(w, r)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "GET only", http.StatusMethodNotAllowed)
		case r.URL.Path == "/metrics":
			metrics.ServeHTTP(w, r)
		case r.URL.Path == "/readyz":
			answerReady(w, ready.missing(), ready.warning())
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

// An adminListener serves an admin handler until Close.
type adminListener struct {
	listener net.Listener
	server   *http.Server
}

// listenAdmin binds address. Serve must be called, or Close.
func listenAdmin(address string, handler http.Handler) (*adminListener, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("admin.listen: %w", err)
	}
	server := conns.HTTPServer(handler)
	server.MaxHeaderBytes = maxAdminHeader
	server.ReadHeaderTimeout, server.ReadTimeout, server.WriteTimeout, server.IdleTimeout = adminReadTime, adminReadTime, adminWriteTime, adminIdleTime
	limiter := conns.NewLimiter(conns.Options{MaxUnknown: maxAdminConns, MaxPerAddress: maxAdminConns / 2})
	return &adminListener{limiter.Wrap(listener), server}, nil
}

// address returns the bound address.
func (a *adminListener) address() net.Addr { return a.listener.Addr() }

// serve serves until Close.
func (a *adminListener) serve() error {
	if err := a.server.Serve(a.listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("admin.listen: %w", err)
	}
	return nil
}

// Close waits up to one second for responses, then closes all connections.
func (a *adminListener) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), adminCloseTime)
	defer cancel()
	if a.server.Shutdown(ctx) != nil {
		a.server.Close()
	}
	a.listener.Close() // if serve was never called
}
