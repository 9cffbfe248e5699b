package devserver

import (
	"bytes"
	"net/http"
	"path"
	"strings"
	"time"
)

// A webFile is not compressed: to pack and unpack it takes longer than to send it on loopback.
type webFile struct {
	body []byte
	kind string // Content-Type
	etag string // of body, without quotation marks
}

func (f *webFile) serve(out http.ResponseWriter, r *http.Request) {
	out.Header().Set("Content-Type", f.kind)
	out.Header().Set("ETag", `"`+f.etag+`"`)
	http.ServeContent(out, r, "", time.Time{}, bytes.NewReader(f.body))
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
