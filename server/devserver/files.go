// Package devserver serves built files from memory on loopback, with live reload and a
// Content-Security-Policy.
package devserver

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/conns"
	"github.com/pagemcp/pagemcp/server/internal/loopback"
)

// A Web serves the start page, the demos and the npm package. It uses the same guard as
// the gateway, on another port, hence from another origin. It serves only what was
// passed to [Web.Set]: it has no access to the file system.
type Web struct {
	listeners []net.Listener
	port      int
	gateway   int    // its port, for the policy
	app       bool   // serves an app of the user; see NewApp
	fallback  string // path of the document for unknown paths; empty if there is none
	done      chan struct{}
	once      sync.Once

	mu      sync.Mutex
	http    *http.Server        // nil before Serve
	files   map[string]*webFile // by path
	build   int                 // counts Set and Fail
	version string              // digest of the files, or a unique text for each failure
	failure string              // error of the last build; empty if it succeeded
	changed chan struct{}       // closed at the next build
}

// New returns a Web without files.
func New() *Web {
	return &Web{done: make(chan struct{}), changed: make(chan struct{}), files: map[string]*webFile{}}
}

// NewApp is New for an app of the user: its documents get no Content-Security-Policy but
// their own, and no other page may embed it. singlePage serves /index.html for unknown
// paths without an extension, as apps with routes of their own need.
func NewApp(singlePage bool) *Web {
	w := New()
	w.app = true
	if singlePage {
		w.fallback = "/index.html"
	}
	return w
}

// Listen binds addr; see server.CheckLoopback.
func (w *Web) Listen(addr string) error {
	port, err := loopback.CheckAddress(addr)
	if err != nil {
		return err
	}
	w.listeners, w.port, err = loopback.Listen(port)
	return err
}

// URL returns the address of the start page.
func (w *Web) URL() string { return "http://127.0.0.1:" + strconv.Itoa(w.port) + "/" }

// Origins returns the origins of this server.
func (w *Web) Origins() []string {
	return loopback.NewGuard(w.port, false, nil).OwnOrigins
}

// Set replaces all files. Keys are paths that begin with a slash.
func (w *Web) Set(files map[string][]byte) { w.set(files, false) }

// SetLive is Set with live reload: open pages reload if any file has changed since they were
// served, also by an earlier process.
func (w *Web) SetLive(files map[string][]byte) { w.set(files, true) }

func (w *Web) set(files map[string][]byte, live bool) {
	etags := map[string]string{}
	for name, body := range files {
		sum := sha256.Sum256(body)
		etags[name] = hex.EncodeToString(sum[:12])
	}
	version := versionOf(etags)
	next := map[string]*webFile{}
	for name, body := range files {
		etag := etags[name]
		if live && reloads(name) {
			etag += "-" + version
			body = append(bytes.Clone(body), liveTag(version)...) // HTML parsers accept scripts after </html>
		}
		next[name] = &webFile{body, contentType(name), etag}
	}
	w.publish(func() { w.files, w.failure, w.version = next, "", version })
}

// versionOf returns a digest of the names and contents of files, from their etags.
func versionOf(etags map[string]string) string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(etags)) {
		fmt.Fprintf(sum, "%s %s\n", name, etags[name])
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// Fail reports a failed build: pages show message until the next Set.
func (w *Web) Fail(message string) {
	w.publish(func() { w.failure, w.version = message, "failure-"+strconv.Itoa(w.build) })
}

func (w *Web) publish(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
	w.build++
	close(w.changed)
	w.changed = make(chan struct{})
}

// Serve serves until Close. gateway is the port that pages may connect to. Requests
// before the first build wait for it, since a page that reloads as soon as the server
// restarts would otherwise get a 404 and stay there.
func (w *Web) Serve(gateway int) error {
	w.gateway = gateway
	guard := loopback.NewGuard(w.port, false, http.HandlerFunc(w.serve))
	guard.Documents = []string{"/"}
	if !w.app {
		guard.Frames, guard.Scripts, guard.Documents = embeddedFrames, embeddedScripts, linkedDocuments
	}
	server := conns.HTTPServer(guard, nil, slog.Default())
	if !w.begin(server) {
		return nil
	}
	acceptor := loopback.NewAcceptor(w.listeners, nil)
	errs := make(chan error, len(w.listeners))
	for _, listener := range w.listeners {
		go func() { errs <- server.Serve(acceptor.Wrap(listener)) }() // ends with Close
	}
	if err := <-errs; err != http.ErrServerClosed {
		return err
	}
	return nil
}

// begin keeps server for Close. It returns false if Close was called before.
func (w *Web) begin(server *http.Server) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.done:
		return false
	default:
		w.http = server
		return true
	}
}

// end returns the server that begin was called with, or nil. Later calls of begin fail.
func (w *Web) end() *http.Server {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.done)
	return w.http
}

// Close closes the server and its listeners. It may be called before, during and after
// Serve, which then returns nil.
func (w *Web) Close() {
	w.once.Do(func() {
		if server := w.end(); server != nil {
			server.Close()
		}
		for _, listener := range w.listeners {
			listener.Close()
		}
	})
}

func (w *Web) serve(out http.ResponseWriter, r *http.Request) {
	access.MarkKnown(r.Context())
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		out.Header().Set("Allow", "GET, HEAD")
		http.Error(out, "use GET or HEAD", http.StatusMethodNotAllowed)
		return
	}
	if !w.built(r.Context()) {
		return
	}
	h := out.Header()
	h.Set("Content-Security-Policy", w.policy(r.URL.Path))
	h.Set("Cache-Control", "no-cache")
	name := r.URL.Path
	switch name {
	case livePath:
		w.live(out, r)
		return
	case scriptPath:
		h.Set("Content-Type", contentType(name))
		http.ServeContent(out, r, "", time.Time{}, strings.NewReader(liveScript))
		return
	}
	if strings.HasSuffix(name, "/") {
		name += "index.html"
	}
	w.mu.Lock()
	file, failure, version := w.files[name], w.failure, w.version
	if file == nil && w.files[name+"/index.html"] != nil {
		w.mu.Unlock()
		http.Redirect(out, r, path.Base(name)+"/", http.StatusMovedPermanently)
		return
	}
	if file == nil && w.fallback != "" && path.Ext(r.URL.Path) == "" {
		file = w.files[w.fallback]
	}
	w.mu.Unlock()
	switch {
	case file == nil && r.Header.Get("Service-Worker") == "script":
		// A browser requests a newer version of a Service Worker that another program on
		// this port has installed.
		h.Set("Content-Type", contentType(".js"))
		h.Set("Cache-Control", "no-store")
		io.WriteString(out, unregisterScript)
	case failure != "" && path.Ext(name) == ".html":
		h.Set("Content-Type", "text/html; charset=utf-8")
		out.WriteHeader(http.StatusInternalServerError)
		fmt.Fprintf(out, "<!doctype html><meta charset=utf-8><title>Build failed</title><h1>Build failed</h1><pre>%s</pre>%s",
			html.EscapeString(failure), liveTag(version))
	case file == nil:
		http.NotFound(out, r)
	default:
		file.serve(out, r)
	}
}

// built waits for the first Set or Fail; false if the request or the server ends first.
func (w *Web) built(ctx context.Context) bool {
	w.mu.Lock()
	build, changed := w.build, w.changed
	w.mu.Unlock()
	if build > 0 {
		return true
	}
	select {
	case <-changed:
		return true
	case <-ctx.Done():
	case <-w.done:
	}
	return false
}
