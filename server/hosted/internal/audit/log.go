// Package audit writes the audit log of a hosted gateway.
package audit

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/auditlog"
	"github.com/pagemcp/pagemcp/server/internal/keys"
)

// auditCloseTime is for writing the last lines when the node ends.
const closeTime = 3 * time.Second

// A Log is an [access.Audit] that writes JSON lines: one for each decision, never
// contents or tokens. A writer that blocks delays no request; entries that the queue of
// 1 MiB has no room for, and refusals above 5 per second, are counted in a later line.
type Log struct {
	*auditlog.Log
	identify func(access.Owner) (tenant, subject string)
	hash     atomic.Pointer[hasher] // nil: names are written as they are
}

// A record is an entry with the user that its owner stands for.
type record struct {
	access.Entry `json:",inline"`
	Tenant       string `json:"tenant,omitempty"`
	Subject      string `json:"subject,omitempty"`
}

// A hasher has the secret that names are hashed with. Names are short and often
// guessable, like notes://1, so a hash without a secret could be reversed.
type hasher struct{ key []byte }

const (
	hashed = "hmac:" // begins a name that is hashed
	digest = 16      // bytes of HMAC-SHA-256
)

// New returns a log that writes to w, which one goroutine does until Close. identify
// returns the user of an owner if it is known, and must not block; it may be nil.
func New(w io.Writer, identify func(access.Owner) (tenant, subject string)) *Log {
	a := &Log{identify: identify}
	a.Log = auditlog.New(func(lines []byte) { w.Write(lines) }, a.line) // a full disk must not stop the node
	return a
}

// Configure sets what a reload may change: how URIs are written, and the keys. With
// audit.uris: hash, equal names have equal hashes on all nodes, until the first key of the
// ring changes.
func (a *Log) Configure(c config.Audit, ring keys.Ring) {
	if c.URIs != "hash" {
		a.hash.Store(nil)
		return
	}
	a.hash.Store(&hasher{ring.Audit()})
}

// Close writes the lines that are left, for at most 3 seconds.
func (a *Log) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	return a.Log.Close(ctx)
}

// line returns what is written for an entry.
func (a *Log) line(e access.Entry) any {
	line := record{Entry: e}
	if a.identify != nil && e.Owner != "" {
		line.Tenant, line.Subject = a.identify(e.Owner)
	}
	if hash := a.hash.Load(); hash != nil {
		hash.replaceNames(&line.Entry)
	}
	return line
}

// replaceNames hashes what a page or a user has named: URIs, tools, prompts and pages, which
// have titles and search words in them. The title of a page is left out. Methods, clients,
// origins and owners stay: without them the log does not answer who did what.
func (h *hasher) replaceNames(e *access.Entry) {
	if e.URI != "" {
		e.URI = h.of(e.URI)
	}
	if e.App != "" {
		e.App = h.of(e.App)
	}
	if page, ok := access.PageOf(e.Endpoint); ok && page != "" {
		e.Endpoint = strings.TrimSuffix(e.Endpoint, page) + h.of(page)
	}
	if e.Endpoint == access.PagePath {
		e.Client = ""
	}
}

func (h *hasher) of(name string) string {
	mac := hmac.New(sha256.New, h.key)
	mac.Write([]byte(name))
	return hashed + hex.EncodeToString(mac.Sum(nil)[:digest])
}
