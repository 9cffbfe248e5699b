package front

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/access"
)

func trustedProxies(t testing.TB, texts ...string) []netip.Prefix {
	t.Helper()
	var prefixes []netip.Prefix
	for _, text := range texts {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			address := netip.MustParseAddr(text).Unmap()
			prefix = netip.PrefixFrom(address, address.BitLen())
		}
		prefixes = append(prefixes, prefix)
	}
	return prefixes
}

// Whatever a client sends, its address is one that a proxy has appended.
func TestClientIsTheRightmostUntrustedAddress(t *testing.T) {
	p := NewProxies(trustedProxies(t, "10.0.0.0/8", "2001:db8:1::/48", "::ffff:192.0.2.1"), false, nil)
	const client = "203.0.113.7"
	for _, test := range []struct {
		name, peer string
		forwarded  []string
		want       string
	}{
		{"no proxy, no header", client, nil, client},
		{"no proxy, a forged header", client, []string{"1.2.3.4"}, client},
		{"no proxy, a forged proxy", client, []string{"1.2.3.4, 10.0.0.1"}, client},
		{"a proxy without header", "10.0.0.1", nil, "10.0.0.1"},
		{"one proxy", "10.0.0.1", []string{client}, client},
		{"one proxy, forged", "10.0.0.1", []string{"1.2.3.4, " + client}, client},
		{"one proxy, forged trusted", "10.0.0.1", []string{"10.9.9.9, " + client}, client},
		{"two proxies", "10.0.0.1", []string{client + ", 10.0.0.2"}, client},
		{"two proxies, two headers", "10.0.0.1", []string{client, "10.0.0.2"}, client},
		{"forged in a header of its own", "10.0.0.1", []string{"1.2.3.4", client}, client},
		{"no blanks", "10.0.0.1", []string{"1.2.3.4," + client + ",10.0.0.2"}, client},
		{"tabs", "10.0.0.1", []string{"\t" + client + "\t"}, client},
		{"with a port", "10.0.0.1", []string{client + ":4711"}, client},
		{"IPv6", "10.0.0.1", []string{"2001:db8:2::7"}, "2001:db8:2::7"},
		{"IPv6 in brackets", "10.0.0.1", []string{"[2001:db8:2::7]"}, "2001:db8:2::7"},
		{"IPv6 with a port", "10.0.0.1", []string{"[2001:db8:2::7]:4711"}, "2001:db8:2::7"},
		{"IPv6 proxies", "2001:db8:1::1", []string{client + ", 2001:db8:1::2"}, client},
		{"mapped client", "10.0.0.1", []string{"::ffff:" + client}, client},
		{"mapped proxy in the header", "10.0.0.1", []string{client + ", ::ffff:10.0.0.2"}, client},
		{"mapped proxy as peer", "::ffff:10.0.0.1", []string{client}, client},
		{"proxy configured as mapped", "192.0.2.1", []string{client}, client},
		{"all are proxies", "10.0.0.1", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		{"malformed", "10.0.0.1", []string{"unknown"}, "10.0.0.1"},
		{"malformed behind a proxy", "10.0.0.1", []string{"1.2.3.4, _hidden, 10.0.0.2"}, "10.0.0.2"},
		{"empty", "10.0.0.1", []string{""}, "10.0.0.1"},
		{"an empty entry", "10.0.0.1", []string{client + ",,10.0.0.2"}, "10.0.0.2"},
		{"a zone", "10.0.0.1", []string{"fe80::1%eth0"}, "10.0.0.1"},
		{"octal", "10.0.0.1", []string{"010.0.0.2, 0313.0.113.7"}, "10.0.0.1"},
		{"a name", "10.0.0.1", []string{"localhost"}, "10.0.0.1"},
		{"quotation marks", "10.0.0.1", []string{`"` + client + `"`}, "10.0.0.1"},
		{"NUL", "10.0.0.1", []string{client + "\x00"}, "10.0.0.1"},
		{"a flood of proxies", "10.0.0.1", []string{client + strings.Repeat(", 10.0.0.2", 1_000)}, "10.0.0.2"},
		{"an address like a proxy's", "10.0.0.1", []string{"11.0.0.1"}, "11.0.0.1"},
	} {
		r := httptest.NewRequest("POST", "/mcp", nil)
		r.RemoteAddr = net.JoinHostPort(test.peer, "50000")
		r.Header["X-Forwarded-For"] = test.forwarded
		r.Header.Set("Forwarded", "for=1.2.3.4;host=evil.example")
		r.Header.Set("X-Real-IP", "1.2.3.4")
		var got netip.Addr
		p.handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = access.AddressOf(r.Context()) })).ServeHTTP(httptest.NewRecorder(), r)
		if got.String() != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// Handlers see the Host of the request line, and no header that could replace it or the
