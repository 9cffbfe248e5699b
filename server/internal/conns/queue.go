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

// first returns the connection to close first: the one that is idle for longest, else the
// one that is active for longest; nil if there is none.
func (q *queue) first() *connection {
	for _, one := range [...]*list.List{&q.idle, &q.active} {
		if oldest := one.Front(); oldest != nil {
			return oldest.Value.(*connection)
		}
	}
	return nil
}
