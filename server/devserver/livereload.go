package devserver

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	_ "embed"
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/sse"
)

// Paths of live reload.
const (
	livePath   = "/live"       // an event stream of versions
	scriptPath = "/live.js"    // reloads the page when the version changes
	proofPath  = "/live/proof" // proves to a page that this server has served it
	clearPath  = "/live/clear" // clears the browser's storage of this origin
	liveTag    = `<script type="module" src="` + scriptPath + `"></script>`
)

//go:embed livereload.js
var liveSource string

// unregisterScript unregisters a Service Worker. See [Web.serve].
//
//go:embed unregister.js
var unregisterScript string

// liveScript returns the script for pages of a server with this key.
func liveScript(key *ecdsa.PrivateKey) (string, error) {
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return "", err
	}
	return strings.Replace(liveSource, "$PUBLIC_KEY", base64.StdEncoding.EncodeToString(public), 1), nil
}

// prove signs the nonce of a page and the address that it has dialled, which the guard
// has verified. So another program on the former port of this server cannot relay the
// request. The signature is r and s, as in WebCrypto.
func (w *Web) prove(out http.ResponseWriter, r *http.Request) {
	nonce := r.URL.Query().Get("nonce")
	if len(nonce) != 64 { // 32 bytes in hexadecimal
		http.Error(out, "nonce must be 64 hexadecimal digits", http.StatusBadRequest)
		return
	}
	digest := sha256.Sum256([]byte("pagemcp/1 web\n" + r.Host + "\n" + nonce))
	first, second, err := ecdsa.Sign(rand.Reader, w.key, digest[:])
	if err != nil {
		http.Error(out, "signing the nonce failed: retry later", http.StatusInternalServerError)
		return
	}
	var signature [64]byte
	first.FillBytes(signature[:32])
	second.FillBytes(signature[32:])
	out.Header().Set("Content-Type", "text/plain")
	out.Header().Set("Cache-Control", "no-store")
	io.WriteString(out, base64.StdEncoding.EncodeToString(signature[:]))
}

// clearStorage clears what another server at this address has stored in the browser.
// Only pages of this origin may request it.
func clearStorage(out http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Sec-Fetch-Site") != "same-origin" {
		access.Refuse(out)
		return
	}
	out.Header().Set("Clear-Site-Data", `"cache", "storage"`)
	out.Header().Set("Cache-Control", "no-store")
	out.WriteHeader(http.StatusNoContent)
}

// WithLiveReload adds the script of live reload to every HTML file.
func WithLiveReload(files map[string][]byte) map[string][]byte {
	live := make(map[string][]byte, len(files))
	for name, body := range files {
		if contentType(name) == "text/html; charset=utf-8" {
			body = append(bytes.Clone(body), liveTag...) // HTML parsers accept scripts after </html>
		}
		live[name] = body
	}
	return live
}

// live streams the version of the files. It sends no paths and no errors, since any page
// of this machine can connect.
func (w *Web) live(out http.ResponseWriter, r *http.Request) {
	events, err := sse.Open(out, sse.CommentLine)
	if err != nil {
		return
	}
	comments := time.NewTicker(limits.PingEvery)
	defer comments.Stop()
	for last := ""; err == nil; {
		w.mu.Lock()
		version, changed := w.version, w.changed
		w.mu.Unlock()
		if version != last {
			last = version
			if err = events.Write([]byte("data: " + version + "\n\n")); err != nil {
				return
			}
		}
		select {
		case <-changed:
		case <-comments.C:
			err = events.Comment()
		case <-w.done:
			return
		case <-r.Context().Done():
			return
		}
	}
}
