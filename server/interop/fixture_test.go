package interop

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest/recorded"
	"github.com/pagemcp/pagemcp/server/interop/internal/mcpschema"
)

const (
	root     = "../.."
	testTime = 15 * time.Second // for anything that a test waits for
)

// TestMain compares what the tests receive by http.DefaultTransport with the schemas of
// its revision.
func TestMain(m *testing.M) {
	schemas, err := mcpschema.Open()
	if err != nil {
		fmt.Println("messages cannot be compared with schemas:", err)
		os.Exit(1)
	}
	checker := schemas.Checker()
	http.DefaultTransport = recorded.Transport(http.DefaultTransport, "interop", checker.Record)
	code := m.Run()
	if err := checker.Err(); code == 0 && err != nil {
		fmt.Println(err)
		code = 1
	}
	if server.dir != "" {
		os.RemoveAll(server.dir)
	}
	os.Exit(code)
}

// server is the test binary of package server, which is built once.
var server struct {
	once sync.Once
	dir  string
	err  error
}

// A fixture is a gateway with two pages in a process of its own: see
// TestFixtureForOtherClients of package server.
type fixture struct {
	t       *testing.T
	MCP     string `json:"mcp"`
	Token   string `json:"token"`
	Control string `json:"control"`
}

func startFixture(t *testing.T) *fixture {
	t.Helper()
	server.once.Do(func() {
		if server.dir, server.err = os.MkdirTemp("", "pagemcp-interop"); server.err == nil {
			build := exec.Command("go", "test", "-c", "-o", filepath.Join(server.dir, "server.test"), "./server")
			build.Dir = root
			if text, err := build.CombinedOutput(); err != nil {
				server.err = errors.New(string(text))
			}
		}
	})
	if server.err != nil {
		t.Fatalf("build the tests of server: %v", server.err)
	}
	f := &fixture{t: t}
	startProcess(t, exec.Command(filepath.Join(server.dir, "server.test")), "server", f)
	return f
}

// startProcess starts the test binary of a package as a fixture, until the test ends, and reads into the line that it
// prints.
func startProcess(t *testing.T, program *exec.Cmd, dir string, into any) {
	t.Helper()
	program.Env = append(os.Environ(), "PAGEMCP_TEST_FIXTURE=1", "PAGEMCP_MESSAGES=")
	program.Dir = filepath.Join(root, dir)
	program.Stderr = os.Stderr
	ends, err := program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(testTime, func() { program.Process.Kill() }) // until it has printed its line, and at the end
	lines := bufio.NewReader(out)
	t.Cleanup(func() {
		kill.Reset(testTime)
		ends.Close()
		rest, _ := lines.WriteTo(os.Stdout)
		if err := program.Wait(); err != nil {
			t.Errorf("the fixture ended with %v; %d bytes of output", err, rest)
		}
		kill.Stop()
	})
	line, err := lines.ReadBytes('\n')
	if err != nil {
		t.Fatalf("the fixture printed nothing in %v: %v", testTime, err)
	}
	kill.Stop()
	if err := json.Unmarshal(line, into); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
}

// write changes a resource of a page.
func (f *fixture) write(uri, text string) {
	f.t.Helper()
	f.control(http.MethodPost, "write", uri, text)
}

// awaitRunning waits until so many calls of test_slow run.
func (f *fixture) awaitRunning(what string, calls int) {
	f.t.Helper()
	f.t.Log("wait:", what)
	f.control(http.MethodGet, "running", strconv.Itoa(calls), "")
}

func (f *fixture) control(method, name, value, body string) {
	f.t.Helper()
	r, err := http.NewRequestWithContext(f.t.Context(), method, f.Control+"?"+url.Values{name: {value}}.Encode(), strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		f.t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		f.t.Fatalf("%s %s: %s", name, value, answer.Status)
	}
}

// bearer adds the token to every request.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}
