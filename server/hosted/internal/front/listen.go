// Package front is the address of a node that clients use, directly or through proxies.
package front

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"

	"github.com/pagemcp/pagemcp/server/internal/conns"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// A Listener is the address that clients use, directly or through proxies.
type Listener struct {
	listener net.Listener // with TLS, if it is configured
	Server   *http.Server
	Limiter  *conns.Limiter
}

// Listen binds address. Requests reach handler with the address of their client, see
// access.AddressOf; isClosing and log are those of conns.HTTPServer. secure is nil without TLS; maxUnknown is the number of connections whose
// clients are not authenticated. The listener ends with serve or Close.
func Listen(address string, secure *Certificates, p *Proxies, handler http.Handler, isClosing func() bool, maxUnknown int, onEvicted func(), log *slog.Logger) (*Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return On(listener, secure, p, handler, isClosing, maxUnknown, onEvicted, log), nil
}

// On returns a Listener on connections of another one.
func On(listener net.Listener, secure *Certificates, p *Proxies, handler http.Handler, isClosing func() bool, maxUnknown int, onEvicted func(), log *slog.Logger) *Listener {
	limiter := conns.NewLimiter(conns.Options{
		MaxUnknown: maxUnknown, MaxPerAddress: maxUnknownPerAddress, Admit: p.admit, IsProxy: p.isTrusted, CountIdle: true, OnEvicted: onEvicted,
	})
	listener = limiter.Wrap(listener)
	server := conns.HTTPServer(p.handler(handler), isClosing, log)
	// A peer that has gone without a reset is noticed by pings, and one that does not read
	// by the time for a write, as on other streams.
	server.HTTP2 = &http.HTTP2Config{SendPingTimeout: limits.PingEvery, PingTimeout: limits.PingEvery, WriteByteTimeout: limits.WriteTime}
	if secure != nil {
		server.TLSConfig = secure.config()
		listener = tls.NewListener(listener, server.TLSConfig)
	}
	return &Listener{listener, server, limiter}
}

// Address returns the bound address.
func (l *Listener) Address() net.Addr { return l.listener.Addr() }

// Serve serves until the server is shut down or closed.
func (l *Listener) Serve() error {
	if err := l.Server.Serve(l.listener); err != http.ErrServerClosed {
		return fmt.Errorf("listen: %w", err)
	}
	return nil
}

// Close closes the listener and all connections but WebSockets.
func (l *Listener) Close() {
	l.Server.Close()
	l.listener.Close() // if serve was never called
}
