package server

import "bytes"

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
