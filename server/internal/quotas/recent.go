package quotas

import (
	"container/list"
	"time"
)

// A recency orders what was used recently by the time of its last use.
type recency struct {
	entries list.List // of *recentEntry, the oldest first
	armed   bool      // a timer will call expire
}

// A recentEntry is removed when it was not used for a while.
type recentEntry struct {
	used    time.Time
	remove  func()
	element *list.Element
}

// use makes entry the most recent one. A timer runs while there are entries, and ends by
// itself when there are none. The caller holds the lock, here and in expire.
func (q *Quotas) use(entry *recentEntry) {
	entry.used = time.Now()
	if entry.element == nil {
		entry.element = q.recent.entries.PushBack(entry)
	} else {
		q.recent.entries.MoveToBack(entry.element)
	}
	q.arm()
}

func (q *Quotas) arm() {
	oldest := q.recent.entries.Front()
	if q.recent.armed || oldest == nil {
		return
	}
	q.recent.armed = true
	time.AfterFunc(q.idle-time.Since(oldest.Value.(*recentEntry).used), q.expire)
}

// expire removes the entries that were not used for the idle time: their buckets are as
// full as new ones.
func (q *Quotas) expire() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.recent.armed = false
	for {
		oldest := q.recent.entries.Front()
		if oldest == nil || time.Since(oldest.Value.(*recentEntry).used) < q.idle {
			break
		}
		entry := q.recent.entries.Remove(oldest).(*recentEntry)
		entry.remove()
	}
	q.arm()
}
