package gateway

import (
	"context"

	"github.com/pagemcp/pagemcp/server/internal/socket"
)

// Peers are the other nodes of a deployment: views reach their pages, and they reach those of
// this node. [NewPeers] returns one. It is an interface, and what links need are methods of
// its only implementation, so that a program that has no other nodes does not contain that
// code: the linker leaves out the methods of types that are never made.
type Peers interface {
	hold(ctx context.Context, v *views, p *page, joiner *Joiner, origin string, s *socket.Socket) error
	follow(v *views) error
	unfollow(v *views)
	keepLinked(v *views, p *page)
	updateHubs(v *views)
	unsettled() bool
}

type peers struct {
	directory Directory
	dialer    Dialer
}

// NewPeers returns the Peers that d knows and dial reaches. d may be an [Unsettled].
func NewPeers(d Directory, dial Dialer) Peers { return &peers{d, dial} }

// unsettled reports whether pages may be on their way from one node to another.
func (l *peers) unsettled() bool {
	d, ok := l.directory.(Unsettled)
	return ok && d.Unsettled()
}
