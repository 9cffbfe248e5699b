package mcphttp

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A SessionStore assigns the ids of classic sessions, and restores sessions from them. It
// knows nothing of conversations. Sessions whose conversation is closed are forgotten, and
// restored by Open, unless the store is a [StoredSessions].
type SessionStore interface {
	// Begin returns the id of a new session: visible ASCII (MCP 2025-11-25,
	// basic/transports). It may shorten the record, and sets Record.Expires.
	Begin(r *Record) (id string)

	// Open returns the record of the session with this id; false if there is none, or if
	// it belongs to another holder. If what has changed since its beginning cannot be read,
	// the record is Partial.
	Open(ctx context.Context, id string, h Holder) (Record, bool)

	// Save stores a record that has changed, under the hash of its session's id. The ids
	// are stored nowhere.
	Save(hash string, r *Record) error

	// Remove is called after a session has ended. r is its last record. If r.Unused is set,
	// nothing has to be remembered of it.
	Remove(hash string, r *Record)
}

// A StoredSessions is a SessionStore that keeps every session until it ends. All are loaded
// at start, and end if they are unused for limits.SessionTTL.
type StoredSessions interface {
	SessionStore

	Load() (map[string]StoredSession, error) // by hash; skips records that cannot be read

	// SaveUses replaces the stored times of sessions used after their record was saved.
	SaveUses(used map[string]time.Time) error
}

// A SharedStore is a SessionStore that several nodes use and that may be unavailable.
type SharedStore interface {
	SessionStore

	// Changes returns what has changed about a session since its beginning. The error wraps
	// [ErrStoreAway] while there may be changes that cannot be read.
	Changes(ctx context.Context, hash string) (Changes, error)

	// IsDurable reports whether what is saved now is expected to be stored soon. Otherwise
	// it is stored when the store is available again, unless this node ends before.
	IsDurable() bool
}

// A StoredSession is a record, and the last time from SaveUses, which may be zero.
type StoredSession struct {
	Record Record    // as saved
	Used   time.Time // from SaveUses
}

// A Record contains the facts about a session. Its JSON is the stored form.
type Record struct {
	Issuer       string         `json:"issuer,omitempty"`
	Principal    string         `json:"principal"`
	Owner        access.Owner   `json:"owner,omitempty"`
	Path         string         `json:"path"` // of the endpoint
	Version      string         `json:"version"`
	Client       string         `json:"client,omitempty"` // clientInfo.name
	ClientInfo   jsontext.Value `json:"clientInfo,omitempty"`
	Capabilities jsontext.Value `json:"capabilities,omitempty"`
	LogLevel     string         `json:"logLevel,omitempty"` // of logging/setLevel
	URIs         []string       `json:"uris"`               // of subscriptions
	Used         time.Time      `json:"used"`

	Tenant  string    `json:"-"` // of Owner
	Unused  bool      `json:"-"` // the client has sent nothing but initialize and DELETE, to this node
	Expires time.Time `json:"-"` // when the session ends although it is used; zero: never
	Key     string    `json:"-"` // id of the key that the store has sealed the id with; empty if there is none
	Partial bool      `json:"-"` // lacks changes that a [SharedStore] may have

	// Subscribed and Unsubscribed are those of [Changes].
	Subscribed   map[string]int64 `json:"-"`
	Unsubscribed map[string]int64 `json:"-"`
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

// NewRecord returns the record of a session of h, without further facts.
func NewRecord(h Holder) Record {
	return Record{Issuer: h.Issuer, Owner: h.Owner, Tenant: h.Tenant, Principal: h.Principal, Path: h.Path}
}

// Holder returns what the session belongs to.
func (r *Record) Holder() Holder { return Holder{r.Issuer, r.Owner, r.Tenant, r.Principal, r.Path} }

// Check returns an error if r is damaged.
func (r *Record) Check() error {
	if _, isEndpoint := access.PageOf(r.Path); !isEndpoint || engine.ClassicVersion(r.Version) != r.Version {
		return errors.New("the file contains no valid session")
	}
	return nil
}

// NewSessionID returns 256 random bits as visible ASCII.
func NewSessionID() string {
	id := make([]byte, 32)
	rand.Read(id) // never fails: crypto/rand
	return base64.RawURLEncoding.EncodeToString(id)
}
