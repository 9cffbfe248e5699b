package mcphttp

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Stored is the document of a session as a store keeps it, in JSON: at most MaxStored bytes.
type Stored struct {
	ID     string `json:"id"`     // 32 hexadecimal digits: a part of a key, or the name of a file
	Owner  string `json:"owner"`  // the owner's key; may be empty
	Writer string `json:"writer"` // the process that has saved it

	Revision      string         `json:"revision"`        // of the protocol
	Client        string         `json:"client"`          // clientInfo.name
	Capabilities  jsontext.Value `json:"capabilities"`    // of the client; a JSON object
	LogLevel      string         `json:"level,omitempty"` // of logging/setLevel
	Subscriptions []string       `json:"subscriptions,omitempty"`
	Expires       time.Time      `json:"expires"` // when the session has been idle for its lifetime

	// Version is set by the store, for the next Save. 0: the store has no document.
	Version uint64 `json:"-"`
}

// MaxStored is the size of a session's document. A subscription that would exceed it is rejected.
const MaxStored = 256 << 10 // bytes

// A SessionStore keeps the documents of sessions, so that they outlive their process. Its
// methods may be called concurrently, and return soon after ctx ends. A document that Load
// returns belongs to the caller, one that Save gets does not change meanwhile.
type SessionStore interface {
	// Load returns the document of a session; nil without error if there is none.
	Load(ctx context.Context, owner, id string) (*Stored, error)

	// Save writes a document and sets its Version. The error wraps [ErrStale] if the store has
	// another version than that of s.
	Save(ctx context.Context, s *Stored) error

	// Delete removes a document. There need not be one.
	Delete(ctx context.Context, owner, id string) error
}

// ErrStale is the error of SessionStore.Save if another writer has saved the session since this
// one loaded it.
var ErrStale = errors.New("another process has saved this session")
