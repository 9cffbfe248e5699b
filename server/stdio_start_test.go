package server

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/testports"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// stdioVariable makes this test binary a process that serves stdio with the state
// directory that it names; stdioPort is the port for the gateway.
const (
	stdioVariable = "PAGEMCP_TEST_STDIO"
	stdioPort     = "PAGEMCP_TEST_STDIO_PORT"
)

func serveStdioIn(dir string) {
	err := ServeStdio(context.Background(), StdioOptions{
		Gateway: Options{State: dir, Origins: []string{testOrigin}, Version: "0.0.0-test"},
		Listen:  "127.0.0.1:" + os.Getenv(stdioPort),
		Port:    jsonrpc.Lines(os.Stdin, os.Stdout),
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// awaitRunning waits for a gateway on the state directory, in another process than not.
func awaitRunning(t *testing.T, what, state string, not int) (running Running) {
	t.Helper()
	for began := time.Now(); ; {
		var ok bool
		if running, ok = FindRunning(t.Context(), state); ok && running.PID != not {
			return running
		}
		if time.Since(began) > 4*testTime {
			t.Fatalf("waited %v and still not: %s", 4*testTime, what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// Many assistants that start at once on an empty state directory are all served by one
// gateway with one identity, also when its process is killed.
func TestManyStdioProcessesStartAtOnce(t *testing.T) {
	t.Parallel()
	const many = 12
	dir, port := t.TempDir()+"/state", testports.Free(t, 1)[0]
	type child struct {
		command *exec.Cmd
		in      io.WriteCloser
		lines   chan string
		errors  bytes.Buffer
	}
	children := make([]*child, many)
	ask := func(c *child, line, want string) {
		t.Helper()
		io.WriteString(c.in, line+"\n")
		timeout := time.NewTimer(4 * testTime) // 12 processes under the race detector
		defer timeout.Stop()
		for {
			select {
			case got, ok := <-c.lines:
				if !ok {
					t.Fatalf("the process has ended before it answered %s: %s", line, c.errors.String())
				}
				if strings.Contains(got, want) {
					return
				}
			case <-timeout.C:
				t.Fatalf("no answer %s to %s; stderr: %s", want, line, c.errors.String())
			}
		}
	}
	for i := range children {
		c := &child{command: exec.Command(os.Args[0]), lines: make(chan string, 16)}
		c.command.Env = append(os.Environ(), stdioVariable+"="+dir, stdioPort+"="+strconv.Itoa(port))
		c.command.Stderr = &c.errors
		in, err := c.command.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.command.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.command.Start(); err != nil {
			t.Fatal(err)
		}
		c.in = in
		go func() { // ends with the process
			defer close(c.lines)
			for lines := bufio.NewScanner(out); lines.Scan(); {
				c.lines <- lines.Text()
			}
		}()
		t.Cleanup(func() { c.command.Process.Kill() })
		children[i] = c
	}
	var all sync.WaitGroup
	for _, c := range children {
		ask(c, gatewaytest.Modern("1", "resources/list", ""), `"id":1`)
	}
	identity := readIdentity(t, dir)
	running := awaitRunning(t, "a gateway runs", dir, 0)
	for i, c := range children {
		if c.command.Process.Pid == running.PID {
			c.command.Process.Kill()
			c.command.Wait()
			children = append(children[:i:i], children[i+1:]...)
			break
		}
	}
	if len(children) != many-1 {
		t.Fatalf("the gateway is process %d, which is none of ours", running.PID)
	}
	awaitRunning(t, "another process is the gateway", dir, running.PID)
	for _, c := range children {
		ask(c, gatewaytest.Modern("2", "resources/list", ""), `"id":2`)
	}
	if again := readIdentity(t, dir); again != identity {
		t.Errorf("identity %s, then %s", identity, again)
	}
	for _, c := range children {
		c.in.Close()
		all.Go(func() {
			for range c.lines {
			}
			if err := c.command.Wait(); err != nil {
				t.Errorf("%v: %s", err, c.errors.String())
			}
		})
	}
	all.Wait()
}

func readIdentity(t *testing.T, dir string) string {
	t.Helper()
	data, err := os.ReadFile(dir + "/" + identityFile)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A process that starts while the process of the gateway ends starts a gateway itself.
func TestStdioStartsWhileTheGatewayEnds(t *testing.T) {
	t.Parallel()
	opts := StdioOptions{Gateway: Options{State: t.TempDir(), Origins: []string{testOrigin}}}
	for range 10 {
		first := startStdio(t, opts)
		first.ask(gatewaytest.Initialize)
		first.in.Close()
		second := startStdio(t, opts)
		if _, err := io.WriteString(second.in, gatewaytest.Initialize+"\n"); err != nil {
			t.Fatalf("%v; it ended with: %v", err, <-second.ended)
		}
		select {
		case got, ok := <-second.lines:
			if !ok {
				t.Fatalf("it ended with: %v", <-second.ended)
			}
			if !strings.Contains(got, "2025-11-25") {
				t.Errorf("initialize: %s", got)
			}
		case <-time.After(testTime):
			t.Fatal("initialize has no answer")
		}
		first.end()
		second.end()
	}
}
