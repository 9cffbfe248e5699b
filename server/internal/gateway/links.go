package gateway

import (
	"context"
	"errors"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/server/internal/wait"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A page has one holder, the node of its socket. The holder serves the page's hub, an
// engine like that of /mcp/{page} without generated tools, to the other nodes. A view on
// another node attaches the page's Remote to a port from Peers.Dial instead of a socket. The
// Remote stays while the page moves between nodes: subscriptions stay, too, requests that
// can be repeated are sent again, and so are others that the page certainly did not get; the
// rest ends as interrupted.

const (
	// viewArmTime exceeds engine.ArmTimeout, which hubs have: a view never acknowledges a
	// subscription before the hub that it goes through.
	viewArmTime = 3 * time.Second

	// hubTime is for a request of another node, where the view has a shorter limit.
	hubTime        = time.Hour
	hubUpdates     = time.Millisecond // between updates of one URI: the page limits them
	maxHubInFlight = 1_024            // requests of one node

	linkTime      = time.Second            // for the hub of another node to answer; a join of the page waits for that
	firstLinkTime = 250 * time.Millisecond // a new view waits for links to the pages that it knows
	minRedial     = 20 * time.Millisecond
	maxRedial     = time.Second
)

const (
	closeLimit websocket.StatusCode = 4429 // the reason is the time to wait in ms
	retryPages                      = "60000"
)

// elsewhere is what a page has besides its socket where there are other nodes. The mu of
// the views guards it.
type elsewhere struct {
	released func()         // of Peers.Hold; nil if this node does not hold the page
	hub      *engine.Engine // for other nodes; nil before the first one has dialled

	key       string        // of Page
	held      *Held         // the other node that has the page; nil if none is known
	departed  bool          // it has left that node: it is not expected back
	linked    bool          // the Remote is attached to held
	keeping   bool          // keepLink runs
	changed   chan struct{} // has capacity 1; signals keepLink that held or socket changed
	firstLink chan struct{} // closed when the page was linked for the first time
}

// refusalOf returns how to close the socket of a page that could not be attached.
func refusalOf(err error) (code websocket.StatusCode, reason, outcome string) {
	switch {
	case errors.Is(err, ErrTooManyPages):
		return closeLimit, retryPages, "busy"
	case errors.Is(err, ErrNameTaken):
		return socket.CloseReplaced, "another page has this name", "replaced"
	}
	return websocket.StatusNormalClosure, "", "error"
}

// hold announces a page that joins, before it is attached: requests of other nodes wait
// until it is.
func (l *links) hold(ctx context.Context, v *views, p *page, joiner *Joiner, origin string, s *socket.Socket) error {
	released, err := l.nodes.Hold(ctx, Page{
		Owner: joiner.Owner, Key: joiner.Key, Name: joiner.Name, Origin: origin, MaxPages: joiner.MaxPages,
		Serve:    func(ctx context.Context, port jsonrpc.Port) { l.serveHub(ctx, v, p, port) },
		Replaced: func() { go l.replaced(v, p, s) }, // it takes the lock, and closes a socket
	})
	if err != nil {
		return err
	}
	if !v.markHeld(p, joiner.Key, released) {
		released() // the page was removed meanwhile
		return errRetired
	}
	return nil
}

func (v *views) markHeld(p *page, key string, released func()) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.pages[p.name] != p {
		return false
	}
	p.released, p.key, p.held, p.departed, p.linked = released, key, nil, false, false
	p.signalChanged()
	return true
}

// release makes the peers forget the page, if it holds it. The result is to be called
// with the lock released: callbacks of Peers take it.
func (e *elsewhere) release() (released []func()) {
	if e.released != nil {
		released = append(released, e.released)
		e.released = nil
	}
	return released
}

// leave is release for a page that is removed.
func (e *elsewhere) leave() []func() {
	released := e.release()
	if e.hub != nil {
		released = append(released, e.hub.Close)
	}
	e.held, e.linked = nil, false
	e.signalChanged()
	return released
}

func (e *elsewhere) signalChanged() {
	if e.changed == nil {
		return
	}
	wait.Wake(e.changed)
}

// replaced closes the socket of a page that another node has now.
func (l *links) replaced(v *views, p *page, s *socket.Socket) {
	if l.markReplaced(v, p, s) {
		v.gateway.Options.Log.Info("page has moved to another node", "page", p.name)
	}
	s.CloseWith(socket.CloseReplaced, "replaced")
}

func (l *links) markReplaced(v *views, p *page, s *socket.Socket) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.pages[p.name] != p || p.socket != s {
		return false
	}
	p.socket, p.released = nil, nil
	v.startGrace(p)
	l.keepLinked(v, p)
	return true
}

