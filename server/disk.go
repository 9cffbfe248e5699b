package server

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// A disk holds the files of a state directory; names are relative to it. Its operations
// are those of a file system, so that tests can simulate a loss of power between any two
// of them.
type disk interface {
	ReadFile(name string) ([]byte, error) // the error wraps fs.ErrNotExist if there is none
	Create(name string) (diskFile, error) // 0600; truncates an existing file
	Append(name string) (f diskFile, size int64, err error)
	Rename(from, to string) error // replaces to
	Remove(name string) error
	List(dir string) ([]string, error) // base names
	MkdirAll(dir string) error         // 0700
	SyncDir(dir string) error          // makes renames, removals and new files in dir durable

	// Lock takes the lock file name. The kernel releases it when the process ends in any
	// way. The error is errLocked while another process holds it. owner is written to
	// the file, as information only.
	Lock(name, owner string) (unlock func(), err error)
}

// A diskFile is open for writing.
type diskFile interface {
	Write(data []byte) (int, error)
	Sync() error // makes what was written durable
	Close() error
}

var errLocked = errors.New("locked by another process")

// osDisk is a directory of the file system.
type osDisk struct{ dir string }

func (d osDisk) path(name string) string { return filepath.Join(d.dir, name) }

func (d osDisk) ReadFile(name string) ([]byte, error) { return os.ReadFile(d.path(name)) }

func (d osDisk) Create(name string) (diskFile, error) {
	return os.OpenFile(d.path(name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
}

func (d osDisk) Append(name string) (diskFile, int64, error) {
	file, err := os.OpenFile(d.path(name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, info.Size(), nil
}

func (d osDisk) Rename(from, to string) error { return os.Rename(d.path(from), d.path(to)) }
func (d osDisk) Remove(name string) error     { return os.Remove(d.path(name)) }
func (d osDisk) MkdirAll(dir string) error    { return makeDirectory(filepath.Clean(d.path(dir))) }

func (d osDisk) List(dir string) ([]string, error) {
	entries, err := os.ReadDir(d.path(dir))
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(entries))
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names, nil
}

func (d osDisk) SyncDir(dir string) error { return syncDirectory(d.path(dir)) }

// makeDirectory is os.MkdirAll with the new directories made durable.
func makeDirectory(path string) error {
	if isDirectory(path) {
		return nil
	}
	parent := filepath.Dir(path)
	if parent != path {
		if err := makeDirectory(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(path, 0o700); err != nil && !isDirectory(path) { // another process may have made it
		return err
	}
	return syncDirectory(parent)
}

// syncDirectory makes changes of a directory durable. It does nothing where directories
// cannot be synced: on Windows, where NTFS journals renames, on some network file
// systems, and for unreadable parents.
func syncDirectory(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	file, err := os.Open(path)
	if err == nil {
		defer file.Close()
		err = file.Sync()
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		return nil
	}
	return err
}

func (d osDisk) Lock(name, owner string) (unlock func(), err error) {
	file, err := os.OpenFile(d.path(name), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lockFile(file); err != nil {
		file.Close()
		return nil, err
	}
	if err := file.Truncate(0); err == nil { // information only: the lock is held even if writing fails
		file.WriteAt([]byte(owner), 0)
	}
	return func() { file.Close() }, nil // keep the file: if it were removed, two processes could lock different files of the same name
}

// restrictToOwner removes the permissions of other users from the directory.
func (d osDisk) restrictToOwner() error {
	info, err := os.Stat(d.dir)
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return os.Chmod(d.dir, 0o700)
}

// isPrivate reports whether other users cannot read the file. On Windows the permissions
// of the directory decide that.
func (d osDisk) isPrivate(name string) bool {
	info, err := os.Stat(d.path(name))
	return err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0
}

// isPermanent reports whether reading fails again on a retry, because the file is not
// readable. Other errors, like too many open files, are temporary.
func isPermanent(err error) bool {
	var path *fs.PathError
	return errors.Is(err, fs.ErrPermission) || errors.As(err, &path) && isDirectory(path.Path)
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
