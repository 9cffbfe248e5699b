package gatewaytest

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// Ports are below the range from which systems choose, as for port 0: no connection takes one
// between the moment at which it was found free and its use.
const (
	lowestPort = 10_000
	manyPorts  = 10_000
	portTries  = 1_000
)

// FreePorts returns n different ports on which nothing listens now, at 127.0.0.1 and, if there is
// IPv6, at ::1: for programs that must be told theirs before they start, or that start again at the same one.
func FreePorts(t testing.TB, n int) (ports []int) {
	t.Helper()
	found := map[int]bool{}
	for range portTries {
		if len(ports) == n {
			return ports
		}
		if port := lowestPort + rand.IntN(manyPorts); !found[port] && isFree(port) {
			found[port] = true
			ports = append(ports, port)
		}
	}
	t.Fatalf("found %d free ports of %d in %d tries", len(ports), n, portTries)
	return nil
}

func isFree(port int) bool {
	return canListen("127.0.0.1", port) && (canListen("::1", port) || !canListen("::1", 0))
}

func canListen(host string, port int) bool {
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return false
	}
	l.Close()
	return true
}
