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
// its pages come all at once. Others wait, and begin in the order in which they came, except
// those of owners with their share under way. Its zero value lets none begin. Its methods may
// be called concurrently.
type JoinQueue struct {
	mu       sync.Mutex
	most     int // under way
	underway int
	waiting  list.List                    // of *waitingJoin, the first that came first
	owners   map[access.Owner]*ownerJoins // with joins
	tenants  map[string]int               // joins that wait
}

type ownerJoins struct{ underway, waiting int }

type waitingJoin struct {
	who  Identity
	turn chan struct{} // closed when it may begin
}

// Acquire waits until the join may begin, and counts it until release is called. The error
// is an *access.Exceeded if too many wait or it took 10 s, or that of ctx.
func (q *JoinQueue) Acquire(ctx context.Context, who Identity) (release func(), err error) {
	one := &waitingJoin{who, make(chan struct{})}
	place, isFull := q.enter(one)
	if isFull {
		return nil, q.exceeded()
	}
	waiting, cancel := context.WithTimeout(ctx, MaxJoinWait)
	defer cancel()
	select {
	case <-one.turn:
	case <-waiting.Done():
		if q.leave(one, place) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			return nil, q.exceeded()
		}
	}
	return sync.OnceFunc(func() { q.finish(who) }), nil
}

// enter begins a join or returns its place in the queue, unless that is full, or the share of
// the owner or the tenant.
func (q *JoinQueue) enter(one *waitingJoin) (place *list.Element, isFull bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.owners == nil {
		q.owners, q.tenants = map[access.Owner]*ownerJoins{}, map[string]int{}
	}
	o := q.owners[one.who.Owner]
	if o == nil {
		o = &ownerJoins{}
		q.owners[one.who.Owner] = o
	}
	switch {
	case q.underway < q.most && o.underway < maxOwnerJoins: // none of those that wait may begin
		q.begin(one)
		return nil, false
	case q.waiting.Len() >= MaxWaitingJoins, o.waiting >= maxOwnerWaiting, one.who.Tenant != "" && q.tenants[one.who.Tenant] >= maxTenantWaiting:
		q.forget(one.who)
		return nil, true
	}
	q.count(one.who, 1)
	return q.waiting.PushBack(one), false
}

// leave removes a join from the queue. It returns false if it has its turn already.
func (q *JoinQueue) leave(one *waitingJoin, place *list.Element) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case <-one.turn:
		return false
	default:
		q.waiting.Remove(place)
		q.count(one.who, -1)
		q.forget(one.who)
		return true
	}
}

// finish ends one join, so that the next one may begin.
func (q *JoinQueue) finish(who Identity) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.underway--
	q.owners[who.Owner].underway--
	q.next()
	q.forget(who)
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
	return q.underway, q.waiting.Len()
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
	for place := q.waiting.Front(); place != nil && q.underway < q.most; {
		one, here := place.Value.(*waitingJoin), place
		place = place.Next()
		if q.owners[one.who.Owner].underway < maxOwnerJoins { // else one of maxOwnerWaiting, of an owner of most/maxOwnerJoins
			q.waiting.Remove(here)
			q.count(one.who, -1)
			q.begin(one)
		}
	}
}

func (q *JoinQueue) begin(one *waitingJoin) {
	q.underway++
	q.owners[one.who.Owner].underway++
	close(one.turn)
}

// count adds n to the joins that wait.
func (q *JoinQueue) count(who Identity, n int) {
	q.owners[who.Owner].waiting += n
	if q.tenants[who.Tenant] += n; q.tenants[who.Tenant] == 0 {
		delete(q.tenants, who.Tenant)
	}
}

// forget removes an owner without joins.
func (q *JoinQueue) forget(who Identity) {
	if *q.owners[who.Owner] == (ownerJoins{}) {
		delete(q.owners, who.Owner)
	}
}

func (q *JoinQueue) exceeded() *access.Exceeded {
	q.mu.Lock()
	defer q.mu.Unlock()
	return Exceeded("joins", q.most, MaxJoinWait)
}
