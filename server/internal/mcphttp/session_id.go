package mcphttp

import (
	"context"
	"encoding/base64"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/clock"
	"github.com/pagemcp/pagemcp/server/internal/keys"
)

// The facts about a session are sealed into its id, so every process with the keys serves it,
// and a session that sleeps uses no memory. What changes later is in [SessionChanges].
//
// Issuer, owner, client and path of the session are the context of the sealed text: under
// another holder's token an id is as invalid as one that was never assigned. They take no
// room in the id either: an issuer may assign client ids of 2 KiB.

const (
	maxSessionID     = 2 << 10          // characters
	maxSealedName    = 256              // bytes, of the client's name
	sessionClockSkew = 60 * time.Second // between two nodes, each of which may be 30 s off
)

// SetKeys replaces the keys, as a reload of a configuration does, and ends the sessions that
// are awake and whose key is gone. Others end with their next request.
func (ss *Sessions) SetKeys(ring keys.Ring) {
	sealer := ring.Sealer("session")
	ss.sealer.Store(&sealer)
	for _, s := range ss.table.list() {
		if !sealer.Has(s.record.Key) { // does not change
			ss.end(s)
		}
	}
}

// assign returns the id of a new session. The record gets what the id contains: a client
// sees the same in this process as in others.
func (ss *Sessions) assign(r *Record) (id string) {
	if len(r.Client) > maxSealedName {
		r.Client = strings.ToValidUTF8(r.Client[:maxSealedName], "")
	}
	r.Capabilities = sealedCapabilities(r.Capabilities)
	r.Created = clock.Now()
	r.Expires = r.Created.Add(ss.Lifetime)
	sealer := ss.sealer.Load()
	r.Key = sealer.ID()
	return base64.RawURLEncoding.EncodeToString(sealer.Seal(r.append(nil), sealContext(r.Holder)...))
}

// open returns the record of the session with this id; false if there is none, or if
// it belongs to another holder. If what has changed since its beginning cannot be read,
// the record is Partial.
func (ss *Sessions) open(ctx context.Context, id string, h Holder) (r Record, found bool) {
	if len(id) > maxSessionID {
		return r, false
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(id)
	if err != nil || base64.RawURLEncoding.EncodedLen(len(sealed)) != len(id) { // the decoder skips line breaks: two ids for one session
		return r, false
	}
	text, key, ok := ss.sealer.Load().OpenBy(sealed, sealContext(h)...)
	if !ok {
		return r, false
	}
	r.Holder, r.Key = h, key
	if !r.parse(text) {
		return r, false
	}
	r.Expires = r.Created.Add(ss.Lifetime)
	if now := clock.Now(); r.Created.After(now.Add(sessionClockSkew)) || !now.Before(r.Expires) {
		return r, false
	}
	changed, err := ss.Changes.Load(ctx, HashOf(id))
	if changed.Ended {
		return r, false
	}
	r.LogLevel, r.Subscriptions = changed.LogLevel, changed.Subscriptions
	if err != nil {
		r.Subscriptions, r.Partial = r.Subscriptions.asOld(), true
	}
	return r, true
}

// sealContext leaves the tenant out: it is a part of the owner's key.
func sealContext(h Holder) []string {
	return []string{h.Issuer, string(h.Owner), h.Principal, h.Path}
}
