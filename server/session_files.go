package server

import (
	"context"
	"errors"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
)

// sessionFiles implements mcphttp.SessionStore in the state directory: one file for each session,
// which is read when its client comes back.
type sessionFiles struct {
	state *state

	mu      sync.Mutex
	saves   int       // since files were last removed
	cleaned time.Time // when that was; zero while it runs
}

const (
	sessionDir = "sessions"

	sessionLifetime = 90 * 24 * time.Hour // without use; then its file is removed

	maxSessionFiles = 64 << 20 // bytes; more of them are removed, those first that were unused for longest

	// Files are removed at the start, and after so many saves or so long.
	cleanSaves = 1_000
	cleanEvery = 24 * time.Hour
)

func sessionFile(id string) string { return path.Join(sessionDir, id+".json") }

func openSessionFiles(s *state) (*sessionFiles, error) {
	f := &sessionFiles{state: s}
	if err := s.disk.MkdirAll(sessionDir); err != nil {
		return nil, err
	}
	if err := s.recover(sessionDir); err != nil {
		return nil, err
	}
	go f.clean() // ends with the last file, or when the state is closed
	return f, nil
}

// Load implements [mcphttp.SessionStore].
func (f *sessionFiles) Load(_ context.Context, _, id string) (*mcphttp.Stored, error) {
	doc, found, err := load(f.state, sessionFile(id), "its client has lost its session", checkSession)
	if !found || err != nil {
		return nil, err
	}
	return &doc, nil
}

func checkSession(s *mcphttp.Stored) error {
	if !s.IsValid() {
		return errors.New("the file contains no valid session")
	}
	return nil
}

// Save implements [mcphttp.SessionStore]. It returns when the file is durable.
func (f *sessionFiles) Save(_ context.Context, s *mcphttp.Stored) error {
	if err := f.state.save(sessionFile(s.ID), s); err != nil {
		return err
	}
	s.Version = 1 // this process alone writes it
	if f.mayClean() {
		go f.clean()
	}
	return nil
}

// Delete implements [mcphttp.SessionStore].
func (f *sessionFiles) Delete(_ context.Context, _, id string) error {
	return f.state.remove(sessionFile(id))
}

// mayClean counts a save, and reports whether clean is to be called.
func (f *sessionFiles) mayClean() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.saves++
	if f.cleaned.IsZero() || f.saves < cleanSaves && time.Since(f.cleaned) < cleanEvery {
		return false
	}
	f.saves, f.cleaned = 0, time.Time{}
	return true
}

// clean removes the files of sessions that were idle for their lifetime, and those that are too
// many. What cannot be removed now is removed the next time.
func (f *sessionFiles) clean() {
	type file struct {
		name    string
		size    int
		expires time.Time
	}
	var files []file
	all := 0 // bytes
	names, err := f.state.disk.List(sessionDir)
	if err != nil {
		f.state.logError(err)
	}
	for _, name := range names {
		if f.state.isClosed() {
			return
		}
		doc, found, _, err := parse(f.state, path.Join(sessionDir, name), checkSession)
		if err != nil {
			f.state.logError(err)
		}
		if !found { // Load keeps it aside, if its client comes
			continue
		}
		size := 512 // bytes, besides the subscriptions
		for _, uri := range doc.Subscriptions {
			size += len(uri)
		}
		files = append(files, file{name, size, doc.Expires})
		all += size
	}
	slices.SortFunc(files, func(a, b file) int { return a.expires.Compare(b.expires) })
	for _, one := range files {
		if all <= maxSessionFiles && time.Now().Before(one.expires) {
			break
		}
		if err := f.state.remove(path.Join(sessionDir, one.name)); err != nil {
			f.state.logError(err)
		}
		all -= one.size
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cleaned = time.Now()
}
