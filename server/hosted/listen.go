package hosted

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"

	"github.com/pagemcp/pagemcp/server/internal/conns"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// A publicListener is the address that clients use, directly or through proxies.
type publicListener struct {
	listener net.Listener // with TLS, if it is configured
	server   *http.Server
	limiter  *conns.Limiter
}

// listenPublic binds address. Requests reach handler with the address of their client, see
// access.AddressOf. secure is nil without TLS; maxUnknown is the number of connections whose
// clients are not authenticated. The listener ends with serve or Close.
func listenPublic(address string, secure *certificates, p *proxies, handler http.Handler, maxUnknown int, onEvicted func()) (*publicListener, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return newPublicListener(listener, secure, p, handler, maxUnknown, onEvicted), nil
}

// newPublicListener returns a listener on connections of another one.
func newPublicListener(listener net.Listener, secure *certificates, p *proxies, handler http.Handler, maxUnknown int, onEvicted func()) *publicListener {
	limiter := conns.NewLimiter(conns.Options{
		MaxUnknown: maxUnknown, MaxPerAddress: maxUnknownPerAddress, Admit: p.admit, IsProxy: p.isTrusted, CountIdle: true, OnEvicted: onEvicted,
	})
	listener = limiter.Wrap(listener)
	server := conns.HTTPServer(p.handler(handler))
	// A peer that has gone without a reset is noticed by pings, and one that does not read
	// by the time for a write, as on other streams.
	server.HTTP2 = &http.HTTP2Config{SendPingTimeout: limits.PingEvery, PingTimeout: limits.PingEvery, WriteByteTimeout: limits.WriteTime}
	if secure != nil {
		server.TLSConfig = secure.config()
		listener = tls.NewListener(listener, server.TLSConfig)
	}
	return &publicListener{listener, server, limiter}
}

// address returns the bound address.
func (l *publicListener) address() net.Addr { return l.listener.Addr() }

// serve serves until the server is shut down or closed.
func (l *publicListener) serve() error {
	if err := l.server.Serve(l.listener); err != http.ErrServerClosed {
		return fmt.Errorf("listen: %w", err)
	}
	return nil
}

// Close closes the listener and all connections but WebSockets.
func (l *publicListener) Close() {
	l.server.Close()
	l.listener.Close() // if serve was never called
}
