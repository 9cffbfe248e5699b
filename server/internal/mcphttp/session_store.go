package mcphttp

import (
	"errors"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A SessionStore stores the records of classic sessions. Their keys are hashes of
// session ids; the ids are stored nowhere.
type SessionStore interface {
	Load() (map[string]StoredSession, error) // skips records that cannot be read
	Save(hash string, r *Record) error
	Remove(hash string)

	// SaveUses replaces the stored times of sessions used after their record was saved.
	SaveUses(used map[string]time.Time) error
}

// A StoredSession is a record, and the last time from SaveUses, which may be zero.
type StoredSession struct {
	Record Record    // as saved
	Used   time.Time // from SaveUses
}

// Check returns an error if r is damaged.
func (r *Record) Check() error {
	if _, isEndpoint := access.PageOf(r.Path); !isEndpoint || engine.ClassicVersion(r.Version) != r.Version {
		return errors.New("the file contains no valid session")
	}
	return nil
}
