package conns

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/conns/connstest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

const maxOfAddress = 2_048

// servePipes serves handler with virtual time, in a bubble of synctest.
func servePipes(t *testing.T, handler http.Handler) (l *connstest.Listener, stop func()) {
	t.Helper()
	l = connstest.NewListener()
	server := HTTPServer(handler, nil, slog.Default())
	served := make(chan error, 1)
	limiter := NewLimiter(Options{MaxUnknown: 4 * maxOfAddress, MaxPerAddress: maxOfAddress, CountIdle: true})
	go func() { served <- server.Serve(limiter.Wrap(l)) }() // ends with stop
	return l, func() {
		server.Close()
		if err := <-served; err != http.ErrServerClosed {
			t.Error(err)
		}
	}
}

// Clients that send slowly, or nothing, are disconnected: the header has 5 s, a body 10 s
// between two reads and 30 s in all.
func TestSlowRequestsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		read := make(chan error, 1)
		l, stop := servePipes(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, err := io.Copy(io.Discard, r.Body)
			read <- err
		}))
		var senders sync.WaitGroup
		defer senders.Wait()
		defer stop()
		silent := l.Dial("203.0.113.7")
		if open, _ := connstest.UntilClosed(silent); open != limits.HeaderTime {
			t.Errorf("a silent connection is open for %v", open)
		}
		slow := l.Dial("203.0.113.7")
		senders.Go(func() { // ends when the connection is closed
			for _, char := range "POST /mcp HTTP/1.1\r\nHost: mcp.app.example\r\nX: " + strings.Repeat("x", 1_000) {
				if _, err := slow.Write([]byte(string(char))); err != nil {
					return
				}
				time.Sleep(100 * time.Millisecond)
			}
		})
		if open, _ := connstest.UntilClosed(slow); open != limits.HeaderTime {
			t.Errorf("a slow header is read for %v", open)
		}
		for gap, want := range map[time.Duration]time.Duration{limits.BodyIdle + time.Second: limits.BodyIdle, limits.BodyIdle - time.Second: limits.BodyTime} {
			body := l.Dial("203.0.113.7")
			go io.Copy(io.Discard, body) // ends with the connection
			begun := time.Now()
			fmt.Fprint(body, "POST /mcp HTTP/1.1\r\nHost: mcp.app.example\r\nContent-Length: 1000\r\n\r\n{")
			senders.Go(func() { // likewise
				for {
					time.Sleep(gap)
					if _, err := body.Write([]byte(" ")); err != nil {
						return
					}
				}
			})
			if err := <-read; err == nil || time.Since(begun) != want {
				t.Errorf("a byte in %v: the body is read for %v: %v", gap, time.Since(begun), err)
			}
			synctest.Wait()
			body.Close()
		}
	})
}

// One address has its own number of connections, and others come in whatever it holds.
func TestOneAddressDoesNotStarveOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, stop := servePipes(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "served") }))
		defer stop()
		closed := make(chan struct{}, 2*maxOfAddress)
		hold := func(from string) net.Conn {
			conn := l.Dial(from)
			go func() { // ends with the connection
				connstest.UntilClosed(conn)
				closed <- struct{}{}
			}()
			return conn
		}
		first := hold("198.51.100.1")
		for range maxOfAddress + 99 {
			defer hold("203.0.113.7").Close()
		}
		synctest.Wait()
		if len(closed) != 99 {
			t.Errorf("%d connections are closed", len(closed))
		}
		if _, err := fmt.Fprint(first, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Errorf("an older connection of another address: %v", err)
		}
		first.Close()
		fresh := l.Dial("203.0.113.7") // a new one of the same address comes in, too
		fmt.Fprint(fresh, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		if _, text := connstest.UntilClosed(fresh); !strings.HasSuffix(text, "served") {
			t.Errorf("%q", text)
		}
	})
}

