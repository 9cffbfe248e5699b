package mcphttp

import (
	"errors"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A SessionStore keeps the records of classic sessions beyond the process. Sessions go
// by the hash of their id; the id itself is stored nowhere.
type SessionStore interface {
	Load() (map[string]StoredSession, error) // at the start, all that can be read
	Save(hash string, r *Record) error
	Remove(hash string)
	SaveUses(used map[string]time.Time) error // of sessions used later than their records say
}

// A StoredSession is a record, and when the session was used last if that is later.
type StoredSession struct {
	Record Record
	Used   time.Time
}

// Check returns an error if r was damaged.
func (r *Record) Check() error {
	if _, isEndpoint := access.PageOf(r.Path); !isEndpoint || engine.ClassicVersion(r.Version) != r.Version {
		return errors.New("it holds no session")
	}
	return nil
}
