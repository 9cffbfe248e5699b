package conns

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"testing"
)

// A fakeConn is a connection from an address that only records that it is closed.
type fakeConn struct {
	net.Conn
	from   net.Addr
	closed bool
}

func (c *fakeConn) RemoteAddr() net.Addr { return c.from }
func (c *fakeConn) Close() error         { c.closed = true; return nil }

func connFrom(address string) *fakeConn {
	return &fakeConn{from: &net.TCPAddr{IP: net.ParseIP(address), Port: 50_000}}
}

// The connection that is idle for longest makes room, first among those of the same address,
// and one with a request only if more of those have one.
func TestTheConnectionThatIsIdleForLongestMakesRoom(t *testing.T) {
	l := NewLimiter(Options{MaxUnknown: 4, MaxPerAddress: 3, CountIdle: true, IsProxy: func(a netip.Addr) bool { return a.String() == "10.0.0.1" }})
	open := map[string]*connection{}
	var order []string
	connect := func(name, address string) {
		open[name] = l.admit(connFrom(address))
		order = append(order, name)
	}
	wantClosed := func(when string, want ...string) {
		t.Helper()
		var closed []string
		for _, name := range order {
			if open[name].Conn.(*fakeConn).closed {
				closed = append(closed, name)
			}
		}
		if !slices.Equal(closed, want) {
			t.Fatalf("%s: closed are %q, want %q", when, closed, want)
		}
	}
	connect("a1", "203.0.113.1")
	connect("b1", "203.0.113.2")
	connect("b2", "203.0.113.2")
	open["a1"].setActive(true)
	open["b1"].setActive(true)
	open["b1"].setActive(false) // idle for a shorter time than b2 from now on
	connect("c1", "10.0.0.1")
	open["c1"].setActive(true)
	wantClosed("there is room")
	connect("c2", "10.0.0.1")
	wantClosed("one too many", "b2")
	open["c2"].setActive(true)
	open["c1"].dedicate(netip.MustParseAddr("203.0.113.1"))
	open["c2"].dedicate(netip.MustParseAddr("203.0.113.1"))
	wantClosed("connections of a proxy become those of an address", "b2")
	connect("a2", "203.0.113.1")
	wantClosed("one too many of an address", "b2", "c1")
	open["c2"].release()
	connect("a3", "203.0.113.1")
	wantClosed("a known one does not count", "b2", "c1")
	for _, name := range []string{"a1", "a2", "a3", "b1"} {
		open[name].setActive(true)
	}
	connect("d1", "203.0.113.4")
	wantClosed("all have a request", "a1", "b2", "c1")
	for _, c := range open {
		c.Close()
	}
	if l.Unknown() != 0 || len(l.byAddress) != 0 {
		t.Errorf("%d connections and %d addresses are left", l.Unknown(), len(l.byAddress))
	}
}

// Clients that read no response keep their requests in progress. They cannot make the
// connections of others too short for a handshake and a request.
func TestRequestsThatDoNotEndKeepNoConnectionOut(t *testing.T) {
	const most = 100
	for name, addresses := range map[string]int{"of many addresses": 200, "of one address": 1} {
		l := NewLimiter(Options{MaxUnknown: most, MaxPerAddress: most, CountIdle: true})
		attack := func(i int) { l.admit(connFrom(fmt.Sprint("203.0.113.", 1+i%addresses))).setActive(true) }
		for i := range most {
			attack(i)
		}
		honest := l.admit(connFrom("203.0.113.1"))
		for i := range most / 2 {
			attack(most + i)
		}
		if honest.Conn.(*fakeConn).closed {
			t.Errorf("%s: an idle connection is closed for those with a request, which are more", name)
		}
	}
}
