//go:build unix

package clustertest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/hosted"
	"github.com/pagemcp/pagemcp/server/internal/clock"
	"github.com/pagemcp/pagemcp/server/internal/keys"
	"github.com/pagemcp/pagemcp/server/internal/oauth/oauthtest"
)

// roleVariable names what a process of the test binary is: see TestMain. A test starts the
// binary again, so that kill -9 and SIGSTOP are real, and nothing has to be built.
const roleVariable = "PAGEMCP_TEST_ROLE"

// Variables of a node that is not like others: link versions, like "1,2"; and how wrong its
// clock is, like "-25s". pagemcpd has neither.
const (
	versionsVariable = "PAGEMCP_TEST_LINK_VERSIONS"
	clockVariable    = "PAGEMCP_TEST_CLOCK"
)

func TestMain(m *testing.M) {
	switch role := os.Getenv(roleVariable); role {
	case "":
		os.Exit(m.Run())
	case "node", "nats", "echo":
		run := map[string]func(string) error{"node": runNode, "nats": runNATS, "echo": runEcho}[role]
		if err := run(os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		panic("unknown role " + role)
	}
}

// runNode serves like pagemcpd, and prints both addresses.
func runNode(file string) error {
	if text := os.Getenv(clockVariable); text != "" {
		wrong, err := time.ParseDuration(text)
		if err != nil {
			return err
		}
		clock.Shift(wrong)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	node, err := hosted.Open(hosted.Options{Hangup: hangup, File: file, Version: "test", Log: os.Stderr, Audit: io.Discard, Connect: connect})
	if err != nil {
		return err
	}
	fmt.Println(node.Addr(), node.AdminAddr())
	return node.Run(ctx)
}

const (
	testTime = 30 * time.Second // for anything that a test waits for
	mcpHost  = "mcp.app.example"
	pageURL  = "wss://" + mcpHost + "/page"
	mcpURL   = "https://" + mcpHost + "/mcp"
	origin   = "https://app.example"
)

// A deployment is what all nodes have in common.
type deployment struct {
	t      testing.TB
	auth   *oauthtest.Issuer // of assistants
	app    *oauthtest.Issuer // of pages
	dir    string
	limits string // of the configuration, in YAML
	nats   []*natsServer
	routes []route  // between them
	urls   []string // of NATS, for the nodes that are started next; default: those of nats
	nodes  int      // that were started
	env    []string // of nodes that are started next

	assistants string // further members of assistants, in YAML, each after a comma
}

func newDeployment(t testing.TB) *deployment {
	t.Helper()
	d := &deployment{t: t, auth: oauthtest.Start(), app: oauthtest.Start(), dir: t.TempDir()}
	t.Cleanup(d.auth.Close)
	t.Cleanup(d.app.Close)
	if err := os.WriteFile(filepath.Join(d.dir, "keys"), []byte(keys.New()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return d
}

// A child is a process of the test binary in a role.
type child struct {
	t       testing.TB
	command *exec.Cmd
	out     *bufio.Reader
	log     logText
	ended   chan struct{}
	kill    func() // as kill -9 does
}

// A logText keeps the log of a process, and copies it to that of the test.
type logText struct {
	mu   sync.Mutex
	text []byte
}

func (l *logText) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, text...)
	return os.Stderr.Write(text)
}

func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}

// begin starts a process, which gets one argument.
func begin(t testing.TB, role, argument string, env ...string) *child {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{t: t, command: exec.Command(program, argument), ended: make(chan struct{})}
	c.command.Env = append(os.Environ(), roleVariable+"="+role, "GOCOVERDIR=")
	c.command.Env = append(c.command.Env, env...)
	c.command.Stderr = &c.log
	out, err := c.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.command.Start(); err != nil {
		t.Fatal(err)
	}
	c.out = bufio.NewReader(out)
	c.kill = sync.OnceFunc(func() {
		c.command.Process.Kill() // also if it is stopped
		<-c.ended
	})
	t.Cleanup(c.kill)
	return c
}

// line returns the first line that the process prints.
func (c *child) line() string {
	c.t.Helper()
	line, err := c.out.ReadString('\n')
	go func() { c.command.Wait(); close(c.ended) }() // after the line was read: Wait closes the pipe
	if err != nil {
		c.t.Fatalf("a process does not start: %v", err)
	}
	return strings.TrimSpace(line)
}

func (c *child) signal(s os.Signal) {
	c.t.Helper()
	if err := c.command.Process.Signal(s); err != nil {
		c.t.Fatal(err)
	}
}

// A process is a node that runs.
type process struct {
	*child
	d           *deployment
	addr, admin string
	draining    atomic.Bool // SIGTERM was sent: a balancer lets its connections end
}

// drain sends SIGTERM.
func (p *process) drain() {
	p.draining.Store(true)
	p.signal(syscall.SIGTERM)
}

func (p *process) isDraining() bool { return p.draining.Load() }

// start starts a node, and returns when it is ready.
func (d *deployment) start() *process {
	d.t.Helper()
	p := d.launch()
	eventually(d.t, "a node is ready", p.isReady)
	return p
}

// launch starts a node.
func (d *deployment) launch() *process {
	d.t.Helper()
	d.nodes++
	file := d.configure(d.nodes)
	p := &process{child: begin(d.t, "node", file, d.env...), d: d}
	p.addr, p.admin, _ = strings.Cut(p.line(), " ")
	return p
}

// configure writes the configuration of a node by its number, from 1.
func (d *deployment) configure(number int) (file string) {
	d.t.Helper()
	file = filepath.Join(d.dir, fmt.Sprintf("node%d.yaml", number))
	text := "publicURL: https://" + mcpHost + "\nlisten: 127.0.0.1:0\ntrustedProxies: [127.0.0.1]\nadmin: { listen: 127.0.0.1:0 }\n" +
		"assistants: { issuer: " + d.auth.URL() + d.assistants + " }\npages: { origins: [" + origin + "], tokens: { issuer: " + d.app.URL() + " } }\n" +
		"keys: keys\nlog: { level: warn }\nlimits: { " + d.limits + " }\n"
	if len(d.nats) > 0 {
		text += "cluster: { name: test, kv: true, nats: { urls: [" + strings.Join(d.natsURLs(), ", ") + "] } }\n"
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
	return file
}

// probe requests a path of the admin listener; status is 0 if it does not answer.
func (p *process) probe(path string) (status int, body string) {
	client := &http.Client{Timeout: time.Second}
	answer, err := client.Get("http://" + p.admin + path)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	data, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(data)
}

// isReady reports whether the process runs and says that it is ready.
func (p *process) isReady() bool {
	select {
	case <-p.ended:
		return false
	default:
	}
	status, _ := p.probe("/readyz")
	return status == http.StatusOK
}

// metric returns the value of a series.
func (p *process) metric(name string) float64 {
	p.d.t.Helper()
	var body string
	eventually(p.d.t, "the metrics of a node", func() bool { // one that is busy may take longer than a probe waits
		status, text := p.probe("/metrics")
		body = text
		return status == http.StatusOK
	})
	m := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\S+)$`).FindStringSubmatch(body)
	if m == nil {
		p.d.t.Fatalf("there is no metric %s", name)
	}
	value, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		p.d.t.Fatal(err)
	}
	return value
}

// eventually waits until a condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	within(t, testTime, what, holds)
}

// within waits until a condition holds, for at most limit.
func within(t testing.TB, limit time.Duration, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(limit); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("timeout: %s", what)
		}
	}
}
