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
	"sync"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/wasm/plain"
)

// A state is the directory for what survives a restart: token, keys of pages,
// names, sessions and the audit log. Directories have mode 0700, files 0600. One process
// uses it at a time. Files are replaced as a whole, so that after a crash or a loss of
// power each is either the old or the new one.
type state struct {
	dir    string
	disk   disk
	log    *slog.Logger
	unlock func() // nil if the lock is not held

	mu     sync.Mutex
	closed bool
	writes sync.WaitGroup // that run
}

// DefaultState returns the default state directory: $XDG_STATE_HOME/pagemcp, or its
// equivalent on other systems.
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

// Names and suffixes of files that contain no state.
const (
	lockFileName = "lock"    // locked by the process that uses the directory
	newSuffix    = ".new"    // a file that is being written
	brokenSuffix = ".broken" // a file that could not be read
)

// An OwnedError reports that another process uses the state directory.
type OwnedError struct {
	Dir    string
	Holder string // "process 123", or empty if unknown
}

// Error implements error.
func (e *OwnedError) Error() string {
	return fmt.Sprintf("%s uses the state directory %s: stop it, or choose another directory with --state", e.holder(), e.Dir)
}

func (e *OwnedError) holder() string {
	if e.Holder == "" {
		return "another process"
	}
	return e.Holder
}

// openState creates the directory if necessary, locks it and removes the permissions of
// other users. It waits up to wait for another process that holds the lock, which may be
// shutting down. Nothing is read before the lock is held.
func openState(dir string, d disk, wait time.Duration, log *slog.Logger) (*state, error) {
	s := &state{dir: dir, disk: d, log: log}
	if err := d.MkdirAll("."); err != nil {
		return nil, fmt.Errorf("make the state directory: %w; name another with --state", err)
	}
	if local, ok := d.(osDisk); ok {
		if err := local.restrictToOwner(); err != nil {
			return nil, fmt.Errorf("state directory %s is open to other users: %w; run chmod 700 on it, or name another with --state", dir, err)
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

// lock takes the lock of the directory, retrying until wait has passed.
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
			owner, _ := s.disk.ReadFile(lockFileName)                             // information only
			return &OwnedError{Dir: s.dir, Holder: plain.Text(string(owner), 40)} // characters
		}
		time.Sleep(lockPoll/2 + rand.N(lockPoll))
	}
}

const lockPoll = 20 * time.Millisecond

// close releases the lock. Writes that run are finished before; later ones fail, since the
// files may belong to another process by then.
func (s *state) close() {
	s.refuseWrites()
	s.writes.Wait()
	if s.unlock != nil {
		s.unlock()
	}
}

func (s *state) refuseWrites() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

func (s *state) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// beginWrite counts a write; false if the state is closed. Each true needs writes.Done.
func (s *state) beginWrite() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.writes.Add(1)
	return true
}

var errStateClosed = errors.New("the gateway is closed")

// remove removes a file. Like a write it is durable before remove returns: a loss of power does
// not bring back what the client was told is over. There need not be a file.
func (s *state) remove(name string) error {
	err := s.removeSynced(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", s.path(name), err)
	}
	return nil
}

func (s *state) removeSynced(name string) error {
	if !s.beginWrite() {
		return errStateClosed
	}
	defer s.writes.Done()
	if err := s.disk.Remove(name); err != nil {
		return err
	}
	return s.disk.SyncDir(path.Dir(name))
}

// recover cleans up after a process that crashed: it removes partly written files, and
// makes renames durable before the files are used.
func (s *state) recover(dir string) error {
	names, err := s.disk.List(dir)
	if err != nil {
		return fmt.Errorf("open the state directory: %w", err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, newSuffix) {
			s.disk.Remove(path.Join(dir, name)) // if that fails, the next write replaces it
		}
	}
	if err := s.disk.SyncDir(dir); err != nil {
		return fmt.Errorf("open the state directory: %w", err)
	}
	return nil
}

// path returns the absolute path of the file name, for people and other processes.
func (s *state) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

// load reads the JSON file name. found is false if there is none. A file that cannot be
// read or parsed, or that check rejects, is renamed and logged with loss, the
// consequence, and treated as missing: the gateway must start anyway.
func load[T any](s *state, name, loss string, check func(*T) error) (value T, found bool, err error) {
	value, found, broken, err := parse(s, name, check)
	if broken != nil {
		return value, false, s.setAside(name, loss, broken)
	}
	return value, found, err
}

