package server

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
	"github.com/pagemcp/pagemcp/wasm/engine"
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
		measureSessions, measureStreams, measureUpdates, measureStalled, measureReloads, measureNames,
		measureFloods,
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

// resident is the RSS of this process in bytes; 0 where /proc is missing.
func resident() float64 {
	debug.FreeOSMemory()
	data, _ := os.ReadFile("/proc/self/statm")
	fields := strings.Fields(string(data))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.Atoi(fields[1])
	return float64(pages * os.Getpagesize())
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

// updatedPage is a page with many URIs.
func updatedPage(t *testing.T, g *Gateway, many int) *testPage {
	t.Helper()
	page := newPage(t, testOrigin, "tab")
	for i := range many {
		page.write("notes://"+strconv.Itoa(i), "0")
	}
	page.join(g)
	return page
}

func subscribeAll(t *testing.T, g *Gateway, client *http.Client, session string, many int) {
	t.Helper()
	for i := range many {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/subscribe","params":{"uri":"notes+notes://%d"}}`, i, i)
		answer, err := client.Do(caller(t, g).Request(t.Context(), "POST", "/mcp", body, mcphttp.SessionHeader+": "+session))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if !strings.Contains(string(text), `"result":{}`) {
			t.Fatalf("subscribe: %s %s", answer.Status, text)
		}
	}
}

// countUpdates counts notifications until nothing has come for a while.
func countUpdates(conn net.Conn) (n int) {
	lines := bufio.NewScanner(conn)
	for {
		conn.SetReadDeadline(time.Now().Add(2 * time.Second))
		if !lines.Scan() {
			return n
		}
		if strings.Contains(lines.Text(), engine.MethodUpdated) {
			n++
		}
	}
}

// Many updates for readers that keep up.
func measureUpdates(t *testing.T) []figure {
	const readers, uris, updates = 20, 200, 100_000
	g := startGateway(t, Options{Limits: Limits{ReadsPerSecond: 100_000}})
	page := updatedPage(t, g, uris)
	client, done := plainClient()
	defer done()
	ended := make(chan int, readers)
	conns := make([]net.Conn, readers)
	for i := range readers {
		session := inSession(t, g, client, "").Begin("/mcp", gatewaytest.Initialize).ID
		subscribeAll(t, g, client, session, uris)
		conns[i] = get(t, g, session)
		t.Cleanup(func() { conns[i].Close() })
	}
	for _, conn := range conns {
		go func() { ended <- countUpdates(conn) }() // ends when no more data arrives
	}
	before := resident()
	most := before
	for i := range updates {
		page.table.Changed("notes://" + strconv.Itoa(i%uris))
		if i%10_000 == 0 {
			most = max(most, resident())
		}
	}
	for range readers {
		if n := <-ended; n < uris {
			t.Errorf("a reader got %d updates of %d URIs", n, uris)
		}
	}
	return []figure{{"growth of RSS by 10^5 updates for 20 readers", 8, (max(most, resident()) - before) / 1e6, "MB"}}
}

// A reader that stalls gets, when it reads again, little more than what its socket
// held: one update for each URI.
func measureStalled(t *testing.T) []figure {
	const uris, rounds = 1_000, 200
	g := startGateway(t, Options{Limits: Limits{ReadsPerSecond: 100_000}})
	page := updatedPage(t, g, uris)
	client, done := plainClient()
	defer done()
	session := inSession(t, g, client, "").Begin("/mcp", gatewaytest.Initialize).ID
	subscribeAll(t, g, client, session, uris)
	conn := get(t, g, session)
	defer conn.Close()
	before := memory()
	stop := time.Now().Add(15 * time.Second) // below writeTime, over which the stream is given up
	for range rounds {
		for i := range uris {
			page.table.Changed("notes://" + strconv.Itoa(i))
		}
		if time.Now().After(stop) {
			break
		}
		time.Sleep(20 * time.Millisecond) // longer than the page's update interval
	}
	grown := memory() - before
	n := countUpdates(conn)
	if n < uris {
		t.Errorf("the stalled reader got %d of %d", n, uris)
	}
	return []figure{
		{"notifications that a stalled stream gets late", 5_000, float64(n), ""},
		{"memory that it costs", 8, grown / 1e6, "MB"},
	}
}

// A page that reloads.
func measureReloads(t *testing.T) []figure {
	g := startGateway(t, Options{})
	page := updatedPage(t, g, 10)
	reload := func() {
		page.leave()
		page.awaitAway(g)
		page.engine.Close()
		page.engine = engine.New(engine.Info{Name: "notes", Version: "1"}, nil)
		page.engine.Mount("", page.table)
		page.join(g)
	}
	for range 20 {
		reload()
	}
	before, files := memory(), descriptors()
	for range 100 {
		reload()
	}
	return []figure{
		{"growth by 100 reloads", 1, (memory() - before) / 1e6, "MB"},
		{"file descriptors left then", 0, float64(descriptors() - files), ""},
	}
}

// Names that no page has.
func measureNames(t *testing.T) []figure {
	const many = 2_000
	g := startGateway(t, Options{})
	c := caller(t, g)
	before := memory()
	for i := range many {
		ctx, cancel := context.WithTimeout(t.Context(), testTime)
		answer, body := c.Do(ctx, "POST", fmt.Sprintf("/mcp/none-%d", i), discover, gatewaytest.V2026, "Mcp-Method: server/discover")
		cancel()
		if answer.StatusCode != 200 {
			t.Fatalf("name %d: %s %s", i, answer.Status, body)
		}
	}
	g.core.Sweep(time.Now().Add(time.Hour))
	return []figure{{"an asked name that no page has", 0.5, (memory() - before) / many / 1_000, "kB"}}
}
