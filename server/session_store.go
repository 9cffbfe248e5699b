package server

import (
	"errors"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A sessionStore keeps the records of classic sessions beyond the process. Sessions go
// by the hash of their id; the id itself is stored nowhere.
type sessionStore interface {
	load() (map[string]storedSession, error) // at the start, all that can be read
	save(hash string, r *record) error
	remove(hash string)
	saveUses(used map[string]time.Time) error // of sessions used later than their records say
}

// A storedSession is a record, and when the session was used last if that is later.
type storedSession struct {
	record record
	used   time.Time
}

// check returns an error if r was damaged.
func (r *record) check() error {
	if _, isEndpoint := pageOf(r.Path); !isEndpoint || engine.ClassicVersion(r.Version) != r.Version {
		return errors.New("it holds no session")
	}
	return nil
}
