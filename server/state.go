package server

import (
	cryptorand "crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A state is the directory in which the gateway remembers what has to survive
// it: its id, the token, keys of pages, names, sessions, and the audit log. It
// belongs to one user, directories are 0700 and files 0600, and to one process at
// a time. Each file is replaced as a whole: after a crash or a loss of power there
// is the old one or the new one.
type state struct {
	dir    string
	disk   disk
	log    *slog.Logger
	unlock func() // nil: not ours
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

// Names of files that are about the directory itself.
const (
	lockFileName = "lock" // held by the process that owns the directory
	newSuffix    = ".new" // of a file that is being written
	brokenSuffix = ".broken"
)

// An OwnedError says that another process owns the state directory.
type OwnedError struct {
	Dir    string
	Holder string // "process 123", if it is known
}

func (e *OwnedError) Error() string {
	who := e.Holder
	if who == "" {
		who = "another process"
	}
	return fmt.Sprintf("%s uses the state directory %s: stop it, or choose another directory with --state", who, e.Dir)
}

// openState makes the directory if need be, takes its lock, and closes it to other
// users. While another process has the lock it waits, but no longer than wait: that
// process may be shutting down. Nothing is read before.
func openState(dir string, d disk, wait time.Duration, log *slog.Logger) (*state, error) {
	s := &state{dir: dir, disk: d, log: log}
	if err := d.MkdirAll("."); err != nil {
		return nil, fmt.Errorf("make the state directory: %w; name another with --state", err)
	}
	if local, ok := d.(osDisk); ok {
		if err := local.restrictToOwner(); err != nil {
			return nil, fmt.Errorf("state directory %s is open to other users: %w", dir, err)
		}
	}
	if err := s.lock(wait); err != nil {
		return nil, err
	}
	if err := s.recover("."); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// own takes the lock.
func (s *state) lock(wait time.Duration) error {
	deadline := time.Now().Add(wait)
	for {
		unlock, err := s.disk.Lock(lockFileName, "process "+strconv.Itoa(os.Getpid()))
		switch {
		case err == nil:
			s.unlock = unlock
			return nil
		case !errors.Is(err, errLocked):
			return fmt.Errorf("lock the state directory %s: %w; name another with --state", s.dir, err)
		case !time.Now().Before(deadline):
			owner, _ := s.disk.ReadFile(lockFileName)                                   // a hint
			return &OwnedError{Dir: s.dir, Holder: engine.PlainText(string(owner), 40)} // characters
		}
		time.Sleep(lockPoll/2 + rand.N(lockPoll))
	}
}

const lockPoll = 20 * time.Millisecond

// close gives the directory to the next process.
func (s *state) close() {
	if s.unlock != nil {
		s.unlock()
	}
}

// recover tidies up after a process that died: it removes what that was about to
// write, and makes durable what it had renamed, before any of it is read and relied
// on.
func (s *state) recover(dir string) error {
	names, err := s.disk.List(dir)
	if err != nil {
		return fmt.Errorf("open the state directory: %w", err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, newSuffix) {
			s.disk.Remove(path.Join(dir, name)) // else the next write replaces it
		}
	}
	if err := s.disk.SyncDir(dir); err != nil {
		return fmt.Errorf("open the state directory: %w", err)
	}
	return nil
}

// path returns where the file name is, for people and for other processes.
func (s *state) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

// load reads the JSON file name. found is false if there is none. One that cannot be
// read or understood, or that check refuses, is the same, but kept aside and
// reported, with what its loss means: a gateway that does not start helps no user.
func load[T any](s *state, name, loss string, check func(*T) error) (value T, found bool, err error) {
	data, err := s.disk.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return value, false, nil
	case err != nil && !isPermanent(err):
		return value, false, fmt.Errorf("read %s: %w", s.path(name), err)
	case err == nil:
		if err = json.Unmarshal(data, &value); err == nil && check != nil {
			err = check(&value)
		}
	}
	if err == nil {
		return value, true, nil
	}
	var none T
	return none, false, s.setAside(name, loss, err)
}

// keepAside renames a broken file to the first of .broken, .broken-2, … that is free.
func (s *state) setAside(name, loss string, cause error) error {
	others, err := s.disk.List(path.Dir(name))
	if err != nil {
		return fmt.Errorf("keep %s aside: %w", s.path(name), err)
	}
	aside := name + brokenSuffix
	for i := 2; slices.Contains(others, path.Base(aside)); i++ {
		aside = name + brokenSuffix + "-" + strconv.Itoa(i)
	}
	if err := s.disk.Rename(name, aside); err != nil {
		return fmt.Errorf("%s is broken (%v): keep it aside: %w", s.path(name), cause, err)
	}
	s.log.Warn("a file is broken: "+loss, "file", s.path(name), "error", engine.PlainText(cause.Error(), 200), "kept", path.Base(aside))
	return s.disk.SyncDir(path.Dir(name))
}

// complain logs what went wrong and is tried again later.
func (s *state) logError(err error) { s.log.Error(err.Error()) }

// save replaces the JSON file name.
func (s *state) save(name string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("write %s: %w", s.path(name), err)
	}
	return s.write(name, append(data, '\n'))
}

// write replaces a file: the new contents are durable before they get its name, and
// the name before write returns. There is one writer of a file at a time.
//
// github.com/google/renameio does the same on a real file system only (and not on
// Windows); this runs on any disk, so that tests can lose power in between.
func (s *state) write(name string, data []byte) error {
	if err := s.replace(name, data); err != nil {
		return fmt.Errorf("write %s: %w", s.path(name), err)
	}
	return nil
}

func (s *state) replace(name string, data []byte) error {
	file, err := s.disk.Create(name + newSuffix)
	if err != nil {
		return err
	}
	if _, err = file.Write(data); err == nil {
		err = file.Sync()
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = s.disk.Rename(name+newSuffix, name)
	}
	if err != nil {
		s.disk.Remove(name + newSuffix)
		return err
	}
	return s.disk.SyncDir(path.Dir(name))
}

// An identity is what makes a gateway the same one after a restart.
type identity struct {
	Gateway   string `json:"gateway"`   // its id, which pages keep with their keys; 16 random bytes
	CursorKey []byte `json:"cursorKey"` // signs cursors, so that they outlive us; 16 random bytes
}

func (id *identity) check() error {
	if id.Gateway == "" || len(id.CursorKey) != 16 {
		return errors.New("it holds no identity")
	}
	return nil
}

// The identity is stored twice: without it the keys of all pages are void.
const (
	identityFile = "gateway.json"
	identityCopy = "gateway.backup.json"
)

// identity returns that of the directory. Only if both files are missing or broken
// there is a new one.
func (s *state) identity() (identity, error) {
	loss := "the identity is taken from its copy, " + identityCopy
	id, found, err := load(s, identityFile, loss, (*identity).check)
	if err != nil {
		return id, err
	}
	loss = "it is written again"
	if !found {
		loss = "without it pages must be paired again"
	}
	second, copied, err := load(s, identityCopy, loss, (*identity).check)
	switch {
	case err != nil:
		return id, err
	case !found && copied:
		return second, s.save(identityFile, second)
	case !found:
		id = identity{Gateway: randomText(16), CursorKey: randomBytes(16)}
		if err := s.save(identityFile, id); err != nil {
			return id, err
		}
	}
	if !copied || id.Gateway != second.Gateway || string(id.CursorKey) != string(second.CursorKey) {
		return id, s.save(identityCopy, id)
	}
	return id, nil
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	cryptorand.Read(b) // never fails: crypto/rand
	return b
}

// randomText returns n random bytes as base64url without padding.
func randomText(n int) string {
	return base64.RawURLEncoding.EncodeToString(randomBytes(n))
}
