package devserver

import (
	"context"
	_ "embed"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/socket"
)

// Paths of live reload.
const (
	livePath   = "/live"    // the version of the files; a WebSocket receives each new one
	scriptPath = "/live.js" // reloads the page when the version changes
)

//go:embed livereload.js
var liveScript string

// unregisterScript unregisters a Service Worker. See [Web.serve].
//
//go:embed unregister.js
var unregisterScript string

// appsPath has documents of MCP apps, which are shown in frames without an origin: they
// cannot load scripts of this server.
const appsPath = playgroundPath + "apps/"

// reloads reports whether a file gets the script of live reload: each HTML file but those of
// appsPath and the playground for frames, which may connect to nothing.
func reloads(name string) bool {
	return contentType(name) == "text/html; charset=utf-8" && !strings.HasPrefix(name, appsPath) && name != playgroundPath+"embed.html"
}

// liveTag returns the element for the script of live reload, with the version that the page is
// served with: files may change before the script asks for the current one. It is no module,
// so that it runs before the modules of the page, which take invitations out of the address.
func liveTag(version string) string {
	return `<script src="` + scriptPath + "?" + version + `"></script>`
}

// live answers with the version of the files. On a WebSocket it sends the version, and
// again when it changes. It sends no paths and no errors, since any program of this
// machine can connect.
//
// An event stream would take one of the six connections of HTTP/1.1 that a browser opens to
// a host, in all tabs together: the seventh tab would not load. WebSockets do not count.
func (w *Web) live(out http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") == "" {
		version, _ := w.current()
		out.Header().Set("Content-Type", "text/plain")
		out.Header().Set("Cache-Control", "no-store")
		io.WriteString(out, version)
		return
	}
	if !socket.WantsUpgrade(out, r) {
		return
	}
	conn, err := socket.Accept(out, r)
	if err != nil {
		return // Accept has responded
	}
	defer conn.CloseNow()
	ctx := conn.CloseRead(context.Background()) // ends with the connection
	pings := time.NewTicker(limits.PingEvery)
	defer pings.Stop()
	for last := ""; ; {
		version, changed := w.current()
		if version != last {
			last = version
			if within(ctx, limits.WriteTime, func(ctx context.Context) error {
				return conn.Write(ctx, websocket.MessageText, []byte(version))
			}) != nil {
				return
			}
		}
		select {
		case <-changed:
		case <-pings.C:
			if within(ctx, limits.PingTimeout, conn.Ping) != nil {
				return
			}
		case <-w.done:
			conn.Close(websocket.StatusGoingAway, "")
			return
		case <-ctx.Done():
			return
		}
	}
}

// current returns the version of the files, and a channel that is closed when it changes.
func (w *Web) current() (version string, changed <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.version, w.changed
}

// within calls do with a context that ends after timeout.
func within(ctx context.Context, timeout time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return do(ctx)
}
