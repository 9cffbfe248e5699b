package ring

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/netip"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/wait"
)

const (
	// Expiry is how long a node counts as alive after its last heartbeat.
	Expiry = 5 * time.Second

	heartbeat   = time.Second
	putTime     = 900 * time.Millisecond // for one heartbeat
	watchPause  = 250 * time.Millisecond // before a watch that has failed is repeated
	storeAway   = 2500 * time.Millisecond
	unsettled   = 15 * time.Second // after a change, in which pages find their new home
	moveTries   = 3                // to say that owners move, while the store is away
	leaveTime   = time.Second      // to say that this node ends
	allMoved    = 1000             // see announcement.Moved
	maxNodes    = 256              // that are remembered
	maxAnnounce = 4 << 10          // bytes of a heartbeat
)

// An announcement is the value of a node's key.
type announcement struct {
	URL     string `json:"url"` // for other nodes
	Release string `json:"release"`

	// Moved is above 0 while the node drains: the thousandths of its owners that have another
	// home already. Owners move in steps, with all that they have.
	Moved int `json:"moved,omitempty"`
}

// A Peer is one node as another one sees it.
type Peer struct {
	ID string // random, of the process
	announcement

	gone    context.Context // ends when the node has expired or left
	end     context.CancelFunc
	seen    time.Time // the last heartbeat; guarded by Nodes.mu, as what follows
	refused bool      // it has refused a connection since
}

// A view is what a node knows of all nodes, itself included. It does not change.
type view []*Peer

// score is the rank of a node for an owner: rendezvous hashing.
func score(owner access.Owner, id string) uint64 {
	sum := sha256.Sum256([]byte(string(owner) + "@" + id))
	return binary.BigEndian.Uint64(sum[:])
}

// hasMoved reports whether an owner is among those that have left a draining node.
func (p *Peer) hasMoved(owner access.Owner) bool {
	return p.Moved > 0 && int(score(owner, "drain")%allMoved) < p.Moved
}

// home returns the home of an owner: the node with the highest score, of those that have not let
// the owner go if there are any. It is nil for a view without nodes.
func (v view) home(owner access.Owner) (home *Peer) {
	best, bestMoved := uint64(0), true
	for _, p := range v {
		own, moved := score(owner, p.ID), p.hasMoved(owner)
		if home == nil || bestMoved && !moved || moved == bestMoved && own > best {
			home, best, bestMoved = p, own, moved
		}
	}
	return home
}

// Options of Nodes.
type Options struct {
	Bucket  Bucket
	URL     string // of this node, for others
	Release string
	Log     *slog.Logger

	// Ready reports whether this node can serve: it announces itself from then on. It must not
	// block.
	Ready func() bool
}

// Nodes knows which nodes are alive, and the home of each owner. While the store is away, the
// nodes that were there last stay.
type Nodes struct {
	options Options
	id      string
	read    chan struct{} // gets a value when the values of all nodes have been read

	current atomic.Pointer[view]

	mu        sync.Mutex
	peers     map[string]*Peer // besides this node
	self      *Peer
	tells     announcement  // what is written: self once it has been read again
	announced bool          // others can read the first heartbeat
	listed    bool          // the values of all nodes have been read once
	echoed    time.Time     // when this node has last seen its own heartbeat
	changed   time.Time     // when the view has last changed
	updated   chan struct{} // closed with the next change
	isAway    bool          // logged
}

// New returns Nodes, which are empty until Run.
func New(o Options) *Nodes {
	id := make([]byte, 8)
	rand.Read(id) // never fails
	n := &Nodes{options: o, id: hex.EncodeToString(id), peers: map[string]*Peer{}, read: wait.NewSignal(), updated: make(chan struct{})}
	n.tells = announcement{URL: o.URL, Release: o.Release}
	n.self = &Peer{ID: n.id, announcement: n.tells, gone: context.Background()}
	n.current.Store(&view{})
	return n
}

// ID returns the id of this node.
func (n *Nodes) ID() string { return n.id }

// Run keeps up the membership until ctx ends, and then says that this node has left.
func (n *Nodes) Run(ctx context.Context) {
	var watching sync.WaitGroup
	watching.Go(func() {
		for ctx.Err() == nil {
			err := n.options.Bucket.Watch(ctx, n.see)
			n.options.Log.Debug("watch the nodes", "error", err)
			wait.For(ctx, watchPause)
		}
	})
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for ctx.Err() == nil {
		n.beat(ctx)
		n.expire()
		select {
		case <-tick.C:
		case <-n.read:
		case <-ctx.Done():
		}
	}
	watching.Wait()
	leaving, cancel := context.WithTimeout(context.Background(), leaveTime)
	defer cancel()
	n.options.Bucket.Delete(leaving, n.id) // else it expires
}

// beat writes the heartbeat.
func (n *Nodes) beat(ctx context.Context) {
	if !n.mayAnnounce() {
		return
	}
	if err := n.write(ctx); err != nil {
		n.options.Log.Debug("write a heartbeat", "error", err)
	}
}

// write writes what others are told.
func (n *Nodes) write(ctx context.Context) error {
	n.mu.Lock()
	value, err := json.Marshal(n.tells)
	n.mu.Unlock()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, putTime)
	defer cancel()
	_, err = n.options.Bucket.Put(ctx, n.id, value, AnyRevision)
	return err
}

func (n *Nodes) mayAnnounce() bool {
	n.mu.Lock()
	announced, listed := n.announced, n.listed
	n.mu.Unlock()
	return announced || listed && n.options.Ready()
}

