package server

import (
	"bytes"
	"net/http"
	"strconv"
	"time"
)

// Paths of live reload.
const (
	livePath   = "/live"    // an event stream of build numbers, nothing else
	scriptPath = "/live.js" // reloads the page when the number changes
	liveScript = `const source = new EventSource('/live')
let build
source.onmessage = (event) => {
  if (build !== undefined && build !== event.data) location.reload()
  build = event.data
}
addEventListener('pagehide', () => source.close())
`
	liveTag = `<script type="module" src="` + scriptPath + `"></script>`
)

// WithLiveReload puts the script of live reload into every HTML file.
func WithLiveReload(files map[string][]byte) map[string][]byte {
	live := make(map[string][]byte, len(files))
	for name, body := range files {
		if contentType(name) == "text/html; charset=utf-8" {
			body = append(bytes.Clone(body), liveTag...) // HTML takes scripts after its end
		}
		live[name] = body
	}
	return live
}

// live streams the number of the present build: no path, no error text, since
// any page of this machine may try to listen.
func (w *Web) live(out http.ResponseWriter, r *http.Request) {
	events, err := openStream(out, commentLine)
	if err != nil {
		return
	}
	comments := time.NewTicker(pingEvery)
	defer comments.Stop()
	for last := -1; err == nil; {
		w.mu.Lock()
		build, changed := w.build, w.changed
		w.mu.Unlock()
		if build != last {
			last = build
			if err = events.write([]byte("data: " + strconv.Itoa(build) + "\n\n")); err != nil {
				return
			}
		}
		select {
		case <-changed:
		case <-comments.C:
			err = events.comment()
		case <-w.done:
			return
		case <-r.Context().Done():
			return
		}
	}
}
