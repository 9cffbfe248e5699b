package server

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	json "github.com/go-json-experiment/json"
)

// A state is the directory in which the gateway remembers what has to survive
// it: its id, the token, keys of pages, names, sessions, and the audit log. It
// belongs to one user: directories are 0700, files 0600, and each is replaced
// as a whole.
type state struct {
	dir string
}

// DefaultState returns the directory that is used when none is named:
// $XDG_STATE_HOME/pagemcp, or the like of it on other systems.
func DefaultState() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "pagemcp"), nil
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return "", fmt.Errorf("find a state directory: %w; name one with --state", err)
		}
		return filepath.Join(dir, "pagemcp"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find a state directory: %w; name one with --state", err)
	}
	return filepath.Join(home, ".local", "state", "pagemcp"), nil
}

// openState makes dir if need be. One that others can write to or list is closed to
// them.
func openState(dir string) (*state, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the state directory: %w; name another with --state", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("open the state directory: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		if err := os.Chmod(dir, 0o700); err != nil {
			return nil, fmt.Errorf("state directory %s is open to other users: %w", dir, err)
		}
	}
	return &state{dir: dir}, nil
}

func (s *state) path(name string) string { return filepath.Join(s.dir, name) }

// load reads the JSON file name into value. A file that is missing is like an
// empty one; one that cannot be understood is set aside, since a gateway that
// does not start helps nobody.
func (s *state) load(name string, value any) error {
	data, err := os.ReadFile(s.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", s.path(name), err)
	}
	if err := json.Unmarshal(data, value); err != nil {
		return os.Rename(s.path(name), s.path(name+".broken"))
	}
	return nil
}

// save replaces the JSON file name.
func (s *state) save(name string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("write %s: %w", s.path(name), err)
	}
	return s.write(name, append(data, '\n'))
}

// write replaces a file atomically: after a crash there is the old one or the
// new one.
func (s *state) write(name string, data []byte) error {
	temporary, err := os.CreateTemp(filepath.Dir(s.path(name)), ".new-*") // 0600
	if err != nil {
		return fmt.Errorf("write %s: %w", s.path(name), err)
	}
	_, err = temporary.Write(data)
	if closing := temporary.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(temporary.Name(), s.path(name))
	}
	if err != nil {
		os.Remove(temporary.Name())
		return fmt.Errorf("write %s: %w", s.path(name), err)
	}
	return nil
}

// An identity is what makes a gateway the same one after a restart.
type identity struct {
	Gateway   string `json:"gateway"`   // its id, which pages keep with their keys; 16 random bytes
	CursorKey []byte `json:"cursorKey"` // signs cursors, so that they outlive us; 16 random bytes
}

func (s *state) identity() (identity, error) {
	var id identity
	if err := s.load("gateway.json", &id); err != nil {
		return id, err
	}
	if id.Gateway != "" && len(id.CursorKey) == 16 {
		return id, nil
	}
	id = identity{Gateway: randomText(16), CursorKey: randomBytes(16)}
	return id, s.save("gateway.json", id)
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // never fails: crypto/rand
	return b
}

// randomText returns n random bytes as base64url without padding.
func randomText(n int) string {
	return base64.RawURLEncoding.EncodeToString(randomBytes(n))
}
