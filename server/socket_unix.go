//go:build !windows

package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
)

// maxSocketPath is the length of an address that every system allows: unix(4), unix(7).
const maxSocketPath = 100 // bytes; Linux: 107, macOS: 103

// withSocketPath calls do with an address of the socket that is short enough. On Linux a
// directory with a long path is named by a descriptor.
func withSocketPath[T any](dir string, do func(path string) (T, error)) (result T, err error) {
	path := filepath.Join(dir, socketName)
	switch {
	case len(path) <= maxSocketPath:
		return do(path)
	case runtime.GOOS != "linux":
		return result, fmt.Errorf("the path %s is longer than %d bytes: name another state directory with --state", path, maxSocketPath)
	}
	opened, err := os.Open(dir)
	if err != nil {
		return result, err
	}
	defer opened.Close()
	return do(fmt.Sprintf("/proc/self/fd/%d/%s", opened.Fd(), socketName))
}

// listenSocket binds the socket of a state directory, whose lock the caller holds. It
// replaces that of a process that was killed.
func listenSocket(dir string) (net.Listener, error) {
	file := filepath.Join(dir, socketName)
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	listener, err := withSocketPath(dir, func(path string) (*net.UnixListener, error) {
		return net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	})
	if err != nil {
		return nil, err
	}
	listener.SetUnlinkOnClose(false)
	if err := os.Chmod(file, 0o600); err != nil {
		listener.Close()
		return nil, err
	}
	return &socketListener{listener, file}, nil
}

// A socketListener removes its file when it is closed, which may have another address.
type socketListener struct {
	net.Listener
	file string
}

// Close implements net.Listener.
func (l *socketListener) Close() error {
	os.Remove(l.file) // the next gateway replaces it, if that fails
	return l.Listener.Close()
}

// dialSocket connects to the gateway of a state directory. The error is ErrNotRunning if
// there is none.
func dialSocket(ctx context.Context, dir string) (net.Conn, error) {
	conn, err := withSocketPath(dir, func(path string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	})
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil, ErrNotRunning
	}
	return conn, err
}

// detach makes a process outlive this one, and signals of its terminal.
func detach(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
