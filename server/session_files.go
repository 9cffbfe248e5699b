package server

import (
	"context"
	"crypto/sha256"
	"errors"
	"path"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
)

// sessionFiles implements mcphttp.SessionChanges in the state directory: one file for each
// session that has subscriptions or a log level, or has ended. The other facts are in the
// session's id.
type sessionFiles struct {
	state  *state
	memory mcphttp.MemoryChanges
}

const (
	sessionDir = "sessions"

	// sessionLifetime is from the beginning of a session: a client that runs for longer
	// begins a new one. Files of clients that have gone are removed then.
	sessionLifetime = 90 * 24 * time.Hour

	maxSessionFiles = 64 << 20 // bytes in memory: those that were saved first are removed
)

func sessionFile(hash string) string { return path.Join(sessionDir, hash+".json") }

// openSessionFiles reads the files. Those that cannot be read are renamed, and those of
// sessions that have expired are removed.
func openSessionFiles(s *state) (*sessionFiles, error) {
	f := &sessionFiles{state: s}
	f.memory = mcphttp.MemoryChanges{MaxPerOwner: maxSessionFiles, OnDropped: func(hash string, _ mcphttp.Changes) { f.remove(hash) }}
	if err := s.disk.MkdirAll(sessionDir); err != nil {
		return nil, err
	}
	if err := s.recover(sessionDir); err != nil {
		return nil, err
	}
	files, err := s.disk.List(sessionDir)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	for _, file := range files {
		hash, isRecord := strings.CutSuffix(file, ".json")
		if !isRecord || len(hash) != 2*sha256.Size {
			continue
		}
		changes, found, err := load[mcphttp.Changes](s, sessionFile(hash), "its client has lost its subscriptions", checkChanges)
		switch {
		case err != nil:
			return nil, err
		case found && now.Before(changes.Expires):
			f.memory.Save(hash, changes)
		case found:
			s.disk.Remove(sessionFile(hash)) // if that is not durable, the next process removes it
		}
	}
	return f, nil
}

func checkChanges(c *mcphttp.Changes) error {
	if c.IsZero() || c.Expires.IsZero() {
		return errors.New("the file contains no valid changes of a session")
	}
	return nil
}

// Load implements [mcphttp.SessionChanges].
func (f *sessionFiles) Load(ctx context.Context, hash string) (mcphttp.Changes, error) {
	return f.memory.Load(ctx, hash)
}

// IsDurable implements [mcphttp.SessionChanges].
func (f *sessionFiles) IsDurable() bool { return true }

// Save implements [mcphttp.SessionChanges]. It returns when the file is durable. If it cannot
// be written, the changes last until the gateway ends.
func (f *sessionFiles) Save(hash string, c mcphttp.Changes) {
	before, _ := f.memory.Load(context.Background(), hash) // without error
	f.memory.Save(hash, c)
	switch {
	case !c.IsZero():
		if err := f.state.save(sessionFile(hash), c.Shortened()); err != nil {
			f.state.logError(err)
		}
	case !before.IsZero():
		f.remove(hash)
	}
}

func (f *sessionFiles) remove(hash string) {
	if err := f.state.remove(sessionFile(hash)); err != nil {
		f.state.logError(err)
	}
}