// keepLinked starts keepLink if another node has the page. The caller holds the lock.
func (l *links) keepLinked(v *views, p *page) {
	if p.held == nil || p.socket != nil || p.keeping || v.following == nil {
		return
	}
	p.keeping = true
	go l.keepLink(v.following.ctx, v, p) // ends when this node or none has the page, or with the views
}

// keepLink keeps the Remote of a page attached to the node that has it.
func (l *links) keepLink(ctx context.Context, v *views, p *page) {
	var port jsonrpc.Port    // nil: not linked
	var node string          // at its other end
	var gone <-chan struct{} // closed when it has ended
	wait := time.Duration(0)
	for {
		held, wanted := v.wantedLink(ctx, p)
		switch {
		case port != nil && (!wanted || isClosed(gone)):
			p.remote.LeaveHub() // what runs there has a moment to end
			if ctx.Err() != nil {
				port.Close()
			}
			<-gone // Remote.Forget does nothing before that
			port = nil
			v.unlinked(p)
		case !wanted:
			if v.endKeeping(ctx, p) {
				return
			}
		case port == nil || node != held.Node:
			next, down, err := l.link(ctx, v, p, held)
			if err != nil {
				wait = min(max(2*wait, minRedial), maxRedial)
				pause(ctx, wait, p.changed)
				continue
			}
			port, node, gone, wait = next, held.Node, down, 0
		default:
			select {
			case <-gone:
			case <-p.changed:
			case <-ctx.Done():
			}
		}
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// pause waits until it has taken so long, or something has changed.
func pause(ctx context.Context, d time.Duration, changed <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-changed:
	case <-ctx.Done():
	}
}

// wantedLink returns the node to which a page should be linked, if any.
func (v *views) wantedLink(ctx context.Context, p *page) (held Held, wanted bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.wantsLink(ctx, p) {
		return Held{}, false
	}
	return *p.held, true
}

func (v *views) wantsLink(ctx context.Context, p *page) bool {
	return p.held != nil && p.socket == nil && ctx.Err() == nil && v.pages[p.name] == p
}

// endKeeping records that keepLink ends, unless a link is wanted again.
func (v *views) endKeeping(ctx context.Context, p *page) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.wantsLink(ctx, p) {
		return false
	}
	p.keeping = false
	if p.socket == nil && v.pages[p.name] == p {
		v.startGrace(p)
		if p.departed {
			p.grace.Reset(0) // the other node has waited already
		}
	}
	return true
}

// link dials the node that has the page, and attaches the Remote. down is closed when the
// link has ended.
func (l *links) link(ctx context.Context, v *views, p *page, held Held) (port jsonrpc.Port, down <-chan struct{}, err error) {
	port, err = l.nodes.Dial(ctx, held)
	if err != nil {
		return nil, nil, err
	}
	if !v.lockLink(ctx, p, held) { // a socket came first: it must not be replaced
		port.Close()
		return nil, nil, errNotHeld
	}
	defer v.unlockJoin(p)
	attaching, cancel := context.WithTimeout(ctx, linkTime)
	defer cancel()
	if err := p.remote.ReattachHub(attaching, port); err != nil {
		return nil, nil, err
	}
	down = p.remote.Gone()
	v.markLinked(p)
	return port, down, nil
}

// lockLink is lockJoin for a link. It returns false if the node does not have the page any
// more.
func (v *views) lockLink(ctx context.Context, p *page, held Held) bool {
	for {
		ok, other := v.tryLockLink(ctx, p, held)
		if other == nil {
			return ok
		}
		<-other
	}
}

func (v *views) tryLockLink(ctx context.Context, p *page, held Held) (ok bool, other <-chan struct{}) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case p.joining != nil:
		return false, p.joining
	case !v.wantsLink(ctx, p) || p.held.Node != held.Node:
		return false, nil
	}
	p.joining = make(chan struct{})
	return true, nil
}

// errNotHeld is returned for a page that the other node does not have any more.
var errNotHeld = errors.New("the other node does not have the page")

func (v *views) markLinked(p *page) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if p.socket != nil {
		return
	}
	if p.grace != nil {
		p.grace.Stop()
	}
	p.linked, p.expired = true, false
	if !isClosed(p.firstLink) {
		close(p.firstLink)
	}
	v.updateDeclarations()
}

// unlinked starts the grace time of a page whose link has ended.
func (v *views) unlinked(p *page) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if p.linked && p.socket == nil && v.pages[p.name] == p {
		v.startGrace(p)
	}
	p.linked = false
}