// parse reads the JSON file name; broken says why it cannot be used, and is no error of the disk that may pass. Options
// are those of json.Unmarshal: a file that restricts somebody has json.RejectUnknownMembers, since a member that is
// misspelt would count as absent.
func parse[T any](s *state, name string, check func(*T) error, options ...json.Options) (value T, found bool, broken, err error) {
	var none T
	data, err := s.disk.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return none, false, nil, nil
	case err != nil && !isPermanent(err):
		return none, false, nil, fmt.Errorf("read %s: %w", s.path(name), err)
	case err == nil:
		if err = json.Unmarshal(data, &value, options...); err == nil && check != nil {
			err = check(&value)
		}
	}
	if err != nil {
		return none, false, err, nil
	}
	return value, true, nil, nil
}

// setAside renames a broken file to the first unused of .broken, .broken-2, and so on.
func (s *state) setAside(name, loss string, cause error) error {
	others, err := s.disk.List(path.Dir(name))
	if err != nil {
		return fmt.Errorf("rename the broken file %s: %w", s.path(name), err)
	}
	aside := name + brokenSuffix
	for i := 2; slices.Contains(others, path.Base(aside)); i++ {
		aside = name + brokenSuffix + "-" + strconv.Itoa(i)
	}
	if err := s.disk.Rename(name, aside); err != nil {
		return fmt.Errorf("%s is broken (%v) and cannot be renamed: %w", s.path(name), cause, err)
	}
	s.log.Warn("a file is broken: "+loss, "file", s.path(name), "error", plain.Text(cause.Error(), 200), "kept", path.Base(aside))
	return s.disk.SyncDir(path.Dir(name))
}

// logError logs an error of an operation that is tried again later.
func (s *state) logError(err error) { s.log.Error(err.Error()) }

// save replaces the JSON file name.
func (s *state) save(name string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("write %s: %w", s.path(name), err)
	}
	return s.write(name, append(data, '\n'))
}

// write replaces a file. The contents are durable before the rename, and the rename is
// durable before write returns. Each file has one writer at a time.
//
// github.com/google/renameio does the same, on a real file system only and not on
// Windows; this runs on any disk, so that tests can simulate a loss of power.
func (s *state) write(name string, data []byte) error {
	if err := s.replace(name, data); err != nil {
		return fmt.Errorf("write %s: %w", s.path(name), err)
	}
	return nil
}

func (s *state) replace(name string, data []byte) error {
	if !s.beginWrite() {
		return errStateClosed
	}
	defer s.writes.Done()
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

// A doc is a file of the state directory whose value is in memory. Its owner changes that first, and then
// saves it: what cannot be written lasts until the process ends.
type doc struct {
	state    *state
	name     string
	snapshot func() any // the value now; called without locks

	mu      sync.Mutex
	asked   uint64        // calls of save
	written uint64        // of these, those that the file includes
	writing chan struct{} // closed when the write that runs has ended; nil: none runs
}

// save returns when the file includes what was changed before. Calls that come while one writes share the next write.
func (d *doc) save() error {
	mine := d.ask()
	for {
		others, upTo := d.begin(mine)
		switch {
		case others != nil:
			<-others
		case upTo == 0:
			return nil
		default:
			if err := d.write(upTo); err != nil {
				return err
			}
		}
	}
}

func (d *doc) ask() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked++
	return d.asked
}

// begin returns what is closed when the write that runs has ended, or the calls that a write of the caller
// includes; neither if the file includes the caller's already.
func (d *doc) begin(mine uint64) (others <-chan struct{}, upTo uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.written >= mine:
		return nil, 0
	case d.writing != nil:
		return d.writing, 0
	}
	d.writing = make(chan struct{})
	return nil, d.asked
}

func (d *doc) write(upTo uint64) error {
	written := uint64(0)
	defer func() { d.end(written) }()
	if err := d.state.save(d.name, d.snapshot()); err != nil {
		return err
	}
	written = upTo
	return nil
}

func (d *doc) end(written uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.written = max(d.written, written)
	close(d.writing)
	d.writing = nil
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
