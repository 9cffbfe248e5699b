// Package loopback binds servers to this machine alone: listeners on 127.0.0.1 and
// ::1, connections of this user's programs only, and limits for clients of which
// nothing is known yet.
package loopback

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"syscall"

	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// A PortTakenError says that another process listens on the port.
type PortTakenError struct {
	Addr string // host:port
}

func (e *PortTakenError) Error() string {
	return fmt.Sprintf("another program listens on %s", e.Addr)
}

// Listen binds port on 127.0.0.1, and on ::1 where the machine has it. Both
// or none: whoever had the other one could take our pages' connections to
// `localhost`. Port 0 picks one that is free on both.
func Listen(port int) ([]net.Listener, int, error) {
	// Multipath TCP is of no use here, and a connection that it made could get further
	// addresses, which nothing checks.
	var config net.ListenConfig
	config.SetMultipathTCP(false)
	ctx := context.Background()
	for range 20 {
		v4, err := config.Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			return nil, 0, listenError(err, "127.0.0.1", port)
		}
		actual := v4.Addr().(*net.TCPAddr).Port
		v6, err := config.Listen(ctx, "tcp6", net.JoinHostPort("::1", strconv.Itoa(actual)))
		if err == nil {
			return []net.Listener{v4, v6}, actual, nil
		}
		if !errors.Is(err, syscall.EADDRINUSE) { // no IPv6 here
			return []net.Listener{v4}, actual, nil
		}
		v4.Close()
		if port != 0 {
			return nil, 0, listenError(err, "[::1]", port)
		}
	}
	return nil, 0, errors.New("listen on a free port: none is free on both 127.0.0.1 and ::1")
}

func listenError(err error, host string, port int) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return &PortTakenError{Addr: host + ":" + strconv.Itoa(port)}
	}
	return fmt.Errorf("listen on %s:%d: %w", host, port, err)
}

// HTTPServer returns a server with the time limits that every door has. Streams
// set deadlines of their own for each event, so there is no limit on the whole
// answer.
func HTTPServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           timeBodies(handler),
		ReadHeaderTimeout: limits.HeaderTime,
		IdleTimeout:       limits.IdleTime,
		MaxHeaderBytes:    limits.MaxHeader,
		ErrorLog:          discardLogger(),
		ConnContext:       connContext,
		ConnState:         connState,
	}
}

// sendBuffer is what the kernel holds of what a peer has not read. Left to itself it
// grows to megabytes, and a reader that stalled gets tens of thousands of stale
// updates before the present ones.
const sendBuffer = 64 << 10 // bytes; Linux takes twice as many

// quiet returns a logger for net/http, whose complaints are about broken
// clients and would fill the terminal.
func discardLogger() *log.Logger { return log.New(io.Discard, "", 0) }
