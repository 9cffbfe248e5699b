package gateway

import (
	"context"
	"errors"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A Directory knows which node of a deployment has which page. Its methods may be called
// concurrently.
type Directory interface {
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
}

// An Unsettled is a Directory that knows when pages may be on their way from one node to
// another.
type Unsettled interface {
	// Unsettled reports whether a node was lost, drained or started less than 15 s ago. A
	// page that is not known may join any moment then, and reads of it wait.
	Unsettled() bool
}

// A Dialer opens ports to pages that other nodes have.
type Dialer interface {
	// Dial returns a port to the page's hub. It takes at most 250 ms.
	Dial(ctx context.Context, h Held) (jsonrpc.Port, error)
}

// Errors of a Directory.
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
