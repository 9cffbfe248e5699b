package server

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

const otherUser = 65534 // uid and gid of "nobody"

// startStranger runs this test binary as another user. ask sends one request and
// returns the status.
func startStranger(t *testing.T) (ask func(local string, localPort, port int, how string) string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "pagemcp-stranger") // t.TempDir is closed to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "stranger")
	if err := copyProgram(program); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program)
	command.Dir, command.Env = dir, []string{strangerVariable + "=1"}
	command.Stderr = os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: otherUser, Gid: otherUser}}
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		command.Wait()
	})
	answers := bufio.NewScanner(out)
	return func(local string, localPort, port int, how string) string {
		t.Helper()
		fmt.Fprintln(in, local, localPort, port, how)
		if !answers.Scan() {
			t.Fatal("the other user's process has ended")
		}
		return answers.Text()
	}
}

func copyProgram(to string) error {
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		return err
	}
	defer from.Close()
	file, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(file, from); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// ownerConnection opens a connection of this user to port, from a port that the
// stranger can bind on 127.0.0.2. It returns that port.
func ownerConnection(t *testing.T, port int) int {
	t.Helper()
	conn, err := net.Dial("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn.LocalAddr().(*net.TCPAddr).Port
}

// Also with --no-token, a process of another user is rejected, even if it closes the
// sending side of its socket, or connects from another loopback address with a port that
// the owner uses.
func TestOtherUsersAreRejected(t *testing.T) {
	t.Parallel()
	const tries = 32
	if os.Getuid() != 0 {
		t.Log("NOT CHECKED: a process of another user can only be started by root")
		return
	}
	ask := startStranger(t)
	g := startGateway(t, Options{NoToken: true})
	unguarded := startGateway(t, Options{NoToken: true}) // a gateway of its own: entries follow answers, and would be counted as g's
	twinPort := serveTwin(t, http.HandlerFunc(unguarded.core.Route))

	ways := []struct {
		name string
		ask  func(port int) string
	}{
		{"plainly", func(port int) string { return ask("127.0.0.1", 0, port, "whole") }},
		{"half-closed", func(port int) string { return ask("127.0.0.1", 0, port, "half") }},
		{"from another address with the owner's port", func(port int) string {
			return ask("127.0.0.2", ownerConnection(t, port), port, "whole")
		}},
		{"so, and half-closed", func(port int) string { return ask("127.0.0.2", ownerConnection(t, port), port, "half") }},
	}
	for _, way := range ways {
		if status := way.ask(twinPort); status != "200" {
			t.Fatalf("%s: the unguarded twin answers %s", way.name, status)
		}
	}
	for _, way := range ways {
		through := 0
		for range tries {
			switch status := way.ask(g.Port()); status {
			case "403", "none":
			case "200":
				through++
			default:
				t.Fatalf("%s: %s", way.name, status)
			}
		}
		if through > 0 {
			t.Errorf("%s: %d of %d got through", way.name, through, tries)
		}
	}
	if lines := served(t, g); len(lines) > 0 {
		t.Errorf("requests of another user were served: %s", lines)
	}
	if status := strangerRequest(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, g.Port(), true); status != "200" {
		t.Errorf("the owner: %s", status)
	}
	if len(g.listeners) > 1 {
		if status := ask("::1", 0, g.Port(), "half"); status == "200" {
			t.Error("by IPv6 another user gets through")
		}
		if status := strangerRequest(&net.TCPAddr{IP: net.IPv6loopback}, g.Port(), false); status != "200" {
			t.Errorf("the owner by IPv6: %s", status)
		}
	}
}
