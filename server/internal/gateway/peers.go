package gateway

import (
	"context"
	"errors"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Peers are the other nodes of a deployment: server/cluster connects to them by NATS. Its
// methods may be called concurrently.
type Peers interface {
	// Hold announces that this node has a page, also again for one that it has: of two
	// nodes with a page, the later Hold wins. It asks the other nodes first, which takes
	// at most 250 ms, and returns [ErrTooManyPages] or [ErrNameTaken] without announcing
	// anything. Without other nodes, or while they cannot be asked, it succeeds. release
	// says that the page has left; it does nothing after a later Hold or Replaced.
	Hold(ctx context.Context, p Page) (release func(), err error)

	// Follow calls changed for each page that another node has, and for each later change,
	// until ctx ends. It returns when the other nodes have answered or had 250 ms. The
	// error is [ErrIsolated]: pages might be missing. changed is not called concurrently,
	// must not block, and may be called before Follow returns.
	Follow(ctx context.Context, owner access.Owner, changed func(Held)) error

	// Dial returns a port to the hub of a page that another node has. It takes at most 250 ms.
	Dial(ctx context.Context, h Held) (jsonrpc.Port, error)

	// Unsettled reports whether a node was lost, drained or started less than 15 s ago. A
	// page that is not known may join any moment then, and reads of it wait.
	Unsettled() bool

	SessionEvents() mcphttp.SessionEvents // of classic sessions
	SessionValues() SessionValues         // nil: what changes about a session stays on its node

	ID() string                  // of this node: letters and digits
	Ready() error                // why this node cannot serve with the others
	SetKeys(keys [][]byte) error // the shared keys have changed: the first one seals, all of them open
	Stats() PeerStats
	Drain() // this node will end soon
	Close()
}

// SessionValues keeps values for all nodes of a cluster, each for 7 days. They are sealed: the
// store learns nothing of subscriptions. Its methods may be called concurrently.
type SessionValues interface {
	// Load returns the value of key, or nil if there is none. The error says that the store
	// is not available now.
	Load(ctx context.Context, key string) ([]byte, error)

	// Update replaces the value of key soon, and tries again until it has succeeded. It does
	// not block. update returns the new value for the current one, which may be nil; or nil
	// if the current one shall stay, or an empty value to delete it. A later update of a key
	// replaces one that is under way. Updates of an owner that writes a lot wait for longer.
	Update(owner, key string, update func(current []byte) []byte)

	// IsAvailable reports whether updates are written now, as far as this node knows.
	IsAvailable() bool
}

// PeerStats are figures of a node, for metrics.
type PeerStats struct {
	Connected    bool  // to a NATS server
	Disconnects  int   // from NATS, since the start
	Links, Peers int   // open links, and nodes at their other ends
	Members      int   // other nodes that are alive
	Mismatched   int   // of these without a link version or key in common
	Pages        int   // that this node holds
	Foreign      int64 // messages that were ignored: no node of the cluster has made them, or they were sent again
	Unread       int64 // bytes of messages that arrived by links and are not read
}

// Errors of Peers.
var (
	ErrTooManyPages = errors.New("the owner has too many pages")
	ErrNameTaken    = errors.New("another page of the owner has this name")

	// ErrIsolated is for a view that cannot be opened now.
	ErrIsolated = mcphttp.ErrIsolated
)

// A Page is what a node announces about a page that has joined it.
type Page struct {
	Owner    access.Owner
	Key      string // of the page: 26 characters, the same on all nodes
	Name     string
	Origin   string
	MaxPages int // of the owner on all nodes together; 0 means any number

	// Serve serves another node until the port is closed.
	Serve func(ctx context.Context, p jsonrpc.Port)

	// Replaced is called at most once, when another node has the page: this one has to
	// close its socket and forget it. It must not block.
	Replaced func()
}

// Held is a page that another node has, had or may have.
type Held struct {
	Owner  access.Owner
	Key    string
	Name   string
	Origin string
	Node   string // id
	Epoch  int64  // of two nodes with a page, the one with the higher epoch has it
	State  HeldState
}

// A HeldState is what is known of the holder.
type HeldState int

const (
	HeldThere HeldState = iota // the node has the page
	HeldLeft                   // it had it: the page has left, and its grace time is over
	HeldLost                   // the node is silent, has ended, or has lost the page: another one may have it soon
)

// Links connect views with the pages of other nodes, and those with the pages of this one. It
// is an interface of methods of [NewLinks]'s result, so that a program without other nodes does
// not contain their code: the linker leaves out the methods of types that are never made.
type Links interface {
	peers() Peers
	hold(ctx context.Context, v *views, p *page, joiner *Joiner, origin string, s *socket.Socket) error
	follow(v *views) error
	unfollow(v *views)
	keepLinked(v *views, p *page)
	updateHubs(v *views)
}

type links struct{ nodes Peers }

// NewLinks returns Links to peers.
func NewLinks(peers Peers) Links { return &links{peers} }

func (l *links) peers() Peers { return l.nodes }
