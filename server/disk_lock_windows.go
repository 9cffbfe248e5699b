package server

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile locks one byte far behind the text of the file, so that other processes can
// read the text: locks on Windows are mandatory. Closing file releases it.
func lockFile(file *os.File) error {
	const exclusive = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(file.Fd()), exclusive, 0, 1, 0, &windows.Overlapped{Offset: 1 << 30})
	switch {
	case err == nil:
		return nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION):
		return errLocked
	}
	return &os.PathError{Op: "lock", Path: file.Name(), Err: err}
}
