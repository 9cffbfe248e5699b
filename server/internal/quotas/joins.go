package quotas

import (
	"container/list"
	"context"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
)

// MaxJoinWait is how long a join waits for its turn.
const MaxJoinWait = 10 * time.Second

const (
	// MaxWaitingJoins is the number of joins that wait in all.
	MaxWaitingJoins = 8_192 // about what a node admits within MaxJoinWait

	// Shares, so that neither a tenant nor an owner keeps others out.
	maxOwnerJoins    = 8                   // under way
	maxOwnerWaiting  = 64                  // more than the pages of an owner
	maxTenantWaiting = MaxWaitingJoins / 4 // only where tokens have tenants
)

// A JoinQueue limits how many pages join a node at the same time: after the loss of a node
// its pages come all at once. Others wait. Tenants take turns, the owners of a tenant take
// turns in each turn of it, and the pages of an owner join in the order in which they came.
// Its zero value lets none begin. Its methods may be called concurrently, and cost the same however many joins wait.
type JoinQueue struct {
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
	owners  int // in JoinQueue.owners
	waiting int
	ready   list.List     // of *ownerJoins: owners whose first join may begin
	turn    *list.Element // of JoinQueue.ready; nil if no owner is ready
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

// Acquire waits until the join may begin, and counts it until release is called. The error
// is an *access.Exceeded if too many wait or it took 10 s, or that of ctx.
func (q *JoinQueue) Acquire(ctx context.Context, who Identity) (release func(), err error) {
	turn, place := q.enter(who)
	if turn == nil {
		return nil, q.exceeded()
	}
	waiting, cancel := context.WithTimeout(ctx, MaxJoinWait)
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
func (q *JoinQueue) enter(who Identity) (turn chan struct{}, place joinPlace) {
	q.mu.Lock()
	defer q.mu.Unlock()
	o := q.owner(who)
	turn = make(chan struct{})
	switch {
	case q.underway < q.most && o.underway < maxOwnerJoins: // none of those that wait may begin
		q.begin(o, turn)
		return turn, joinPlace{owner: o}
	case q.waiting >= MaxWaitingJoins, o.waiting.Len() >= maxOwnerWaiting, who.Tenant != "" && o.tenant.waiting >= maxTenantWaiting:
		q.forget(o)
		return nil, place
	}
	place = joinPlace{o, o.waiting.PushBack(turn)}
	q.count(o, 1)
	q.queue(o)
	return turn, place
}

// leave removes a join from the queue. It returns false if it has its turn already.
func (q *JoinQueue) leave(place joinPlace) bool {
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
func (q *JoinQueue) finish(o *ownerJoins) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.underway--
	o.underway--
	q.queue(o)
	q.next()
	q.forget(o)
}

// Full returns the rejection of a join that would find no place in the queue, or nil.
func (q *JoinQueue) Full() *access.Exceeded {
	if _, waiting := q.Counts(); waiting < MaxWaitingJoins {
		return nil
	}
	return q.exceeded()
}

// Counts returns how many joins are under way, and how many wait.
func (q *JoinQueue) Counts() (underway, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.underway, q.waiting
}

// SetMost replaces the limit, as a reload of the configuration does.
func (q *JoinQueue) SetMost(most int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.most = most
	q.next()
}

// next lets joins begin while there is room. The caller holds the lock, here and below.
func (q *JoinQueue) next() {
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

func (q *JoinQueue) begin(o *ownerJoins, turn chan struct{}) {
	q.underway++
	o.underway++
	close(turn)
}

// count adds n to the joins that wait.
func (q *JoinQueue) count(o *ownerJoins, n int) {
	q.waiting += n
	o.tenant.waiting += n
}

// queue gives an owner a turn if its next join may begin, as the last one of its tenant.
func (q *JoinQueue) queue(o *ownerJoins) {
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
func (q *JoinQueue) unqueue(o *ownerJoins) {
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

func (q *JoinQueue) owner(who Identity) *ownerJoins {
	if o := q.owners[who.Owner]; o != nil {
		return o
	}
	if q.owners == nil {
		q.owners, q.tenants = map[access.Owner]*ownerJoins{}, map[string]*tenantJoins{}
	}
	t := q.tenants[who.Tenant]
	if t == nil {
		t = &tenantJoins{name: who.Tenant}
		q.tenants[who.Tenant] = t
	}
	t.owners++
	o := &ownerJoins{key: who.Owner, tenant: t}
	q.owners[who.Owner] = o
	return o
}

// forget removes an owner without joins, and its tenant if that has no other one.
func (q *JoinQueue) forget(o *ownerJoins) {
	if o.underway > 0 || o.waiting.Len() > 0 {
		return
	}
	delete(q.owners, o.key)
	if o.tenant.owners--; o.tenant.owners == 0 {
		delete(q.tenants, o.tenant.name)
	}
}

func (q *JoinQueue) exceeded() *access.Exceeded {
	q.mu.Lock()
	defer q.mu.Unlock()
	return Exceeded("joins", q.most, MaxJoinWait)
}
