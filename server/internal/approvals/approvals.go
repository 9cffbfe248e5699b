// Package approvals shows permission prompts of an assistant in a page of its own origin, and
// passes on what its user decides there.
//
// Whoever can answer here can run commands on this machine. So the page shares its origin with
// nothing: its listener and the name of its host are its own, made when the first question
// comes. A page of an app, of the playground or of a gateway is a foreign origin to it.
package approvals

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/conns"
	"github.com/pagemcp/pagemcp/server/internal/loopback"
)

// Options of New. All fields but Assistant are required.
type Options struct {
	Assistant string // its name; empty: it is unnamed

	// Send sends the answer to the question with this id.
	Send func(ctx context.Context, id string, allow bool) error

	// Open opens the page in the user's browser. The address contains a secret.
	Open func(ctx context.Context, url string) error

	Log *slog.Logger
}

// openEvery is the least time between two pages that are opened.
const openEvery = 30 * time.Second

// A Site is the web site of one process. It begins to listen with the first question.
type Site struct {
	opts    Options
	pending *pending
	secrets secrets
	done    chan struct{} // closed by Close

	mu        sync.Mutex
	origin    string       // "" before it listens
	http      *http.Server // likewise nil
	listeners []net.Listener
	connected int         // tabs that follow the list
	isOpening bool        // opener will run, or runs
	opener    *time.Timer // the next opening
	opened    time.Time   // the last one
	closed    bool
	serving   sync.WaitGroup
}

// New returns a Site without questions.
func New(opts Options) *Site {
	return &Site{opts: opts, pending: newPending(), done: make(chan struct{})}
}

// Ask shows a question until it is decided, or for ten minutes, and never answers it by itself.
// It does not block. The page is opened if no tab shows it.
func (s *Site) Ask(q Question) {
	if !s.pending.add(q) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.connected > 0 || s.isOpening {
		return
	}
	s.isOpening = true
	s.opener = time.AfterFunc(max(0, time.Until(s.opened.Add(openEvery))), s.open)
}

// Close drops all questions and ends the page.
func (s *Site) Close() {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	if s.opener != nil {
		s.opener.Stop()
	}
	server, listeners := s.http, s.listeners
	s.mu.Unlock()
	close(s.done)
	s.pending.clear()
	if server != nil {
		server.Close()
	}
	for _, l := range listeners {
		l.Close()
	}
	s.serving.Wait()
}

// open opens the page, unless a tab has connected meanwhile or nothing is left to decide. One
// call runs at a time.
func (s *Site) open() {
	defer s.endOpening()
	if !s.needsPage() {
		return
	}
	origin, err := s.listen()
	if err == nil {
		err = s.opts.Open(context.Background(), origin+"/#"+linkPrefix+s.secrets.newLink())
	}
	if err != nil {
		s.opts.Log.Error("the page for a permission prompt cannot be opened: decide in the terminal", "error", err.Error())
		return
	}
	s.opts.Log.Info("opened a page in the browser for a permission prompt")
}

func (s *Site) needsPage() bool {
	if s.pending.isEmpty() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.connected > 0 {
		return false
	}
	s.opened = time.Now()
	return true
}

func (s *Site) endOpening() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isOpening = false
}

// listen binds a free port at the first call, and returns the origin of the page.
func (s *Site) listen() (string, error) {
	s.mu.Lock()
	origin := s.origin
	s.mu.Unlock()
	if origin != "" {
		return origin, nil
	}
	listeners, port, err := loopback.Listen(0)
	if err != nil {
		return "", fmt.Errorf("listen for the page of permission prompts: %w", err)
	}
	host := hostName(runtime.GOOS) + ":" + strconv.Itoa(port)
	origin = "http://" + host
	guard := &access.Guard{Hosts: []string{host}, OwnOrigins: []string{origin}, Documents: []string{documentPath}, Next: http.HandlerFunc(s.serve)}
	server := conns.HTTPServer(guard)
	if !s.begin(origin, server, listeners) {
		for _, l := range listeners {
			l.Close()
		}
		return "", context.Canceled
	}
	acceptor := loopback.NewAcceptor(listeners, nil)
	var running sync.WaitGroup
	for _, l := range listeners {
		running.Go(func() { server.Serve(acceptor.Wrap(l)) }) // ends with Close
	}
	go func() { // likewise
		defer s.serving.Done()
		defer acceptor.Close()
		running.Wait()
	}()
	return origin, nil
}

// begin keeps what Close ends. It returns false after Close.
func (s *Site) begin(origin string, server *http.Server, listeners []net.Listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.origin, s.http, s.listeners = origin, server, listeners
	s.serving.Add(1)
	return true
}

// hostName returns the name of the page's host. Browsers resolve every name below localhost to
// this machine (RFC 6761, section 6.3). With a name of its own the page cannot be reached by its
// port alone, and no Service Worker, storage or cookie of an earlier program on the port
// belongs to it. Safari asks the resolver of macOS instead, which need not know the name.
func hostName(system string) string {
	if system == "darwin" {
		return "127.0.0.1"
	}
	return "pagemcp-" + strings.ToLower(newSecret()[:16]) + ".localhost"
}
