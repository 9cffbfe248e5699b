package server

import (
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
)

var reliability = flag.Bool("reliability", false, "measure what the gateway keeps under load, and print a table")

// A figure is one row of the table.
type figure struct {
	what           string
	goal, measured float64
	unit           string
}

// TestReliability measures memory and file descriptors of the gateway under loads that
// last. Its clients are plain sockets in this process, so their part is in the figures.
// Run by `go test ./server -run TestReliability -reliability`; it takes a minute.
func TestReliability(t *testing.T) {
	if !*reliability {
		t.Log("measured with -reliability")
		return
	}
	var table []figure
	for _, measure := range []func(*testing.T) []figure{
		measureSessions, measureStreams, measureFloods,
	} {
		table = append(table, measure(t)...)
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "figure\tgoal\tmeasured\t")
	for _, f := range table {
		verdict := ""
		if f.measured > f.goal {
			verdict = "over"
			t.Errorf("%s: %.1f %s, goal %.1f", f.what, f.measured, f.unit, f.goal)
		}
		fmt.Fprintf(out, "%s\t%.4g %s\t%.4g %s\t%s\n", f.what, f.goal, f.unit, f.measured, f.unit, verdict)
	}
	out.Flush()
}

// memory is what this process has in use: heap and stacks, after a collection.
func memory() float64 {
	runtime.GC()
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc + m.StackInuse)
}

func descriptors() int {
	entries, _ := os.ReadDir("/proc/self/fd")
	return len(entries)
}

func plainClient() (client *http.Client, done func()) {
	transport := &http.Transport{}
	return &http.Client{Transport: transport}, transport.CloseIdleConnections
}

// Classic sessions that their clients forgot.
func measureSessions(t *testing.T) []figure {
	const many = 1_000
	g := startGateway(t, Options{})
	client, done := plainClient()
	abandon := func() {
		for range many {
			inSession(t, g, client, "").Begin("/mcp", gatewaytest.Initialize)
		}
		done()
		gatewaytest.Eventually(t, "the conversations end", func() bool {
			g.core.Sessions.Sweep(time.Now().Add(2 * limits.SessionIdle))
			return runtime.NumGoroutine() < many/2
		})
	}
	abandon() // the runtime keeps what so many goroutines need, for the next ones
	before := memory()
	abandon()
	return []figure{{"an abandoned classic session", 1, (memory() - before) / many / 1_000, "kB"}}
}

// get opens the stream of a session on a socket of its own.
func get(t *testing.T, g *Gateway, session string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(g.Port())))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\nAccept: text/event-stream\r\n%s: %s\r\n\r\n",
		g.Port(), g.testToken(), mcphttp.SessionHeader, session)
	status := make([]byte, len("HTTP/1.1 200"))
	if _, err := io.ReadFull(conn, status); err != nil || string(status) != "HTTP/1.1 200" {
		t.Fatalf("GET: %s, %v", status, err)
	}
	return conn
}

// GET streams, and the memory that remains after they are closed.
func measureStreams(t *testing.T) []figure {
	const many = 1_000
	g := startGateway(t, Options{})
	client, done := plainClient()
	conns := make([]net.Conn, 0, many)
	sessions := make([]string, 0, many)
	for range many {
		sessions = append(sessions, inSession(t, g, client, "").Begin("/mcp", gatewaytest.Initialize).ID)
	}
	done()
	g.core.Sessions.Sweep(time.Now().Add(2 * limits.SessionIdle))
	gatewaytest.Eventually(t, "the conversations end", func() bool { return runtime.NumGoroutine() < many/2 })
	files := descriptors()
	open := func() {
		for _, session := range sessions {
			conns = append(conns, get(t, g, session))
		}
	}
	shut := func() {
		for _, conn := range conns {
			conn.Close()
		}
		conns = conns[:0]
		gatewaytest.Eventually(t, "the streams end", func() bool { return descriptors() <= files })
		gatewaytest.Eventually(t, "the sessions are left", func() bool {
			g.core.Sessions.Sweep(time.Now().Add(2 * limits.SessionIdle))
			return runtime.NumGoroutine() < many/2
		})
	}
	open() // the runtime keeps what so many goroutines need, for the next ones
	shut()
	before := memory()
	open()
	with := memory()
	shut()
	return []figure{
		{"an open GET stream, with its client's socket", 60, (with - before) / many / 1_000, "kB"},
		{"memory kept for each when they have closed", 0.5, (memory() - before) / many / 1_000, "kB"},
		{"file descriptors left then", 0, float64(descriptors() - files), ""},
	}
}
