package testports

import (
	"net"
	"slices"
	"testing"
)

// Ports are different and free, below those that the system gives to others.
func TestPortsCanBeUsed(t *testing.T) {
	ports := Free(t, 50)
	for i, port := range ports {
		if port < lowest || port >= lowest+count || slices.Contains(ports[:i], port) {
			t.Errorf("port %d of %v", port, ports)
		}
	}
}

// A port on which something listens is not free.
func TestPortsInUseAreNotFree(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if isFree(l.Addr().(*net.TCPAddr).Port) {
		t.Errorf("%v is taken for free", l.Addr())
	}
}
