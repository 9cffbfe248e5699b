package quotas

import (
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

	maxOwnerUnderway = 8  // so that no owner keeps others out
	maxOwnerJoins    = 64 // under way and waiting; more than the pages of an owner
)

// A JoinQueue limits how many pages join a node at the same time: after the loss of a node
// its pages come all at once. Others wait, and begin in the order in which they came, except
// those of owners with their share under way. Its methods may be called concurrently.
type JoinQueue struct {
	underway chan struct{} // holds one value for each

	mu     sync.Mutex
	owners map[access.Owner]*ownerJoins // with joins
	all    int
}

type ownerJoins struct {
	underway chan struct{} // of the owner
	all      int
}

// NewJoinQueue returns a queue without joins, of which most may be under way.
func NewJoinQueue(most int) *JoinQueue {
	return &JoinQueue{underway: make(chan struct{}, most), owners: map[access.Owner]*ownerJoins{}}
}

// Acquire waits until the join may begin, and counts it until release is called. The error
// is an *access.Exceeded if too many wait or it took 10 s, or that of ctx.
func (q *JoinQueue) Acquire(ctx context.Context, owner access.Owner) (release func(), err error) {
	own := q.enter(owner)
	if own == nil {
		return nil, q.exceeded()
	}
	waiting, cancel := context.WithTimeout(ctx, MaxJoinWait)
	defer cancel()
	select {
	case own.underway <- struct{}{}:
	case <-waiting.Done():
		q.leave(owner)
		return nil, q.late(ctx)
	}
	select {
	case q.underway <- struct{}{}:
	case <-waiting.Done():
		<-own.underway
		q.leave(owner)
		return nil, q.late(ctx)
	}
	return sync.OnceFunc(func() {
		<-q.underway
		<-own.underway
		q.leave(owner)
	}), nil
}

// late returns the error of a join that has waited in vain.
func (q *JoinQueue) late(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return q.exceeded()
}

// enter counts a join. It returns nil if too many wait.
func (q *JoinQueue) enter(owner access.Owner) *ownerJoins {
	q.mu.Lock()
	defer q.mu.Unlock()
	own := q.owners[owner]
	if own == nil {
		own = &ownerJoins{underway: make(chan struct{}, maxOwnerUnderway)}
	}
	if q.all >= cap(q.underway)+MaxWaitingJoins || own.all >= maxOwnerJoins {
		return nil
	}
	q.owners[owner] = own
	q.all++
	own.all++
	return own
}

func (q *JoinQueue) leave(owner access.Owner) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.all--
	if own := q.owners[owner]; own.all > 1 {
		own.all--
	} else {
		delete(q.owners, owner)
	}
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
	underway = len(q.underway)
	return underway, max(0, q.all-underway)
}

func (q *JoinQueue) exceeded() *access.Exceeded {
	return Exceeded("joins", cap(q.underway), MaxJoinWait)
}
