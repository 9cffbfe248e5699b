package engine

import (
	"context"
	"time"

	"github.com/pagemcp/pagemcp/wasm/hop"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
)

// A Source publishes resources: records of an IndexedDB store, open tabs, the
// text of a page. Its URIs are absolute (RFC 3986) and its own; the engine puts
// the prefix of the mount before them and takes it off again. It gets them as clients spell them:
// compare by [CanonicalURI].
//
// Methods may be called concurrently and return soon after ctx ends.
type Source interface {
	// List returns the entries of a kind in a stable order, from cursor on; none of a kind that the
	// source does not have. Only [Resources] may come in parts: cursors are opaque to others, "" is the
	// beginning, an empty Listing.Next the end, and for an unknown one the error wraps [ErrBadCursor].
	// The source chooses the size of a part, at most [MaxPageSize].
	List(ctx context.Context, k Kind, cursor string) (Listing, error)

	// Read returns the contents of uri: one item, or one for each of its parts.
	// If there is no such resource, the error wraps [ErrNotFound].
	// See MCP 2026-07-28, server/resources, Reading Resources.
	Read(ctx context.Context, uri string) ([]Contents, error)
}

// A Follower is a Source that announces its changes. The engine calls Follow for the first listener,
// and ends ctx after the last. Follow does not block. Any goroutine may call changed; it never blocks,
// and changes of one URI are merged.
type Follower interface {
	Follow(ctx context.Context, changed func(Change)) Following
}

// Following is one engine's interest in a [Follower]. The engine calls Want from
// one goroutine at a time.
type Following interface {
	// Want adds topics whose changes are to be announced, and drops others, whose changes may be
	// announced for a while. Repeating an add or a drop is harmless. It does not block: armed is closed
	// once changes of all of add are announced, or will not be for now; nil means that they are
	// already. Clients are acknowledged then, or after [ArmTimeout]: the engine announces
	// add as changed if that was too early.
	Want(add, drop []Topic) (armed <-chan struct{})
}

// A Topic is what a [Follower] announces: the changes of a resource, the states of a topic of an extension (by its key),
// or, without a URI, the changes of the lists. Only a [Guarded] source gets a principal, and topics of lists:
// all others announce these in any case.
type Topic struct {
	Who Principal // who hears of them
	URI string
}

// AnnouncesAll is the Following of a source that announces every change, whatever is watched.
type AnnouncesAll struct{}

// Want implements [Following].
func (AnnouncesAll) Want(add, drop []Topic) (armed <-chan struct{}) { return nil }

// A Refuser is a [Following] that knows which topics its source does not announce for now: another
// engine has not granted them. They are left out of an acknowledgement.
type Refuser interface {
	// Refuses does not block. It is called after Want, for topics of it.
	Refuses(t Topic) bool
}

// A Guarded source decides itself who hears of its changes, as another engine does.
type Guarded interface{ IsGuarded() }

// A Finder is a Source that reports without reading whether a resource exists.
type Finder interface {
	Has(ctx context.Context, uri string) (bool, error)
}

// An Immediate source answers List and Read from memory, without ever waiting. The engine may call it on the stack of a wasm export, where nothing
// may block.
type Immediate interface {
	// Generation changes whenever what List answers changes. Pages made of it are kept
	// until then.
	Generation() uint64
}

// A Referrer is a Source whose contents stay outside the engine: in the wasm program,
// in JavaScript. A read of it neither waits nor allocates. The engine may call it on
// the stack of a wasm export, where nothing may block.
type Referrer interface {
	// Refer returns where the contents of uri are, which is in the form of [CanonicalURI]. With a Ref of
	// zero the engine calls Read. uri is valid during the call only: a copy of it has to be cloned.
	Refer(uri string) Reference
}

// A Reference is what a [Referrer] knows of the contents of a URI.
type Reference struct {
	Ref       sink.Ref
	MIMEType  string
	Cache     Cache
	Variables []byte // of the template that matched: a JSON object, or nil
}

// An EarlyReader is a Source that has the contents of some resources in memory, while it waits for
// those of others. What it has is answered by the goroutine that delivers the request. A read that may
// wait needs a goroutine, a timer and a copy of its params.
type EarlyReader interface {
	// ReadEarly is Read of contents that are in memory; nil: the engine calls Read. It never
	// waits. begin returns the context of the request, which costs some allocations. uri is
	// valid during the call only.
	ReadEarly(begin func() context.Context, uri string) []Contents
}

// A Change announces that a copy may be stale. It never carries the new value.
type Change struct {
	URI   string // the resource that changed; empty: none in particular
	Under bool   // so did, or may have, every resource whose URI begins with URI
	List  bool   // the list of resources, or another one of what has URIs, changed

	Prompts bool // the list of prompts changed
	Tools   bool // the list of tools changed

	Only bool // Who alone hears of it
	Who  Principal
}

// isFor reports whether a client hears of a change.
func (c *Change) isFor(who Principal) bool { return !c.Only || c.Who == who }

// and returns both changes as one.
func (c Change) and(other Change) Change {
	c.List, c.Prompts, c.Tools = c.List || other.List, c.Prompts || other.Prompts, c.Tools || other.Tools
	return c
}

// Cache is how long clients may keep an answer (MCP 2026-07-28,
// server/utilities/caching). The zero value: not at all, and for themselves.
type Cache struct {
	TTL    time.Duration // rounded down to milliseconds
	Public bool          // the answer is the same for every principal
}

// Listing is a part of a source's list. Items are checked and cleaned: see [Kind.Parse].
type Listing struct {
	Items []Item
	Next  string // the cursor of what follows; empty at the end
}

// Contents is one item of what a read answers with. Its content is Ref if that
// is not zero, else Blob if it is not nil, else Text.
type Contents struct {
	URI      string
	MIMEType string
	Text     string
	Blob     []byte
	Ref      sink.Ref // of the wasm program: the text or bytes stay in JavaScript
	Meta     []byte   // JSON object, or nil
	Cache    Cache    // of the whole answer; the first item's counts

	Relayed   hop.Relayed // from another engine, as it came: it counts more than Text and Blob
	variables []byte      // from a template of a Table: see Result.Variables
}

// MetaRequest is the key of _meta with the id of the request of the client to which a request of
// the engine's, or a log message, belongs. The revisions have no field for it; a gateway
// that answers each request on a stream of its own needs it.
const MetaRequest = "io.github.pagemcp/request"
