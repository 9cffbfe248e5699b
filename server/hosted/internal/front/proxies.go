package front

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/conns"
)

const (
	maxForwarded = 32 // entries of X-Forwarded-For that are read, from the right

	// maxUnknownPerAddress is the number of connections of one address, or of requests of one
	// client behind a proxy, that are not authenticated. All browsers of a company may have
	// one address, and their pages join at the same time after the loss of a node.
	maxUnknownPerAddress = 2_048
)

// Proxies knows the balancers in front of a node. Their connections are those of many
// clients, whose addresses they report by X-Forwarded-For; the address serves logs and
// limits only. Host is checked as it arrives, and X-Forwarded-Host and -Proto are ignored.
type Proxies struct {
	trusted   atomic.Pointer[[]netip.Prefix]
	plain     bool         // connections have no TLS: others than those of proxies are closed
	onRefused func(net.IP) // called for each connection that is closed; may be nil

	mu      sync.Mutex
	unknown map[string]int // requests that are not authenticated, by network of the client
}

// NewProxies returns proxies that trust these addresses. Without any, and without TLS, all
// peers are accepted: the listener is on loopback then, see config.Config.Check.
func NewProxies(trusted []netip.Prefix, hasTLS bool, onRefused func(net.IP)) *Proxies {
	p := &Proxies{plain: !hasTLS, onRefused: onRefused, unknown: map[string]int{}}
	p.Trust(trusted)
	return p
}

// Trust replaces the addresses of proxies, as a reload does. Open connections stay.
func (p *Proxies) Trust(trusted []netip.Prefix) { p.trusted.Store(&trusted) }

// isTrusted reports whether an address is that of a proxy.
func (p *Proxies) isTrusted(address netip.Addr) bool {
	return slices.ContainsFunc(*p.trusted.Load(), func(prefix netip.Prefix) bool { return prefix.Contains(address) })
}

// admit implements conns.Options.Admit: without TLS it closes connections that do not come
// from a proxy, before anything is read from them.
func (p *Proxies) admit(conn net.Conn) bool {
	address := conns.Address(conn.RemoteAddr())
	if !p.plain || len(*p.trusted.Load()) == 0 || p.isTrusted(address) {
		return true
	}
	conn.Close()
	if p.onRefused != nil {
		p.onRefused(address.AsSlice())
	}
	return false
}

// clientOf returns the address of the client of a request that came from peer: the
// rightmost address of X-Forwarded-For that is not a proxy, since proxies append, and
// clients can send anything before that. An entry that is not an address ends the walk: the
// result is then the address of the proxy that has reported it.
func (p *Proxies) clientOf(peer netip.Addr, forwarded []string) netip.Addr {
	client := peer
	read := 0
	for _, line := range slices.Backward(forwarded) {
		for entries := strings.Split(line, ","); len(entries) > 0; entries = entries[:len(entries)-1] {
			if read++; read > maxForwarded || !p.isTrusted(client) {
				return client
			}
			address, ok := parseForwarded(entries[len(entries)-1])
			if !ok {
				return client
			}
			client = address
		}
	}
	return client
}

// parseForwarded reads one entry: an IP address, which some balancers write with a port.
func parseForwarded(entry string) (netip.Addr, bool) {
	entry = strings.Trim(entry, " \t")
	if address, err := netip.ParseAddr(entry); err == nil && address.Zone() == "" {
		return address.Unmap(), true
	}
	if host, ok := strings.CutPrefix(entry, "["); ok {
		host, ok = strings.CutSuffix(host, "]")
		if address, err := netip.ParseAddr(host); ok && err == nil && address.Zone() == "" && address.Is6() {
			return address.Unmap(), true
		}
	}
	at, err := netip.ParseAddrPort(entry)
	return at.Addr().Unmap(), err == nil && at.Addr().Zone() == ""
}

// forwardingHeaders say where a request came from. Handlers behind see none of them, so
// they cannot trust one.
var forwardingHeaders = [...]string{"X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port", "X-Real-Ip", "Forwarded"}

// handler returns next with the address of the client in the context of each request, see
// access.AddressOf. It limits the requests behind one address that are not authenticated, as
// conns.Limiter does for connections: connections of proxies have no limit of their own.
func (p *Proxies) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		peer := peerOf(r)
		client := p.clientOf(peer, r.Header.Values("X-Forwarded-For"))
		ctx := access.WithAddress(r.Context(), client)
		if client != peer {
			release, ok := p.enter(conns.Network(client))
			if !ok {
				w.Header().Set("Retry-After", "1") // seconds
				http.Error(w, "too many requests of this address are not authenticated", http.StatusTooManyRequests)
				return
			}
			defer release()
			outer := r.Context()
			ctx = access.WithConnection(ctx, access.Connection{
				Known:     func() { release(); access.MarkKnown(outer) },
				Dedicated: func(netip.Addr) { release(); access.MarkDedicated(access.WithAddress(outer, client)) }, // the connection counts from now on
			})
		}
		r = r.WithContext(ctx)
		r.Header = r.Header.Clone()
		for _, name := range forwardingHeaders {
			r.Header.Del(name)
		}
		next.ServeHTTP(w, r)
	})
}

// peerOf returns the address at the other end of the connection.
func peerOf(r *http.Request) netip.Addr {
	at, _ := netip.ParseAddrPort(r.RemoteAddr)
	return at.Addr().Unmap().WithZone("")
}

// enter counts a request that is not authenticated until release is called; false if there
// are too many of its network.
func (p *Proxies) enter(network string) (release func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.unknown[network] >= maxUnknownPerAddress {
		return nil, false
	}
	p.unknown[network]++
	return sync.OnceFunc(func() { p.leave(network) }), true
}

func (p *Proxies) leave(network string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.unknown[network]--; p.unknown[network] == 0 {
		delete(p.unknown, network)
	}
}