// Requests, streams and WebSockets of known clients are not closed for others.
func TestKnownConnectionsStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		finish := make(chan struct{})
		l, stop := servePipes(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			access.MarkKnown(r.Context())
			if r.URL.Path == "/page" {
				conn, buffered, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				defer conn.Close()
				buffered.WriteString("HTTP/1.1 101 Switching Protocols\r\n\r\n")
				buffered.Flush()
				<-finish
				buffered.WriteString("still open")
				buffered.Flush()
				return
			}
			http.NewResponseController(w).Flush()
			<-finish
			io.WriteString(w, "still open")
		}))
		defer stop()
		var open []net.Conn
		var readers []*bufio.Reader
		for _, path := range []string{"/mcp", "/page"} {
			conn := l.Dial("203.0.113.7")
			defer conn.Close()
			reader := bufio.NewReader(conn)
			fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", path)
			if line, err := reader.ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 ") {
				t.Fatalf("%q, %v", line, err)
			}
			open, readers = append(open, conn), append(readers, reader)
		}
		for range 2 * maxOfAddress {
			defer l.Dial("203.0.113.7").Close()
		}
		synctest.Wait()
		close(finish)
		for i, reader := range readers {
			if text, err := io.ReadAll(reader); err != nil || !strings.Contains(string(text), "still open") {
				t.Errorf("connection %d: %q, %v", i, text, err)
			}
			open[i].Close()
		}
	})
}

// A client with a token cannot use up the files of a node by connections without requests:
// those that are idle for longest are closed.
func TestIdleConnectionsOfKnownClientsAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, stop := servePipes(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { access.MarkKnown(r.Context()) }))
		defer stop()
		request := func(conn net.Conn) (string, error) {
			if _, err := fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
				return "", err
			}
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				return "", err
			}
			return response.Status, response.Body.Close()
		}
		var open []net.Conn
		for i := range 2 * maxOfAddress {
			conn := l.Dial("203.0.113.7")
			defer conn.Close()
			if status, err := request(conn); err != nil || status != "200 OK" {
				t.Fatalf("connection %d: %q, %v", i, status, err)
			}
			synctest.Wait()
			open = append(open, conn)
		}
		for i, conn := range open {
			conn.SetDeadline(time.Now().Add(time.Second))
			status, err := request(conn)
			if wanted := i >= maxOfAddress; (err == nil) != wanted {
				t.Fatalf("connection %d: %q, %v", i, status, err)
			}
			synctest.Wait()
		}
	})
}

// A server that is about to end asks each client to connect again, and loses no request. An answer
// before the end of the body closes its connection as well.
func TestAnswersCloseTheirConnectionsWhenTheServerEnds(t *testing.T) {
	t.Parallel()
	closing := false
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/read" {
			io.Copy(io.Discard, r.Body)
		}
		if r.URL.Query().Get("with") != "" {
			io.WriteString(w, "text")
		}
	})
	server := httptest.NewUnstartedServer(nil)
	server.Config = HTTPServer(handler, func() bool { return closing }, slog.Default())
	server.Start()
	defer server.Close()
	for _, isClosing := range []bool{false, true} {
		closing = isClosing
		for path, want := range map[string]bool{"/read": isClosing, "/read?with=text": isClosing, "/unread": true, "/unread?with=text": true} {
			answer, err := server.Client().Post(server.URL+path, "text/plain", strings.NewReader(strings.Repeat("x", 1<<20)))
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.Close != want {
				t.Errorf("%s, closing %t: the connection ends: %t", path, isClosing, answer.Close)
			}
		}
	}
}

// A panic of a handler is logged with its stack; of what strangers can cause at will, one error in a minute.
func TestErrorsOfTheServerAreLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		server := HTTPServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("a defect") }), nil, slog.New(slog.NewTextHandler(&out, nil)))
		wires := connstest.NewListener()
		served := make(chan error, 1)
		go func() { served <- server.Serve(wires) }() // ends below
		client := &http.Client{Transport: &http.Transport{DialContext: wires.Connect, DisableKeepAlives: true}}
		if _, err := client.Get("http://node.example/"); err == nil {
			t.Error("a handler that panics has answered")
		}
		for range 3 {
			server.ErrorLog.Print("http: TLS handshake error from 192.0.2.1:1: EOF")
		}
		time.Sleep(errorEvery)
		server.ErrorLog.Print("http: TLS handshake error from 192.0.2.1:2: EOF")
		server.Close()
		<-served
		log := out.String()
		if !strings.Contains(log, "a defect") || !strings.Contains(log, "server_test.go") {
			t.Errorf("the panic is logged as %s", log)
		}
		if strings.Count(log, "TLS handshake") != 2 || !strings.Contains(log, "192.0.2.1:2: EOF\" more=2") {
			t.Errorf("failed handshakes are logged as %s", log)
		}
	})
}
