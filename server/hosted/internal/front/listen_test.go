package front

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// A pipeListener accepts connections in memory, for tests with virtual time.
type pipeListener struct {
	accept chan net.Conn
	closed chan struct{}
}

// An addressedConn is one with the address of a peer.
type addressedConn struct {
	net.Conn
	from net.Addr
}

func (c addressedConn) RemoteAddr() net.Addr { return c.from }

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.accept:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	select {
	case <-l.closed:
	default:
		close(l.closed)
	}
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

// dial returns the client's end of a connection from an address.
func (l *pipeListener) dial(from string) net.Conn {
	near, far := net.Pipe()
	l.accept <- addressedConn{near, &net.TCPAddr{IP: net.ParseIP(from), Port: 50_000}}
	return far
}

// servePipes serves handler with virtual time, in a bubble of synctest.
func servePipes(t *testing.T, p *Proxies, handler http.Handler) (l *pipeListener, stop func()) {
	t.Helper()
	l = &pipeListener{make(chan net.Conn), make(chan struct{})}
	public := newListener(l, nil, p, handler, 8_000, nil)
	served := make(chan error, 1)
	go func() { served <- public.Serve() }() // ends with stop
	return l, func() {
		public.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}
}

// untilClosed returns how long a connection stays open, and what it has received.
func untilClosed(conn net.Conn) (time.Duration, string) {
	begun := time.Now()
	text, _ := io.ReadAll(conn)
	return time.Since(begun), string(text)
}

// Clients that send slowly, or nothing, are disconnected: the header has 5 s, a body 10 s
// between two reads and 30 s in all.
func TestSlowRequestsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		read := make(chan error, 1)
		l, stop := servePipes(t, NewProxies(nil, false, nil), http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, err := io.Copy(io.Discard, r.Body)
			read <- err
		}))
		var senders sync.WaitGroup
		defer senders.Wait()
		defer stop()
		silent := l.dial("203.0.113.7")
		if open, _ := untilClosed(silent); open != limits.HeaderTime {
			t.Errorf("a silent connection is open for %v", open)
		}
		slow := l.dial("203.0.113.7")
		senders.Go(func() { // ends when the connection is closed
			for _, char := range "POST /mcp HTTP/1.1\r\nHost: mcp.app.example\r\nX: " + strings.Repeat("x", 1_000) {
				if _, err := slow.Write([]byte(string(char))); err != nil {
					return
				}
				time.Sleep(100 * time.Millisecond)
			}
		})
		if open, _ := untilClosed(slow); open != limits.HeaderTime {
			t.Errorf("a slow header is read for %v", open)
		}
		for gap, want := range map[time.Duration]time.Duration{limits.BodyIdle + time.Second: limits.BodyIdle, limits.BodyIdle - time.Second: limits.BodyTime} {
			body := l.dial("203.0.113.7")
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
		l, stop := servePipes(t, NewProxies(nil, false, nil), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "served") }))
		defer stop()
		closed := make(chan struct{}, 2*maxUnknownPerAddress)
		hold := func(from string) net.Conn {
			conn := l.dial(from)
			go func() { // ends with the connection
				untilClosed(conn)
				closed <- struct{}{}
			}()
			return conn
		}
		first := hold("198.51.100.1")
		for range maxUnknownPerAddress + 99 {
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
		fresh := l.dial("203.0.113.7") // a new one of the same address comes in, too
		fmt.Fprint(fresh, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		if _, text := untilClosed(fresh); !strings.HasSuffix(text, "served") {
			t.Errorf("%q", text)
		}
	})
}

// The connections of a proxy are those of all clients: none is closed for another one, as
// long as there are not too many in all.
func TestConnectionsOfAProxyHaveNoLimitOfTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewProxies(trustedProxies(t, "10.0.0.0/8"), false, nil)
		l, stop := servePipes(t, p, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		defer stop()
		var open []net.Conn
		for range 2 * maxUnknownPerAddress {
			open = append(open, l.dial("10.0.0.1"))
		}
		for _, conn := range open {
			if _, err := fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.7\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 200") {
				t.Fatalf("%q, %v", line, err)
			}
			conn.Close()
		}
	})
}

// Requests, streams and WebSockets of known clients are not closed for others.
func TestKnownConnectionsStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		finish := make(chan struct{})
		l, stop := servePipes(t, NewProxies(nil, false, nil), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
			conn := l.dial("203.0.113.7")
			defer conn.Close()
			reader := bufio.NewReader(conn)
			fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", path)
			if line, err := reader.ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 ") {
				t.Fatalf("%q, %v", line, err)
			}
			open, readers = append(open, conn), append(readers, reader)
		}
		for range 2 * maxUnknownPerAddress {
			defer l.dial("203.0.113.7").Close()
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
		l, stop := servePipes(t, NewProxies(nil, false, nil), http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { access.MarkKnown(r.Context()) }))
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
		for i := range 2 * maxUnknownPerAddress {
			conn := l.dial("203.0.113.7")
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
			if wanted := i >= maxUnknownPerAddress; (err == nil) != wanted {
				t.Fatalf("connection %d: %q, %v", i, status, err)
			}
			synctest.Wait()
		}
	})
}