// see takes a value of the bucket.
func (n *Nodes) see(key string, value []byte) {
	var a announcement
	isNode := len(value) > 0 && len(value) <= maxAnnounce && json.Unmarshal(value, &a) == nil && checkURL(a.URL) == nil
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	switch p := n.peers[key]; {
	case key == "":
		n.listed = true
		wait.Wake(n.read)
	case key == n.id && isNode:
		if now.Sub(n.echoed) > storeAway { // the store was away: others were as silent as this node
			for _, p := range n.peers {
				p.seen = now
			}
		}
		n.echoed = now
		if !n.announced || n.self.announcement != a {
			n.announced = true
			n.become(a)
		}
	case !isNode:
		if p != nil {
			n.remove(p)
		}
	case p == nil && len(n.peers) >= maxNodes:
	case p == nil || p.announcement != a:
		next := &Peer{ID: key, announcement: a, seen: now}
		if next.gone, next.end = context.WithCancel(context.Background()); p != nil {
			next.gone, next.end = p.gone, p.end
		} else {
			n.options.Log.Info("a node is there", "node", key, "url", a.URL, "release", a.Release)
		}
		n.peers[key] = next
		n.rebuild()
	default:
		p.seen = now
		if p.refused {
			p.refused = false
			n.rebuild()
		}
	}
}

// checkURL returns an error for a URL that is not that of a node.
func checkURL(text string) error {
	u, err := url.Parse(text)
	if err == nil && (u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil) {
		err = errors.New("not the URL of a node")
	}
	return err
}

// remove forgets a node. The caller holds the lock, here and in rebuild.
func (n *Nodes) remove(p *Peer) {
	delete(n.peers, p.ID)
	p.end()
	n.options.Log.Info("a node has gone", "node", p.ID, "url", p.URL)
	n.rebuild()
}

// expire removes nodes that are silent while this one's own heartbeats come back.
func (n *Nodes) expire() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range n.peers {
		if n.echoed.Sub(p.seen) >= Expiry {
			n.remove(p)
		}
	}
	if away := n.away(); away != n.isAway {
		n.isAway = away
		if away {
			n.options.Log.Warn("the cluster store is away: the nodes that were there last stay", "nodes", len(n.peers)+1)
		} else {
			n.options.Log.Info("the cluster store is back")
		}
	}
}

// rebuild replaces the view.
func (n *Nodes) rebuild() {
	next := view{}
	if n.announced {
		next = append(next, n.self)
	}
	for _, p := range n.peers {
		if !p.refused {
			next = append(next, p)
		}
	}
	n.changed = time.Now()
	n.current.Store(&next)
	close(n.updated)
	n.updated = make(chan struct{})
}

// Home returns the home of an owner; nil: it is this node.
func (n *Nodes) Home(owner access.Owner) *Peer {
	if home := n.current.Load().home(owner); home != nil && home.ID != n.id {
		return home
	}
	return nil
}

// HomeURL returns the id and address of the home of an owner, for operators.
func (n *Nodes) HomeURL(owner access.Owner) (id, address string) {
	if home := n.Home(owner); home != nil {
		return home.ID, home.URL
	}
	return n.id, n.options.URL
}

// Refused leaves a node out until its next heartbeat: it has refused a connection.
func (n *Nodes) Refused(id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if p := n.peers[id]; p != nil && !p.refused {
		p.refused = true
		n.options.Log.Warn("a node refuses connections", "node", id, "url", p.URL)
		n.rebuild()
	}
}

// refusing returns the nodes that are left out.
func (n *Nodes) refusing() (ids []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for id, p := range n.peers {
		if p.refused {
			ids = append(ids, id)
		}
	}
	return ids
}

// Move lets the owners of this node have other homes, in steps within a time: each step is a
// change. It returns when all have moved, or ctx ends.
func (n *Nodes) Move(ctx context.Context, steps int, pause time.Duration) {
	for step := 1; step <= steps; step++ {
		n.setMoved(ctx, allMoved*step/steps)
		if !wait.For(ctx, pause) {
			return
		}
	}
}

// setMoved writes what has moved. It is true once this node reads it as all others do, or if the store
// is away.
func (n *Nodes) setMoved(ctx context.Context, moved int) {
	n.mu.Lock()
	n.tells.Moved = moved
	n.mu.Unlock()
	for range moveTries {
		if n.write(ctx) == nil {
			return
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.become(n.tells)
}

// become changes what this node is. The caller holds the lock.
func (n *Nodes) become(a announcement) {
	next := *n.self
	next.announcement = a
	n.self = &next
	n.rebuild()
}

// Updated returns a channel that is closed with the next change of the view.
func (n *Nodes) Updated() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.updated
}

// Count returns the number of nodes, of which at least one is this node.
func (n *Nodes) Count() int { return max(1, len(*n.current.Load())) }

// IsDraining reports whether a node lets its owners go, or is not there.
func (n *Nodes) IsDraining(id string) bool {
	for _, p := range *n.current.Load() {
		if p.ID == id {
			return p.Moved > 0
		}
	}
	return true
}

// IsPeer reports whether an address is that of another node.
func (n *Nodes) IsPeer(address netip.Addr) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range n.peers {
		if u, err := url.Parse(p.URL); err == nil && u.Hostname() == address.String() {
			return true
		}
	}
	return false
}

// Unsettled reports whether the nodes have changed just now: pages may be on their way.
func (n *Nodes) Unsettled() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return time.Since(n.changed) < unsettled
}

// Announced reports whether other nodes can know of this one.
func (n *Nodes) Announced() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.announced
}

// Away reports whether the store does not answer.
func (n *Nodes) Away() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.away()
}

func (n *Nodes) away() bool { return n.announced && time.Since(n.echoed) > storeAway }