// address.
func TestForwardingHeadersAreRemoved(t *testing.T) {
	p := NewProxies(trustedProxies(t, "10.0.0.0/8"), false, nil)
	r := httptest.NewRequest("POST", "https://mcp.app.example/mcp", nil)
	r.RemoteAddr = "10.0.0.1:50000"
	for _, name := range []string{"X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port", "X-Real-IP", "Forwarded"} {
		r.Header.Set(name, "evil.example")
	}
	r.Header.Set("Authorization", "Bearer x")
	p.handler(http.HandlerFunc(func(_ http.ResponseWriter, seen *http.Request) {
		if seen.Host != "mcp.app.example" || len(seen.Header) != 1 || seen.Header.Get("Authorization") != "Bearer x" {
			t.Errorf("Host %s, %v", seen.Host, seen.Header)
		}
	})).ServeHTTP(httptest.NewRecorder(), r)
	if r.Header.Get("X-Forwarded-Host") == "" {
		t.Error("the caller's request was changed")
	}
}

// One client behind a proxy does not take the places of others, and a client that has
// authenticated itself does not count.
func TestUnknownClientsBehindAProxyAreLimitedOneByOne(t *testing.T) {
	p := NewProxies(trustedProxies(t, "10.0.0.0/8"), false, nil)
	inside, leave := make(chan struct{}), make(chan struct{})
	known := false
	h := p.handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if known {
			access.MarkKnown(r.Context())
			access.MarkKnown(r.Context())
		}
		inside <- struct{}{}
		<-leave
	}))
	send := func(from string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", "/page", nil)
		r.RemoteAddr = "10.0.0.1:50000"
		r.Header.Set("X-Forwarded-For", from)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	done := make(chan int, 3*maxUnknownPerAddress)
	enter := func(from string) {
		go func() { done <- send(from).Code }() // ends with leave
		<-inside
	}
	for range maxUnknownPerAddress {
		enter("203.0.113.7")
	}
	if w := send("203.0.113.7"); w.Code != 429 || w.Header().Get("Retry-After") != "1" {
		t.Errorf("one more: %d %v", w.Code, w.Header())
	}
	enter("203.0.113.8")
	enter("2001:db8::1")
	for i := range maxUnknownPerAddress - 1 { // of one network, at different addresses
		enter(netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, 15: byte(i), 14: byte(i >> 8)}).String())
	}
	if w := send("2001:db8::ffff:1"); w.Code != 429 {
		t.Errorf("another address of the same network: %d", w.Code)
	}
	close(leave)
	for range 2*maxUnknownPerAddress + 1 {
		if code := <-done; code != 200 {
			t.Errorf("a request that was accepted: %d", code)
		}
	}
	if p.unknown["203.0.113.7"] != 0 || len(p.unknown) != 0 {
		t.Errorf("%v", p.unknown)
	}
	known, leave = true, make(chan struct{})
	for range maxUnknownPerAddress + 10 {
		enter("203.0.113.7")
	}
	close(leave)
	for range maxUnknownPerAddress + 10 {
		<-done
	}
	if len(p.unknown) != 0 {
		t.Errorf("%v", p.unknown)
	}
}

// Without TLS, a peer that is not a proxy is closed before anything is read from it.
func TestOnlyProxiesConnectWithoutTLS(t *testing.T) {
	for _, test := range []struct {
		name    string
		trusted []string
		tls     bool
		served  bool
	}{
		{"another peer", []string{"192.0.2.1"}, false, false},
		{"a proxy", []string{"127.0.0.0/8"}, false, true},
		{"a proxy, mapped", []string{"::ffff:127.0.0.1"}, false, true},
		{"loopback without proxies", nil, false, true},
		{"another peer with TLS", []string{"192.0.2.1"}, true, true},
	} {
		refused := 0
		p := NewProxies(trustedProxies(t, test.trusted...), test.tls, func(net.IP) { refused++ })
		near, far := tcpPair(t)
		if got := p.admit(near); got != test.served || (refused == 0) != test.served {
			t.Errorf("%s: %v, %d refused", test.name, got, refused)
		}
		if !test.served {
			if n, err := far.Read(make([]byte, 1)); n != 0 || err == nil {
				t.Errorf("%s: not closed: %d %v", test.name, n, err)
			}
		}
	}
}

func TestProxiesAreReplacedWhileInUse(t *testing.T) {
	p := NewProxies(trustedProxies(t, "192.0.2.1"), false, nil)
	near, _ := tcpPair(t)
	p.Trust(trustedProxies(t, "127.0.0.1"))
	if !p.admit(near) {
		t.Error("the new proxy is refused")
	}
}

// tcpPair returns both ends of a connection on loopback.
func tcpPair(t testing.TB) (accepted, dialled net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if dialled, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dialled.Close() })
	if accepted, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { accepted.Close() })
	return accepted, dialled
}

func FuzzForwardedAddresses(f *testing.F) {
	f.Add("203.0.113.7, 10.0.0.2")
	f.Add("[2001:db8::1]:443,unknown")
	p := NewProxies(trustedProxies(f, "10.0.0.0/8"), false, nil)
	f.Fuzz(func(t *testing.T, header string) {
		untrusted := netip.MustParseAddr("203.0.113.7")
		if got := p.clientOf(untrusted, []string{header}); got != untrusted {
			t.Errorf("%q: a client chose the address %s", header, got)
		}
		// What a proxy appends wins over everything before it.
		if got := p.clientOf(netip.MustParseAddr("10.0.0.1"), []string{header + ", 203.0.113.7"}); got != untrusted {
			t.Errorf("%q: a client chose the address %s", header, got)
		}
	})
}
