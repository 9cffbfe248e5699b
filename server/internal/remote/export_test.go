package remote

import (
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine/task"
)

// ListBytes returns how many bytes of lists a Remote keeps or is reading.
func ListBytes(r *Remote) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lists.bytes
}

// ReadTask is readTask without a policy.
func ReadTask(object []byte) (task.State, error) { return readTask(object, nil) }

// Mirrored returns how many bytes of published values a Remote, its owner and the process keep.
func Mirrored(r *Remote) (page, owner, all int) {
	m := r.mirror
	m.share.mirror.mu.Lock()
	defer m.share.mirror.mu.Unlock()
	return m.room.bytes, m.share.room.bytes, m.share.mirror.room.bytes
}

// KeepValue keeps a value as if a page had answered a read with it.
func KeepValue(r *Remote, uri, result string) { KeepValueAfter(r, uri, result, "") }

// KeepValueAfter is KeepValue for a reader that comes late: the page has sent a change after the response.
func KeepValueAfter(r *Remote, uri, result, change string) {
	if r.mirror.link == nil {
		r.mirror.link = &link{}
	}
	at := r.mirror.mark(r.mirror.link)
	if change != "" {
		r.mirror.changed(r.mirror.link, []byte(change))
	}
	r.mirror.store(at, uri, []byte(result))
}

// HasValue reports whether a value is kept.
func HasValue(r *Remote, uri string) bool {
	contents, _ := r.mirror.get(r.mirror.link, time.Time{}, uri)
	return contents != nil
}
