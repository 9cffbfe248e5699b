package ring

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
)

const (
	// SessionExpiry is how long the document of a session is kept after it was last saved.
	SessionExpiry = 7 * 24 * time.Hour

	saveTime = 2 * time.Second // for one load, save or deletion
)

// Sessions implements [mcphttp.SessionStore] for all nodes: whichever is the home of an owner
// goes on with its sessions. Of two nodes that take themselves for the home, the one that saves
// first has the session.
type Sessions struct{ Bucket Bucket }

// keyOf returns the key of a session; false if there can be none. Ids are what a client sends.
func keyOf(owner, id string) (key string, ok bool) {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"
	if owner == "" || id == "" || len(id) > 64 || strings.Trim(owner, letters) != "" || strings.Trim(id, letters) != "" {
		return "", false
	}
	return owner + "." + id, true
}

// Load implements [mcphttp.SessionStore].
func (s *Sessions) Load(ctx context.Context, owner, id string) (*mcphttp.Stored, error) {
	key, ok := keyOf(owner, id)
	if !ok {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, saveTime)
	defer cancel()
	value, revision, err := s.Bucket.Get(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("load session: %w", err)
	}
	if revision == 0 {
		return nil, nil
	}
	stored := &mcphttp.Stored{}
	if err := json.Unmarshal(value, stored); err != nil {
		return nil, fmt.Errorf("load session: %w", err)
	}
	if stored.Owner != owner || stored.ID != id {
		return nil, errors.New("load session: the document is that of another one")
	}
	stored.Version = revision
	return stored, nil
}

// Save implements [mcphttp.SessionStore].
func (s *Sessions) Save(ctx context.Context, stored *mcphttp.Stored) error {
	key, ok := keyOf(stored.Owner, stored.ID)
	if !ok {
		return errors.New("save session: owner or id cannot be a part of a key")
	}
	value, err := json.Marshal(stored)
	if err != nil {
		return fmt.Errorf("save session: %w", err)
	}
	if len(value) > mcphttp.MaxStored {
		return fmt.Errorf("save session: %d bytes are more than %d", len(value), mcphttp.MaxStored)
	}
	ctx, cancel := context.WithTimeout(ctx, saveTime)
	defer cancel()
	revision, err := s.Bucket.Put(ctx, key, value, stored.Version)
	if errors.Is(err, ErrRevision) {
		revision, err = s.putAgain(ctx, key, value, stored.Writer)
	}
	if errors.Is(err, ErrRevision) {
		return fmt.Errorf("save session: %w", mcphttp.ErrStale)
	}
	if err != nil {
		return fmt.Errorf("save session: %w", err)
	}
	stored.Version = revision
	return nil
}

// putAgain replaces what this process has written itself, by a Put whose answer was lost.
func (s *Sessions) putAgain(ctx context.Context, key string, value []byte, writer string) (revision uint64, err error) {
	present, revision, err := s.Bucket.Get(ctx, key)
	if err != nil {
		return 0, err
	}
	var other mcphttp.Stored
	if revision == 0 || writer == "" || json.Unmarshal(present, &other) != nil || other.Writer != writer {
		return 0, ErrRevision
	}
	return s.Bucket.Put(ctx, key, value, revision)
}

// Delete implements [mcphttp.SessionStore].
func (s *Sessions) Delete(ctx context.Context, owner, id string) error {
	key, ok := keyOf(owner, id)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, saveTime)
	defer cancel()
	if err := s.Bucket.Delete(ctx, key); err != nil {
		return fmt.Errorf("delete session: %w", err)
	}
	return nil
}
