package devserver

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type webFile struct {
	body []byte
	kind string // Content-Type
	etag string // of body, without quotation marks

	once   sync.Once
	packed []byte // gzip, made on the first request; nil for small files and images
	brotli atomic.Pointer[[]byte]
}

// serve answers with the smallest version that the client takes. Each has an ETag of its own.
// A range is one of the file itself.
func (f *webFile) serve(out http.ResponseWriter, r *http.Request) {
	h := out.Header()
	h.Set("Content-Type", f.kind)
	h.Add("Vary", "Accept-Encoding")
	body, etag := f.body, f.etag
	if r.Header.Get("Range") == "" {
		if packed := f.brotli.Load(); packed != nil && accepts(r.Header, "br") {
			body, etag = *packed, f.etag+"-br"
			h.Set("Content-Encoding", "br")
		} else if accepts(r.Header, "gzip") {
			if packed := f.pack(); packed != nil {
				body, etag = packed, f.etag+"-gzip"
				h.Set("Content-Encoding", "gzip")
			}
		}
	}
	h.Set("ETag", `"`+etag+`"`)
	http.ServeContent(out, r, "", time.Time{}, bytes.NewReader(body))
}

// isPackable reports whether compression saves noticeable time: on loopback it does not for
// small files.
func (f *webFile) isPackable() bool {
	return len(f.body) >= 4<<10 && !strings.HasPrefix(f.kind, "image/") // bytes
}

// pack compresses the file by gzip, once.
func (f *webFile) pack() []byte {
	f.once.Do(func() {
		if !f.isPackable() {
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

// accepts reports whether a request takes a content coding. RFC 9110, section 12.5.3.
func accepts(h http.Header, coding string) bool {
	for part := range strings.SplitSeq(h.Get("Accept-Encoding"), ",") {
		name, quality, _ := strings.Cut(part, ";")
		if !strings.EqualFold(strings.TrimSpace(name), coding) {
			continue
		}
		_, value, weighted := strings.Cut(strings.ReplaceAll(quality, " ", ""), "=")
		weight, err := strconv.ParseFloat(value, 64)
		return !weighted || err == nil && weight > 0
	}
	return false
}

// contentType returns the media type of a file. It does not use the table of the system,
// which may map .js to anything.
func contentType(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".html", ".htm":
		return "text/html; charset=utf-8"
	case ".js", ".mjs":
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
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".gif":
		return "image/gif"
	case ".webp":
		return "image/webp"
	case ".avif":
		return "image/avif"
	case ".ico":
		return "image/x-icon"
	case ".woff":
		return "font/woff"
	case ".woff2":
		return "font/woff2"
	case ".pdf":
		return "application/pdf"
	case ".xml":
		return "application/xml"
	case ".mp3":
		return "audio/mpeg"
	case ".mp4":
		return "video/mp4"
	case ".webm":
		return "video/webm"
	case ".csv":
		return "text/csv; charset=utf-8"
	case ".txt", ".ts", ".md", ".txtar":
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}
