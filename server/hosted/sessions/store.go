// Package sessions stores the classic sessions of a hosted gateway: in their ids, and what
// changes later in values that all nodes share.
package sessions

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/server/internal/keys"
	"github.com/pagemcp/pagemcp/server/internal/clock"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

const (
	maxSessionID     = 2 << 10            // characters
	maxSealedName    = 256                // bytes, of the client's name
	sessionLifetime  = 7 * 24 * time.Hour // from its beginning
	sessionClockSkew = 60 * time.Second   // between two nodes, each of which may be 30 s off
	sessionFormat    = 1                  // the first byte of a sealed session
)

// A Store implements mcphttp.SharedStore. The facts about a session are sealed into
// its id, so every node with the keys serves it, and a session that sleeps uses no memory.
// What changes later is in changes.
//
// Issuer, owner, client and path of the session are the context of the sealed text: under
// another holder's token an id is as invalid as one that was never assigned. They take no
// room in the id either: an issuer may assign client ids of 2 KiB.
type Store struct {
	sealer  atomic.Pointer[keys.Sealer]
	changes mcphttp.SessionChanges
}

func New(keys keys.Ring, changes mcphttp.SessionChanges) *Store {
	s := &Store{changes: changes}
	s.SetKeys(keys)
	return s
}

// SetKeys replaces the keys, as a reload of the configuration does. Sessions whose key is
// gone end with their next request, or by EndWithoutKey if they are awake.
func (s *Store) SetKeys(keys keys.Ring) {
	sealer := keys.Sealer("session")
	s.sealer.Store(&sealer)
	if shared, ok := s.changes.(*sharedChanges); ok {
		shared.setKeys(keys)
	}
}

// EndWithoutKey ends the sessions that are awake and whose key is gone.
func (s *Store) EndWithoutKey(awake *mcphttp.Sessions) {
	sealer := s.sealer.Load()
	awake.EndIf(func(r *mcphttp.Record) bool { return !sealer.Has(r.Key) })
}

// Begin implements [mcphttp.SessionStore]. The record gets what the id contains: a client
// sees the same on this node as on others.
func (s *Store) Begin(r *mcphttp.Record) (id string) {
	now := clock.Now()
	f := sessionFacts{created: now, version: r.Version, client: r.Client, capabilities: sealedCapabilities(r.Capabilities)}
	if len(f.client) > maxSealedName {
		f.client = strings.ToValidUTF8(f.client[:maxSealedName], "")
	}
	f.fill(r)
	sealer := s.sealer.Load()
	r.Key = sealer.ID()
	return base64.RawURLEncoding.EncodeToString(sealer.Seal(f.append(nil), sessionContext(r.Holder())...))
}

// Open implements [mcphttp.SessionStore].
func (s *Store) Open(ctx context.Context, id string, h mcphttp.Holder) (r mcphttp.Record, found bool) {
	if len(id) > maxSessionID {
		return r, false
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(id)
	if err != nil || base64.RawURLEncoding.EncodedLen(len(sealed)) != len(id) { // the decoder skips line breaks: two ids for one session
		return r, false
	}
	text, key, ok := s.sealer.Load().OpenBy(sealed, sessionContext(h)...)
	if !ok {
		return r, false
	}
	f, ok := parseFacts(text)
	if now := clock.Now(); !ok || f.created.After(now.Add(sessionClockSkew)) || !now.Before(f.created.Add(sessionLifetime)) {
		return r, false
	}
	changed, err := s.changes.Load(ctx, mcphttp.HashOf(id))
	if changed.Ended {
		return r, false
	}
	r = mcphttp.NewRecord(h)
	r.Key = key
	r.LogLevel, r.URIs, r.Partial = changed.LogLevel, changed.URIs, err != nil
	f.fill(&r)
	return r, true
}

// Save implements [mcphttp.SessionStore].
func (s *Store) Save(hash string, r *mcphttp.Record) error {
	s.changes.Save(hash, mcphttp.Changes{
		Owner: r.Owner, URIs: r.URIs, LogLevel: r.LogLevel, Expires: r.Expires,
		Subscribed: r.Subscribed, Unsubscribed: r.Unsubscribed, Partial: r.Partial,
	})
	return nil
}

// Changes implements [mcphttp.SharedStore].
func (s *Store) Changes(ctx context.Context, hash string) (mcphttp.Changes, error) {
	return s.changes.Load(ctx, hash)
}

// IsDurable implements [mcphttp.SharedStore].
func (s *Store) IsDurable() bool { return s.changes.IsDurable() }

// Remove implements [mcphttp.SessionStore]. The id of a session that was never used is kept
// nowhere: another node would serve it, to its own client, as a session without changes.
func (s *Store) Remove(hash string, r *mcphttp.Record) {
	if r.Unused {
		return
	}
	s.changes.Save(hash, mcphttp.Changes{Owner: r.Owner, Ended: true, Expires: r.Expires})
}

// sessionContext leaves the tenant out: it is a part of the owner's key.
func sessionContext(h mcphttp.Holder) []string {
	return []string{h.Issuer, string(h.Owner), h.Principal, h.Path}
}

// sessionFacts are the facts in an id.
type sessionFacts struct {
	created      time.Time
	version      string // of the protocol
	client       string // clientInfo.name
	capabilities jsontext.Value
}

func (f *sessionFacts) append(text []byte) []byte {
	text = binary.AppendUvarint(append(text, sessionFormat), uint64(f.created.UnixMilli()))
	text = appendText(appendText(text, f.version), f.client)
	return append(text, f.capabilities...)
}

// parseFacts reverses append. Only a node with other code for this format could seal what
// it rejects.
func parseFacts(text []byte) (f sessionFacts, ok bool) {
	if len(text) == 0 || text[0] != sessionFormat {
		return f, false
	}
	created, n := binary.Uvarint(text[1:])
	if n <= 0 || created > 1<<52 {
		return f, false
	}
	f.created, text = time.UnixMilli(int64(created)), text[1+n:]
	if f.version, text, ok = cutText(text); !ok || engine.ClassicVersion(f.version) != f.version {
		return f, false
	}
	if f.client, text, ok = cutText(text); !ok {
		return f, false
	}
	f.capabilities = text
	return f, f.capabilities.IsValid()
}

func appendText(data []byte, text string) []byte {
	return append(binary.AppendUvarint(data, uint64(len(text))), text...)
}

// cutText reverses appendText.
func cutText(data []byte) (text string, rest []byte, ok bool) {
	length, n := binary.Uvarint(data)
	if n <= 0 || length > uint64(len(data)-n) {
		return "", nil, false
	}
	return string(data[n : n+int(length)]), data[n+int(length):], true
}

// fill writes the facts to a record.
func (f *sessionFacts) fill(r *mcphttp.Record) {
	r.Version, r.Client, r.Capabilities, r.Expires = f.version, f.client, f.capabilities, f.created.Add(sessionLifetime)
	r.ClientInfo = append(jsonrpc.AppendString([]byte(`{"name":`), f.client), '}')
}

// sealedCapabilities returns the capabilities of a client as its session ids contain them.
func sealedCapabilities(declared jsontext.Value) jsontext.Value {
	compact := declared.Clone()
	if compact.Compact() != nil || compact.Kind() != '{' {
		return jsontext.Value("{}")
	}
	return engine.KnownCapabilities(compact)
}
