package mcphttp

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/server/internal/clock"
	"github.com/pagemcp/pagemcp/server/internal/keys"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
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
	sessionFormat    = 1                // the first byte of a sealed session
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
	f := sessionFacts{created: clock.Now(), version: r.Version, client: r.Client, capabilities: sealedCapabilities(r.Capabilities)}
	if len(f.client) > maxSealedName {
		f.client = strings.ToValidUTF8(f.client[:maxSealedName], "")
	}
	f.fill(r, ss.Lifetime)
	sealer := ss.sealer.Load()
	r.Key = sealer.ID()
	return base64.RawURLEncoding.EncodeToString(sealer.Seal(f.append(nil), sealContext(r.Holder())...))
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
	f, ok := parseFacts(text)
	if now := clock.Now(); !ok || f.created.After(now.Add(sessionClockSkew)) || !now.Before(f.created.Add(ss.Lifetime)) {
		return r, false
	}
	changed, err := ss.Changes.Load(ctx, HashOf(id))
	if changed.Ended {
		return r, false
	}
	r = newRecord(h)
	r.Key = key
	r.LogLevel, r.Subscriptions = changed.LogLevel, changed.Subscriptions
	if err != nil {
		r.Subscriptions, r.Partial = r.Subscriptions.asOld(), true
	}
	f.fill(&r, ss.Lifetime)
	return r, true
}

// sealContext leaves the tenant out: it is a part of the owner's key.
func sealContext(h Holder) []string {
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
func (f *sessionFacts) fill(r *Record, lifetime time.Duration) {
	r.Version, r.Client, r.Capabilities, r.Expires = f.version, f.client, f.capabilities, f.created.Add(lifetime)
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
