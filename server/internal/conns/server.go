package conns

import (
	"log"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// HTTPServer returns a server with the timeouts of all endpoints. There is none for the
// whole response: streams set a deadline for each event. While isClosing, which may be nil,
// returns true, answers ask clients to connect again: no request is lost on a connection that
// the server closes later. to gets panics of handlers, and errors of net/http such as failed TLS handshakes.
func HTTPServer(handler http.Handler, isClosing func() bool, to *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           timeBodies(handler, isClosing),
		ReadHeaderTimeout: limits.HeaderTime,
		IdleTimeout:       limits.IdleTime,
		MaxHeaderBytes:    limits.MaxHeader,
		ErrorLog:          log.New(&errorLog{to: to}, "", 0),
		ConnContext:       connContext,
		ConnState:         connState,
	}
}

// An errorLog logs what net/http reports: each panic, and one in errorEvery of the others, which strangers can
// cause as often as they like.
type errorLog struct {
	to *slog.Logger

	mu      sync.Mutex
	last    time.Time
	skipped int // since then
}

const (
	errorEvery = time.Minute
	maxStack   = 3 << 10 // bytes of a panic's stack
)

// Write implements io.Writer, for one event.
func (e *errorLog) Write(text []byte) (int, error) {
	first, stack, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	if strings.HasPrefix(first, "http: panic serving ") {
		e.to.Error("a request ended by a defect of this program", "error", first, "stack", stack[:min(len(stack), maxStack)])
	} else if skipped, isDue := e.isDue(time.Now()); isDue {
		e.to.Warn("an HTTP connection failed", "error", first, "more", skipped)
	}
	return len(text), nil
}

// isDue reports whether an error is logged, and how many were not since the last one.
func (e *errorLog) isDue(now time.Time) (skipped int, isDue bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.last.IsZero() && now.Sub(e.last) < errorEvery {
		e.skipped++
		return 0, false
	}
	skipped, e.skipped, e.last = e.skipped, 0, now
	return skipped, true
}
