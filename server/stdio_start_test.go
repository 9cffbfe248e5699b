package server

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// stdioVariable makes this test binary a process that serves stdio with the state
// directory that it names; stdioPort is the port for the gateway that it starts.
const (
	stdioVariable = "PAGEMCP_TEST_STDIO"
	stdioPort     = "PAGEMCP_TEST_STDIO_PORT"
	gatewayMode   = "gateway-of-a-test" // argument of such a gateway, before directory and port
)

func serveStdioIn(dir string) error {
	return ServeStdio(context.Background(), StdioOptions{
		State: dir, Port: jsonrpc.Lines(os.Stdin, os.Stdout),
		Command: []string{os.Args[0], gatewayMode, dir, os.Getenv(stdioPort)},
	})
}

func serveGatewayIn(dir, port string) error {
	g, err := New(Options{State: dir, Origins: []string{testOrigin}, Version: "0.0.0-test", EndWhenIdle: time.Second})
	if err != nil {
		return err
	}
	defer g.Close(context.Background())
	if err := g.Listen("127.0.0.1:" + port); err != nil {
		return err
	}
	return g.Serve(context.Background())
}

// awaitRunning waits for a gateway on the state directory, in another process than not.
func awaitRunning(t *testing.T, what, state string, not int) (running Running) {
	t.Helper()
	gatewaytest.Eventually(t, what, func() bool {
		control, err := Connect(t.Context(), state)
		if err != nil {
			return false
		}
		running = control.Running
		return running.PID != not
	})
	return running
}

// Many assistants that start at once on an empty state directory are all served by one
// gateway with one identity, also when its process is killed.
func TestManyStdioProcessesStartAtOnce(t *testing.T) {
	t.Parallel()
	const many = 12
	dir, port := t.TempDir()+"/state", gatewaytest.FreePorts(t, 1)[0]
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
	gateway, err := os.FindProcess(running.PID)
	if err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	if err := gateway.Kill(); err != nil {
		t.Fatal(err)
	}
	awaitRunning(t, "another process is the gateway", dir, running.PID)
	t.Logf("the next gateway serves after %v", time.Since(killed))
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
	gatewaytest.Eventually(t, "the gateway ends when nothing uses it", func() bool { return !isRunning(t.Context(), dir) })
}

func readIdentity(t *testing.T, dir string) string {
	t.Helper()
	data, err := os.ReadFile(dir + "/" + keysFile)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
