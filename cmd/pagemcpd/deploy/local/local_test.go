package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/hosted"
	"github.com/pagemcp/pagemcp/server/hosted/config"
)

const testTime = 30 * time.Second

// An echo is a backend that answers lines with its name.
type echo struct {
	*backend
	listener net.Listener
	status   atomic.Int32
}

func startEcho(t *testing.T, name string) *echo {
	t.Helper()
	e := &echo{}
	e.status.Store(http.StatusOK)
	probes := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(int(e.status.Load())) }))
	t.Cleanup(probes.Close)
	var err error
	if e.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.listener.Close() })
	e.backend = &backend{address: e.listener.Addr().String(), probe: probes.URL}
	go func() { // ends with the listener
		for {
			conn, err := e.listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				for lines := bufio.NewScanner(conn); lines.Scan(); {
					fmt.Fprintf(conn, "%s %s\n", name, lines.Text())
				}
			}()
		}
	}()
	return e
}

// startBalancer runs a balancer; the test notes the probes itself.
func startBalancer(t *testing.T, backends ...*backend) *balancer {
	t.Helper()
	b, err := listenBalancer("127.0.0.1:0", backends)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.close)
	var ended sync.WaitGroup
	ended.Go(b.accept)
	t.Cleanup(func() { b.close(); ended.Wait() })
	return b
}

// A caller is one connection.
type caller struct {
	t    *testing.T
	conn net.Conn
	text *bufio.Reader
}

func dial(t *testing.T, b *balancer) *caller {
	t.Helper()
	conn, err := net.Dial("tcp", b.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(testTime))
	return &caller{t, conn, bufio.NewReader(conn)}
}

// say returns the answer to a line, or "" if the connection is closed.
func (c *caller) say(line string) string {
	fmt.Fprintln(c.conn, line)
	answer, err := c.text.ReadString('\n')
	if err != nil && err != io.EOF && !strings.Contains(err.Error(), "reset") {
		c.t.Error(err)
	}
	return strings.TrimSpace(answer)
}

func TestBalancerSpreadsConnectionsOverReadyNodes(t *testing.T) {
	a, b := startEcho(t, "a"), startEcho(t, "b")
	balancer := startBalancer(t, a.backend, b.backend)
	for _, one := range []*backend{a.backend, b.backend} {
		one.note(true, true)
	}
	count := map[string]int{}
	var all []*caller
	for range 10 {
		c := dial(t, balancer)
		name, _, _ := strings.Cut(c.say("hello"), " ")
		count[name]++
		all = append(all, c)
	}
	if count["a"] != 5 || count["b"] != 5 {
		t.Errorf("%v", count)
	}
	a.note(true, false) // drains
	for range 3 {
		if got := dial(t, balancer).say("x"); got != "b x" {
			t.Errorf("a new connection while a drains: %q", got)
		}
	}
	for _, c := range all {
		if got := c.say("still"); !strings.HasSuffix(got, "still") {
			t.Errorf("an open connection while a drains: %q", got)
		}
	}
	b.listener.Close() // new connections are refused
	a.note(true, true)
	if got := dial(t, balancer).say("x"); got != "a x" {
		t.Errorf("b is gone: %q", got)
	}
}

func TestBalancerCutsASilentNode(t *testing.T) {
	a := startEcho(t, "a")
	balancer := startBalancer(t, a.backend)
	a.note(true, true)
	c := dial(t, balancer)
	if got := c.say("x"); got != "a x" {
		t.Fatalf("%q", got)
	}
	for range maxFailures - 1 {
		a.note(false, false)
	}
	if got := c.say("x"); got != "a x" {
		t.Errorf("after %d probes without an answer: %q", maxFailures-1, got)
	}
	a.note(false, false)
	if got := c.say("x"); got != "" {
		t.Errorf("after %d probes without an answer: %q", maxFailures, got)
	}
	if got := dial(t, balancer).say("x"); got != "" {
		t.Errorf("a new connection: %q", got)
	}
}

func TestProbesTellReadyFromAlive(t *testing.T) {
	a := startEcho(t, "a")
	for status, ready := range map[int32]bool{200: true, 503: false} {
		a.status.Store(status)
		if answered, got := probe(t.Context(), a.probe); !answered || got != ready {
			t.Errorf("%d: %v, %v", status, answered, got)
		}
	}
	if answered, ready := probe(t.Context(), "http://127.0.0.1:1/"); answered || ready {
		t.Error("nobody listens, and the node is alive")
	}
}

// The configurations are accepted by the programs that read them.
func TestConfigurationsAreAccepted(t *testing.T) {
	for _, nodes := range []int{1, 3} {
		d := &deployment{settings{nodes: nodes, dir: t.TempDir(), port: 8443}}
		if err := d.writeFiles(hosted.NewKey()); err != nil {
			t.Fatal(err)
		}
		for i := range nodes {
			_, err := config.Read(d.file(fmt.Sprintf("node%d.yaml", i+1)))
			if err == nil || strings.Count(err.Error(), "\n") != 0 || !strings.Contains(err.Error(), "tls.crt") { // which the demo makes
				t.Errorf("%d nodes: %v", nodes, err)
			}
		}
	}
}
