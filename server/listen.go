package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"
)

// A PortTakenError says that another process listens on the port.
type PortTakenError struct {
	Addr string // host:port
}

func (e *PortTakenError) Error() string {
	return fmt.Sprintf("another program listens on %s", e.Addr)
}

// listenLoopback binds port on 127.0.0.1, and on ::1 where the machine has it. Both
// or none: whoever had the other one could take our pages' connections to
// `localhost`. Port 0 picks one that is free on both.
func listenLoopback(port int) ([]net.Listener, int, error) {
	for range 20 {
		v4, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			return nil, 0, taken(err, "127.0.0.1", port)
		}
		actual := v4.Addr().(*net.TCPAddr).Port
		v6, err := net.Listen("tcp6", net.JoinHostPort("::1", strconv.Itoa(actual)))
		if err == nil {
			return []net.Listener{v4, v6}, actual, nil
		}
		if !errors.Is(err, syscall.EADDRINUSE) { // no IPv6 here
			return []net.Listener{v4}, actual, nil
		}
		v4.Close()
		if port != 0 {
			return nil, 0, taken(err, "[::1]", port)
		}
	}
	return nil, 0, errors.New("listen on a free port: none is free on both 127.0.0.1 and ::1")
}

func taken(err error, host string, port int) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return &PortTakenError{Addr: host + ":" + strconv.Itoa(port)}
	}
	return fmt.Errorf("listen on %s:%d: %w", host, port, err)
}

// httpServer returns a server with the time limits that every door has. Streams
// set deadlines of their own for each event, so there is no limit on the whole
// answer.
func httpServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    uploadHeaders,
		ErrorLog:          quiet(),
		ConnContext:       newConnection,
	}
}

// sendBuffer is what the kernel holds of what a peer has not read. Left to itself it
// grows to megabytes, and a reader that stalled gets tens of thousands of stale
// updates before the present ones.
const sendBuffer = 64 << 10 // bytes; Linux takes twice as many

// newConnection is http.Server's ConnContext.
func newConnection(ctx context.Context, conn net.Conn) context.Context {
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetWriteBuffer(sendBuffer) // if it fails, there is more to read late
	}
	return withPeer(ctx, conn)
}

// timeoutBody gives the body of r its own deadline, which ends with it.
func timeoutBody(w http.ResponseWriter) (done func()) {
	control := http.NewResponseController(w)
	control.SetReadDeadline(time.Now().Add(bodyTime)) // not on every ResponseWriter; then the header's limit has to do
	return func() { control.SetReadDeadline(time.Time{}) }
}
