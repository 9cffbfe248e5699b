package server

import (
	"context"
	"crypto/sha256"
	"path"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
)

// sessionFiles implements mcphttp.StoredSessions in the state directory: one file per
// session.
type sessionFiles struct{ state *state }

const sessionDir = "sessions"

// usedFile contains the last uses of sessions that are later than in their records: an
// open stream may last for days without any change of the record.
const usedFile = "used.json"

func sessionFile(hash string) string { return path.Join(sessionDir, hash+".json") }

// Begin returns a random id: the facts are in the file.
func (f sessionFiles) Begin(*mcphttp.Record) (id string) { return mcphttp.NewSessionID() }

// Open finds none: all sessions are in memory.
func (f sessionFiles) Open(context.Context, string, mcphttp.Holder) (r mcphttp.Record, found bool) {
	return r, false
}

func (f sessionFiles) Load() (map[string]mcphttp.StoredSession, error) {
	disk := f.state.disk
	if err := disk.MkdirAll(sessionDir); err != nil {
		return nil, err
	}
	if err := f.state.recover(sessionDir); err != nil {
		return nil, err
	}
	files, err := disk.List(sessionDir)
	if err != nil {
		return nil, err
	}
	used, _, err := load[map[string]time.Time](f.state, usedFile, "sessions may expire earlier", nil)
	if err != nil {
		return nil, err
	}
	stored := make(map[string]mcphttp.StoredSession, len(files))
	for _, file := range files {
		hash, isRecord := strings.CutSuffix(file, ".json")
		if !isRecord || len(hash) != 2*sha256.Size {
			continue
		}
		record, found, err := load(f.state, sessionFile(hash), "its client has to begin a new session", (*mcphttp.Record).Check)
		if err != nil {
			return nil, err
		}
		if found {
			stored[hash] = mcphttp.StoredSession{Record: record, Used: used[hash]}
		}
	}
	return stored, nil
}

func (f sessionFiles) Save(hash string, r *mcphttp.Record) error {
	return f.state.save(sessionFile(hash), r)
}

func (f sessionFiles) Remove(hash string, _ *mcphttp.Record) { f.state.remove(sessionFile(hash)) }

func (f sessionFiles) SaveUses(used map[string]time.Time) error { return f.state.save(usedFile, used) }
