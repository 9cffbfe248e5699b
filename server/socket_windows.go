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
	"strings"
	"syscall"

	"github.com/Microsoft/go-winio"
	"golang.org/x/sys/windows"
)

// pipePrefix begins the names of pipes. The rest is random, and in a file of the state
// directory.
const pipePrefix = `\\.\pipe\pagemcp-`

// listenSocket makes a pipe that only this user can open, and writes its name to the file.
func listenSocket(dir string) (net.Listener, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, err
	}
	sid := user.User.Sid.String()
	name := pipePrefix + randomText(16)
	listener, err := winio.ListenPipe(name, &winio.PipeConfig{
		SecurityDescriptor: "O:" + sid + "D:P(A;;GA;;;" + sid + ")", InputBufferSize: 64 << 10, OutputBufferSize: 64 << 10, // bytes
	})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, socketName), []byte(name), 0o600); err != nil {
		listener.Close()
		return nil, err
	}
	return listener, nil
}

// dialSocket connects to the gateway of a state directory. The error is ErrNotRunning if
// there is none. A pipe of another user who has taken the name is rejected.
func dialSocket(ctx context.Context, dir string) (net.Conn, error) {
	name, err := os.ReadFile(filepath.Join(dir, socketName))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !strings.HasPrefix(string(name), pipePrefix) {
		return nil, ErrNotRunning
	}
	if err != nil {
		return nil, err
	}
	conn, err := winio.DialPipeContext(ctx, string(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotRunning
	}
	if err != nil {
		return nil, err
	}
	if err := checkOwner(conn); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

func checkOwner(conn net.Conn) error {
	pipe, ok := conn.(interface{ Fd() uintptr })
	if !ok {
		return errors.New("the owner of the gateway's pipe is not known")
	}
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return err
	}
	descriptor, err := windows.GetSecurityInfo(windows.Handle(pipe.Fd()), windows.SE_KERNEL_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return fmt.Errorf("read the owner of the gateway's pipe: %w", err)
	}
	if owner, _, err := descriptor.Owner(); err != nil || !owner.Equals(user.User.Sid) {
		return errors.New("the gateway's pipe belongs to another user")
	}
	return nil
}

// detach makes a process outlive this one and its console.
func detach(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP}
}
