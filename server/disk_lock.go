//go:build !windows

package server

import (
	"errors"
	"os"
	"syscall"
)

// lockFile takes an advisory lock, or returns errLocked at once. Closing file releases
// it: flock(2).
func lockFile(file *os.File) error {
	for {
		switch err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errLocked
		default:
			return &os.PathError{Op: "lock", Path: file.Name(), Err: err}
		}
	}
}
