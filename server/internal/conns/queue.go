package conns

import "container/list"

// A queue has connections in the order in which they became idle or active. The zero value
// is empty.
type queue struct {
	idle, active list.List // of *connection
}

// places are where a connection is in its two queues.
type places struct {
	all, own *list.Element
}

func (q *queue) len() int { return q.idle.Len() + q.active.Len() }

func (q *queue) of(c *connection) *list.List {
	if c.active {
		return &q.active
	}
	return &q.idle
}

// push adds c as the newest one.
func (q *queue) push(c *connection) *list.Element { return q.of(c).PushBack(c) }

// remove removes c, whose place is at.
func (q *queue) remove(c *connection, at *list.Element) { q.of(c).Remove(at) }

// first returns the connection to close first; nil if there is none: of those that are idle,
// the one that is idle for longest, unless more are active. A client that reads no response
// stays active without a limit: if it were kept, a new connection would be closed before its
// handshake.
func (q *queue) first() *connection {
	oldest := q.idle.Front()
	if q.active.Len() > q.idle.Len() {
		oldest = q.active.Front()
	}
	if oldest == nil {
		return nil
	}
	return oldest.Value.(*connection)
}
