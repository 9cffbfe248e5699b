// Package loopback binds servers to the loopback interface: listeners on 127.0.0.1 and
// ::1, connections of this user's programs only, and limits for unknown clients.
package loopback

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
)

// A PortTakenError reports that another process listens on the port.
type PortTakenError struct {
	Addr string // host:port
}

// Error implements error.
func (e *PortTakenError) Error() string {
	return fmt.Sprintf("another program listens on %s", e.Addr)
}

// Listen binds port on 127.0.0.1, and on ::1 if the machine has it: both or neither,
// since a program on the other address would get connections to `localhost`. Port 0
// selects one that is free on both.
func Listen(port int) ([]net.Listener, int, error) {
	// Multipath TCP could add addresses to a connection, which would not be checked.
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
		if !errors.Is(err, syscall.EADDRINUSE) { // this machine has no IPv6
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
