package mcphttp

import (
	"encoding/binary"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A Record has the facts about a session. A session that is awake holds it, and has these
// facts nowhere else.
type Record struct {
	Holder

	// In the id of the session: these do not change.
	Created      time.Time
	Version      string         // of the protocol
	Client       string         // clientInfo.name
	Capabilities jsontext.Value // a JSON object

	// In [SessionChanges].
	LogLevel      string // of logging/setLevel
	Subscriptions Subscriptions

	// Of this node.
	Expires time.Time // when the session ends although it is used
	Key     string    // id of the key that has sealed the session's id
	Unused  bool      // the client has sent nothing but initialize and DELETE, to this node
	Partial bool      // lacks changes that [SessionChanges] may have
}

// A Holder is what a session belongs to: one client of one owner at one endpoint. An id is
// valid for its holder only, whatever token the client has.
type Holder struct {
	Issuer    string // of the client's tokens; "" if they have none
	Owner     access.Owner
	Tenant    string // of the owner; "" without tenants
	Principal string
	Path      string // of the endpoint
}

const sessionFormat = 1 // the first byte of what append writes

// append appends the facts that are sealed into an id.
func (r *Record) append(text []byte) []byte {
	text = binary.AppendUvarint(append(text, sessionFormat), uint64(r.Created.UnixMilli()))
	text = appendText(appendText(text, r.Version), r.Client)
	return append(text, r.Capabilities...)
}

// parse reverses append. Only a node with other code for this format could seal what
// it rejects.
func (r *Record) parse(text []byte) (ok bool) {
	if len(text) == 0 || text[0] != sessionFormat {
		return false
	}
	created, n := binary.Uvarint(text[1:])
	if n <= 0 || created > 1<<52 {
		return false
	}
	r.Created, text = time.UnixMilli(int64(created)), text[1+n:]
	if r.Version, text, ok = cutText(text); !ok || engine.ClassicVersion(r.Version) != r.Version {
		return false
	}
	if r.Client, text, ok = cutText(text); !ok {
		return false
	}
	r.Capabilities = text
	return r.Capabilities.IsValid()
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

// sealedCapabilities returns the capabilities of a client as its session ids contain them.
func sealedCapabilities(declared jsontext.Value) jsontext.Value {
	compact := declared.Clone()
	if compact.Compact() != nil || compact.Kind() != '{' {
		return jsontext.Value("{}")
	}
	return engine.KnownCapabilities(compact)
}
