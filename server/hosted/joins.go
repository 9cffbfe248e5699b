package hosted

import (
	"container/list"
	"context"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
)

const (
	maxJoinWait     = 10 * time.Second
	maxWaitingJoins = 8_192 // about what a node admits within maxJoinWait

	// Shares, so that neither a tenant nor an owner keeps others out.
	maxOwnerJoins    = 8                   // under way
	maxOwnerWaiting  = 64                  // more than the pages of an owner
	maxTenantWaiting = maxWaitingJoins / 4 // only where tokens have tenants
)

// A joinQueue limits how many pages join a node at the same time: after the loss of a node
// its pages come all at once. Others wait. Tenants take turns, the owners of a tenant take
// turns in each turn of it, and the pages of an owner join in the order in which they came.
// Its methods may be called concurrently, and cost the same however many joins wait.
type joinQueue struct {
	mu       sync.Mutex
	most     int // under way
	underway int
	waiting  int
	owners   map[access.Owner]*ownerJoins // with joins
	tenants  map[string]*tenantJoins      // of owners
	ready    list.List                    // of *tenantJoins: the next turns
}

type tenantJoins struct {
	name    string
	owners  int // in joinQueue.owners
	waiting int
	ready   list.List     // of *ownerJoins: owners whose first join may begin
	turn    *list.Element // of joinQueue.ready; nil if no owner is ready
}

type ownerJoins struct {
	key      access.Owner
	tenant   *tenantJoins
	underway int
	waiting  list.List     // of chan struct{}, closed when it is the join's turn
	turn     *list.Element // of tenantJoins.ready; nil if none waits, or too many are under way
}

// A joinPlace is a join that waits.
type joinPlace struct {
	owner   *ownerJoins
	element *list.Element
}

// acquire waits until the join may begin, and counts it until release is called. The error
// is an *exceededError if too many wait or it took 10 s, or that of ctx.
func (q *joinQueue) acquire(ctx context.Context, who identity) (release func(), err error) {
	turn, place := q.enter(who)
	if turn == nil {
		return nil, q.exceeded()
	}
	waiting, cancel := context.WithTimeout(ctx, maxJoinWait)
	defer cancel()
	select {
	case <-turn:
	case <-waiting.Done():
		if q.leave(place) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			return nil, q.exceeded()
		}
	}
	return sync.OnceFunc(func() { q.finish(place.owner) }), nil
}

// enter returns a channel that is closed when it is the join's turn, and its place in the
// queue; or nil if that is full, or the share of the owner or the tenant.
func (q *joinQueue) enter(who identity) (turn chan struct{}, place joinPlace) {
	q.mu.Lock()
	defer q.mu.Unlock()
	o := q.owner(who)
	turn = make(chan struct{})
	switch {
	case q.underway < q.most && o.underway < maxOwnerJoins: // none of those that wait may begin
		q.begin(o, turn)
		return turn, joinPlace{owner: o}
	case q.waiting >= maxWaitingJoins, o.waiting.Len() >= maxOwnerWaiting, who.tenant != "" && o.tenant.waiting >= maxTenantWaiting:
		q.forget(o)
		return nil, place
	}
	place = joinPlace{o, o.waiting.PushBack(turn)}
	q.count(o, 1)
	q.queue(o)
	return turn, place
}

// leave removes a join from the queue. It returns false if it has its turn already.
func (q *joinQueue) leave(place joinPlace) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if place.element == nil {
		return false
	}
	select {
	case <-place.element.Value.(chan struct{}):
		return false
	default:
		o := place.owner
		o.waiting.Remove(place.element)
		q.count(o, -1)
		if o.waiting.Len() == 0 {
			q.unqueue(o)
		}
		q.forget(o)
		return true
	}
}

// finish ends one join of an owner, so that the next one may begin.
func (q *joinQueue) finish(o *ownerJoins) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.underway--
	o.underway--
	q.queue(o)
	q.next()
	q.forget(o)
}

// full returns the error of a join that would find no place in the queue, or nil.
func (q *joinQueue) full() error {
	if _, waiting := q.counts(); waiting < maxWaitingJoins {
		return nil
	}
	return q.exceeded()
}

// counts returns how many joins are under way, and how many wait.
func (q *joinQueue) counts() (underway, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.underway, q.waiting
}

// setMost replaces the limit, as a reload of the configuration does.
func (q *joinQueue) setMost(most int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.most = most
	q.next()
}

// next lets joins begin while there is room. The caller holds the lock, here and below.
func (q *joinQueue) next() {
	for q.underway < q.most && q.ready.Len() > 0 {
		t := q.ready.Front().Value.(*tenantJoins)
		o := t.ready.Front().Value.(*ownerJoins)
		turn := o.waiting.Remove(o.waiting.Front()).(chan struct{})
		q.count(o, -1)
		q.unqueue(o)
		q.begin(o, turn)
		q.queue(o) // behind the others
		if t.turn != nil {
			q.ready.MoveToBack(t.turn)
		}
	}
}

func (q *joinQueue) begin(o *ownerJoins, turn chan struct{}) {
	q.underway++
	o.underway++
	close(turn)
}

// count adds n to the joins that wait.
func (q *joinQueue) count(o *ownerJoins, n int) {
	q.waiting += n
	o.tenant.waiting += n
}

// queue gives an owner a turn if its next join may begin, as the last one of its tenant.
func (q *joinQueue) queue(o *ownerJoins) {
	if o.turn != nil || o.waiting.Len() == 0 || o.underway >= maxOwnerJoins {
		return
	}
	t := o.tenant
	o.turn = t.ready.PushBack(o)
	if t.turn == nil {
		t.turn = q.ready.PushBack(t)
	}
}

// unqueue takes the turn of an owner away.
func (q *joinQueue) unqueue(o *ownerJoins) {
	if o.turn == nil {
		return
	}
	t := o.tenant
	t.ready.Remove(o.turn)
	o.turn = nil
	if t.ready.Len() == 0 {
		q.ready.Remove(t.turn)
		t.turn = nil
	}
}

func (q *joinQueue) owner(who identity) *ownerJoins {
	if o := q.owners[who.owner]; o != nil {
		return o
	}
	if q.owners == nil {
		q.owners, q.tenants = map[access.Owner]*ownerJoins{}, map[string]*tenantJoins{}
	}
	t := q.tenants[who.tenant]
	if t == nil {
		t = &tenantJoins{name: who.tenant}
		q.tenants[who.tenant] = t
	}
	t.owners++
	o := &ownerJoins{key: who.owner, tenant: t}
	q.owners[who.owner] = o
	return o
}

// forget removes an owner without joins, and its tenant if that has no other one.
func (q *joinQueue) forget(o *ownerJoins) {
	if o.underway > 0 || o.waiting.Len() > 0 {
		return
	}
	delete(q.owners, o.key)
	if o.tenant.owners--; o.tenant.owners == 0 {
		delete(q.tenants, o.tenant.name)
	}
}

func (q *joinQueue) exceeded() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return &exceededError{"joins", q.most, maxJoinWait}
}
