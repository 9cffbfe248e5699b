package devserver

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

type webFile struct {
	body []byte
	kind string // Content-Type
	etag string

	once   sync.Once
	packed []byte // gzip, made on the first request; nil for small files and images
}

func (f *webFile) serve(out http.ResponseWriter, r *http.Request) {
	h := out.Header()
	h.Set("Content-Type", f.kind)
	h.Set("ETag", f.etag)
	h.Add("Vary", "Accept-Encoding")
	body := f.body
	if r.Header.Get("Range") == "" && acceptsGzip(r.Header) {
		if packed := f.pack(); packed != nil {
			body = packed
			h.Set("Content-Encoding", "gzip")
		}
	}
	http.ServeContent(out, r, "", time.Time{}, bytes.NewReader(body))
}

// pack compresses the file once. On loopback compression saves no noticeable time for
// small files.
func (f *webFile) pack() []byte {
	f.once.Do(func() {
		if len(f.body) < 4<<10 || strings.HasPrefix(f.kind, "image/") { // bytes
			return
		}
		var packed bytes.Buffer
		writer, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
		if err != nil {
			return
		}
		if _, err := writer.Write(f.body); err == nil && writer.Close() == nil {
			f.packed = packed.Bytes()
		}
	})
	return f.packed
}

func acceptsGzip(h http.Header) bool {
	for part := range strings.SplitSeq(h.Get("Accept-Encoding"), ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(part), ";")
		if name == "gzip" && strings.ReplaceAll(quality, " ", "") != "q=0" {
			return true
		}
	}
	return false
}

// contentType returns the media type of a file. It does not use the table of the system,
// which may map .js to anything.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".json", ".map":
		return "application/json"
	case ".wasm":
		return "application/wasm"
	case ".svg":
		return "image/svg+xml"
	case ".png":
		return "image/png"
	case ".webmanifest":
		return "application/manifest+json"
	case ".txt", ".ts", ".md", ".txtar":
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}
