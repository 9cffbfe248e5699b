package server

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A memDisk is a disk in memory that can lose power: what was not synced is then
// lost, kept, or half written. Entries of directories and contents of files are
// separate, as POSIX has it: a file's Sync makes its contents durable, SyncDir its
// name.
type memDisk struct {
	*memStore
	own *int // the life of the process that uses it; nil: it cannot die
}

type memStore struct {
	mu      sync.Mutex
	dirs    map[string]bool
	live    map[string]*memFile // what a running process sees
	durable map[string]*memFile // names that survive a loss of power
	pending []nameChange        // names that are not durable yet, in order
	locks   map[string]*int     // by name: the life that has it
	life    *int                // of the process: handles of an earlier one are dead

	operations int // that changed something so far
	dieAt      int // the process is dead from this operation on; 0: never
}

type memFile struct {
	data    []byte
	durable []byte
}

// A nameChange is an entry of a directory that was made, replaced or removed.
type nameChange struct {
	name string
	file *memFile // nil: removed
}

var errDead = errors.New("the process is dead")

func newMemDisk() *memDisk {
	return &memDisk{memStore: &memStore{
		dirs: map[string]bool{".": true}, live: map[string]*memFile{}, durable: map[string]*memFile{},
		locks: map[string]*int{}, life: new(int),
	}}
}

// crash ends the process, and with it its locks. With power lost, keep decides for
// each unsynced operation whether it reached the disk; nil keeps all, as when only
// the process dies.
func (d *memDisk) crash(keep func() bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.life, d.locks, d.dieAt, d.operations = new(int), map[string]*int{}, 0, 0
	if keep == nil {
		return
	}
	for _, change := range d.pending {
		if keep() {
			d.apply(change)
		}
	}
	d.pending = nil
	d.live = map[string]*memFile{}
	for name, file := range d.durable {
		switch {
		case slices.Equal(file.data, file.durable) || keep():
		case keep(): // some of its blocks were written
			file.data = file.data[:len(file.data)/2]
		default:
			file.data = slices.Clone(file.durable)
		}
		file.durable = slices.Clone(file.data)
		d.live[name] = file
	}
}

func (d *memDisk) apply(change nameChange) {
	if change.file == nil {
		delete(d.durable, change.name)
	} else {
		d.durable[change.name] = change.file
	}
}

// alive returns an error after the end of the process; the lock is held.
func (d *memDisk) alive() error {
	if d.own != nil && d.own != d.life {
		return errDead
	}
	return nil
}

// step counts an operation; the lock is held.
func (d *memDisk) step() error {
	if err := d.alive(); err != nil {
		return err
	}
	d.operations++
	if d.dieAt > 0 && d.operations >= d.dieAt {
		return errDead
	}
	return nil
}

func (d *memDisk) change(name string, file *memFile) {
	if file == nil {
		delete(d.live, name)
	} else {
		d.live[name] = file
	}
	d.pending = append(d.pending, nameChange{name, file})
}

func (d *memDisk) ReadFile(name string) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.alive(); err != nil {
		return nil, err
	}
	file := d.live[name]
	if file == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return slices.Clone(file.data), nil
}

func (d *memDisk) Create(name string) (diskFile, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step(); err != nil {
		return nil, err
	}
	if !d.dirs[path.Dir(name)] {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if file := d.live[name]; file != nil {
		file.data = nil
		return &memHandle{&memDisk{d.memStore, d.life}, file}, nil
	}
	file := &memFile{}
	d.change(name, file)
	return &memHandle{&memDisk{d.memStore, d.life}, file}, nil
}

func (d *memDisk) Append(name string) (diskFile, int64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step(); err != nil {
		return nil, 0, err
	}
	file := d.live[name]
	if file == nil {
		file = &memFile{}
		d.change(name, file)
	}
	return &memHandle{&memDisk{d.memStore, d.life}, file}, int64(len(file.data)), nil
}

func (d *memDisk) Rename(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step(); err != nil {
		return err
	}
	file := d.live[from]
	if file == nil {
		return &fs.PathError{Op: "rename", Path: from, Err: fs.ErrNotExist}
	}
	d.change(to, file)
	d.change(from, nil)
	return nil
}

func (d *memDisk) Remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step(); err != nil {
		return err
	}
	if d.live[name] == nil {
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist}
	}
	d.change(name, nil)
	return nil
}

func (d *memDisk) List(dir string) ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.alive(); err != nil {
		return nil, err
	}
	if !d.dirs[dir] {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: fs.ErrNotExist}
	}
	var names []string
	for name := range d.live {
		if path.Dir(name) == dir {
			names = append(names, path.Base(name))
		}
	}
	slices.Sort(names)
	return names, nil
}

// MkdirAll is durable at once, like osDisk's.
func (d *memDisk) MkdirAll(dir string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step(); err != nil {
		return err
	}
	d.dirs[dir] = true
	return nil
}

func (d *memDisk) SyncDir(dir string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step(); err != nil {
		return err
	}
	d.pending = slices.DeleteFunc(d.pending, func(change nameChange) bool {
		if path.Dir(change.name) != dir {
			return false
		}
		d.apply(change)
		return true
	})
	return nil
}

func (d *memDisk) Lock(name, owner string) (func(), error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.alive(); err != nil {
		return nil, err
	}
	if d.locks[name] != nil {
		return nil, errLocked
	}
	life := d.life
	d.locks[name] = life
	d.live[name] = &memFile{data: []byte(owner)}
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.locks[name] == life {
			delete(d.locks, name)
		}
	}, nil
}

// process is the disk as one process sees it: after the crash it can do nothing to
// it any more.
func (d *memDisk) process() disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	return &memDisk{d.memStore, d.life}
}

// names lists all files, for tests.
func (d *memDisk) names() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var names []string
	for name := range d.live {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (d *memDisk) put(name, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	file := &memFile{data: []byte(text), durable: []byte(text)}
	d.live[name], d.durable[name] = file, file
	d.dirs[path.Dir(name)] = true
}

func (d *memDisk) text(name string) string {
	data, err := d.ReadFile(name)
	if err != nil {
		return ""
	}
	return string(data)
}

// broken returns the files that were kept aside.
func (d *memDisk) broken() []string {
	return slices.DeleteFunc(d.names(), func(name string) bool { return !strings.Contains(name, brokenSuffix) })
}

type memHandle struct {
	disk *memDisk
	file *memFile
}

func (h *memHandle) Write(data []byte) (int, error) {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if err := h.disk.step(); err != nil {
		return 0, err
	}
	h.file.data = append(h.file.data, data...)
	return len(data), nil
}

func (h *memHandle) Sync() error {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if err := h.disk.step(); err != nil {
		return err
	}
	h.file.durable = slices.Clone(h.file.data)
	return nil
}

func (h *memHandle) Close() error { return nil }

// newTestState is a state directory in memory.
func newTestState(t *testing.T) *state {
	t.Helper()
	s, err := openState("/state", newMemDisk(), -1, logTo(func(line string) { t.Log(line) }))
	if err != nil {
		t.Fatal(err)
	}
	return s
}
