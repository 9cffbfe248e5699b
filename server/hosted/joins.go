package hosted

import (
	"container/list"
	"context"
	"sync"
	"time"
)

const (
	maxJoinWait     = 10 * time.Second
	maxWaitingJoins = 8_192 // about what a node admits within maxJoinWait
)

// A joinQueue limits how many pages join a node at the same time. Others wait in the order
// in which they came: after the loss of a node its pages come all at once. It may be used
// concurrently.
type joinQueue struct {
	mu       sync.Mutex
	most     int // under way
	underway int
	waiting  list.List // of chan struct{}, closed when it is the join's turn
}

// acquire waits until the join may begin, and counts it until release is called. The error
// is an *exceededError if too many wait or it took 10 s, or that of ctx.
func (q *joinQueue) acquire(ctx context.Context) (release func(), err error) {
	turn, element := q.enter()
	if turn == nil {
		return nil, q.exceeded()
	}
	waiting, cancel := context.WithTimeout(ctx, maxJoinWait)
	defer cancel()
	select {
	case <-turn:
	case <-waiting.Done():
		if q.leave(element) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			return nil, q.exceeded()
		}
	}
	return sync.OnceFunc(q.finish), nil
}

// enter returns a channel that is closed when it is the join's turn, and its place in the
// queue; or nil if that is full.
func (q *joinQueue) enter() (turn chan struct{}, element *list.Element) {
	q.mu.Lock()
	defer q.mu.Unlock()
	turn = make(chan struct{})
	switch {
	case q.underway < q.most:
		q.underway++
		close(turn)
		return turn, nil
	case q.waiting.Len() >= maxWaitingJoins:
		return nil, nil
	}
	return turn, q.waiting.PushBack(turn)
}

// leave removes a join from the queue. It returns false if it has its turn already.
func (q *joinQueue) leave(element *list.Element) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if element == nil {
		return false
	}
	select {
	case <-element.Value.(chan struct{}):
		return false
	default:
		q.waiting.Remove(element)
		return true
	}
}

// finish ends one join, so that the next one may begin.
func (q *joinQueue) finish() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.underway--
	q.next()
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
	return q.underway, q.waiting.Len()
}

// setMost replaces the limit, as a reload of the configuration does.
func (q *joinQueue) setMost(most int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.most = most
	q.next()
}

// next lets joins begin while there is room. The caller holds the lock.
func (q *joinQueue) next() {
	for q.underway < q.most && q.waiting.Len() > 0 {
		q.underway++
		close(q.waiting.Remove(q.waiting.Front()).(chan struct{}))
	}
}

func (q *joinQueue) exceeded() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return &exceededError{"joins", q.most, maxJoinWait}
}
