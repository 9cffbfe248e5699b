//go:build unix

package hosted

import "syscall"

// fileLimit returns the number of files that this process may open: RLIMIT_NOFILE, whose
// soft limit the Go runtime has raised to the hard one.
func fileLimit() (files uint64, ok bool) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, false
	}
	return uint64(limit.Cur), true
}
