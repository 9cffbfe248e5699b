//go:build unix

package cluster

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
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/pagemcp/pagemcp/server/hosted"
	"github.com/pagemcp/pagemcp/server/hosted/ring/natskv"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/keys"
	"github.com/pagemcp/pagemcp/server/internal/oauth/oauthtest"
)

// roleVariable names what a process of the test binary is: see TestMain. A test starts the
// binary again, so that kill -9 and SIGSTOP are real.
const roleVariable = "PAGEMCP_TEST_ROLE"

func TestMain(m *testing.M) {
	switch role := os.Getenv(roleVariable); role {
	case "":
		os.Exit(m.Run())
	case "node", "nats":
		run := map[string]func(string) error{"node": runNode, "nats": runNATS}[role]
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
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	node, err := hosted.Open(hosted.Options{File: file, Version: "test", Log: os.Stderr, Audit: io.Discard, Store: natskv.Open})
	if err != nil {
		return err
	}
	fmt.Println(node.Addr(), node.AdminAddr())
	return node.Run(ctx)
}

// runNATS is a NATS server until it is killed. It prints a line when it accepts clients, and its
// JetStream is that of the cluster. The argument is: number, port, port of routes, directory, routes.
func runNATS(argument string) error {
	var number, client, route int
	var dir, routes string
	if _, err := fmt.Sscan(argument, &number, &client, &route, &dir, &routes); err != nil {
		return err
	}
	options := &server.Options{
		ServerName: fmt.Sprint("nats", number), Host: "127.0.0.1", Port: client, JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true,
		PingInterval: 2 * time.Second, MaxPingsOut: 2,
	}
	if routes != alone {
		options.Cluster = server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: route, PingInterval: 2 * time.Second}
		options.Routes = server.RoutesFromStr(routes)
	}
	s, err := server.NewServer(options)
	if err != nil {
		return err
	}
	s.Start()
	if !s.ReadyForConnections(testTime) {
		return fmt.Errorf("the NATS server is not ready within %v", testTime)
	}
	for deadline := time.Now().Add(testTime); routes != alone && !s.JetStreamIsCurrent(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			return fmt.Errorf("the JetStream of the cluster has no leader within %v", testTime)
		}
	}
	fmt.Println("ready")
	s.WaitForShutdown()
	return nil
}

const (
	alone    = "alone"          // a NATS server without others
	testTime = 30 * time.Second // for anything that a test waits for
	mcpHost  = "mcp.app.example"
	pageURL  = "wss://" + mcpHost + "/page"
	mcpURL   = "https://" + mcpHost + "/mcp"
	origin   = "https://app.example"
)

// A child is a process of the test binary in a role.
type child struct {
	t       testing.TB
	command *exec.Cmd
	ended   chan struct{}
	kill    func() // as kill -9 does
}

// begin starts a process, which gets one argument, and returns the first line that it prints.
func begin(t testing.TB, role, argument string) (c *child, line string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c = &child{t: t, command: exec.Command(program, argument), ended: make(chan struct{})}
	c.command.Env = append(os.Environ(), roleVariable+"="+role, "GOCOVERDIR=")
	c.command.Stderr = os.Stderr
	out, err := c.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.command.Start(); err != nil {
		t.Fatal(err)
	}
	c.kill = sync.OnceFunc(func() {
		c.command.Process.Kill() // also if it is stopped
		<-c.ended
	})
	t.Cleanup(c.kill)
	line, err = bufio.NewReader(out).ReadString('\n')
	go func() { c.command.Wait(); close(c.ended) }() // after the line was read: Wait closes the pipe
	if err != nil {
		t.Fatalf("a process does not start: %v", err)
	}
	return c, strings.TrimSpace(line)
}

func (c *child) signal(s os.Signal) {
	c.t.Helper()
	if err := c.command.Process.Signal(s); err != nil {
		c.t.Fatal(err)
	}
}

// A deployment is what all nodes have in common.
type deployment struct {
	t         testing.TB
	auth, app *oauthtest.Issuer // of assistants, of pages
	dir       string
	nats      []*child
	arguments []string // of nats
	urls      []string
	nodes     int // that were started
}

// deploy starts NATS servers.
func deploy(t testing.TB, servers int) *deployment {
	t.Helper()
	d := &deployment{t: t, auth: oauthtest.Start(), app: oauthtest.Start(), dir: t.TempDir()}
	t.Cleanup(d.auth.Close)
	t.Cleanup(d.app.Close)
	if err := os.WriteFile(filepath.Join(d.dir, "keys"), []byte(keys.New()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ports := gatewaytest.FreePorts(t, 2*servers)
	for i := range servers {
		routes := []string{}
		for j := range servers {
			if j != i {
				routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", ports[servers+j]))
			}
		}
		if servers == 1 {
			routes = []string{alone}
		}
		d.urls = append(d.urls, fmt.Sprintf("nats://127.0.0.1:%d", ports[i]))
		d.arguments = append(d.arguments, fmt.Sprint(i, ports[i], " ", ports[servers+i], " ", filepath.Join(d.dir, fmt.Sprint("nats", i)), " ", strings.Join(routes, ",")))
	}
	d.startNATS()
	return d
}

// startNATS starts all servers, which have a leader only together.
func (d *deployment) startNATS() {
	d.t.Helper()
	d.nats = make([]*child, len(d.arguments))
	var started sync.WaitGroup
	for i, argument := range d.arguments {
		started.Go(func() { d.nats[i], _ = begin(d.t, "nats", argument) })
	}
	started.Wait()
}

func (d *deployment) killNATS() {
	for _, one := range d.nats {
		one.kill()
	}
}

// A node is one that runs.
type node struct {
	*child
	addr, admin string
}

// start starts a node, and returns when it is ready.
func (d *deployment) start() *node {
	d.t.Helper()
	d.nodes++
	file := filepath.Join(d.dir, fmt.Sprintf("node%d.yaml", d.nodes))
	text := "publicURL: https://" + mcpHost + "\nlisten: 127.0.0.1:0\ntrustedProxies: [127.0.0.1]\nadmin: { listen: 127.0.0.1:0 }\n" +
		"assistants: { issuer: " + d.auth.URL() + " }\npages: { origins: [" + origin + "], tokens: { issuer: " + d.app.URL() + " } }\n" +
		"keys: keys\nlog: { level: error }\nlimits: { pages: 4000, streams: 1000, joinsPerTenantPerSecond: 100000, readsPerSecond: 100000 }\n" +
		"cluster: { name: test, internal: { listen: 127.0.0.1:0 }, nats: { urls: [" + strings.Join(d.urls, ", ") + "] } }\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
	n := &node{}
	var line string
	n.child, line = begin(d.t, "node", file)
	n.addr, n.admin, _ = strings.Cut(line, " ")
	eventually(d.t, "a node is ready", func() bool { status, _ := n.probe("/readyz"); return status == http.StatusOK })
	return n
}

// probe requests a path of the admin listener; status is 0 if it does not answer.
func (n *node) probe(path string) (status int, body string) {
	client := &http.Client{Timeout: time.Second}
	answer, err := client.Get("http://" + n.admin + path)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	data, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(data)
}

// eventually waits until a condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(testTime); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("timeout: %s", what)
		}
	}
}
