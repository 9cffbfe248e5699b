package mcphttp

import "time"

// endedIDs are hashes of the ids of sessions that have ended before they expire, at most
// maxEnded: the one that ended first is dropped for another. Its id may then be used again
// on this node, by its own holder, unless the store knows that it has ended. The zero value
// is empty.
type endedIDs struct {
	expires map[string]time.Time // by hash
	order   []string             // as they ended
}

// maxEnded is a number of hashes, which use about 12 MB.
const maxEnded = 65_536

func (e *endedIDs) has(hash string) bool {
	_, found := e.expires[hash]
	return found
}

func (e *endedIDs) add(hash string, now, expires time.Time) {
	for len(e.order) > 0 && (len(e.order) >= maxEnded || !now.Before(e.expires[e.order[0]])) {
		delete(e.expires, e.order[0])
		e.order = e.order[1:]
	}
	if e.has(hash) || !now.Before(expires) {
		return
	}
	if e.expires == nil {
		e.expires = map[string]time.Time{}
	}
	e.expires[hash] = expires
	e.order = append(e.order, hash)
}
