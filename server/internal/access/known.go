package access

import (
	"context"
	"net/netip"
)

type connectionKey struct{}

// A Connection is what counts the connection of a request while its client is unknown. The
// functions may be called several times.
type Connection struct {
	Known     func()                  // the client has authenticated itself
	Dedicated func(client netip.Addr) // it is a WebSocket of one client, at this address if that is valid
}

// WithConnection returns the context of the requests of a connection.
func WithConnection(ctx context.Context, c Connection) context.Context {
	return context.WithValue(ctx, connectionKey{}, c)
}

// MarkKnown records that the sender of a request with this context has authenticated itself:
// its connection no longer counts as one of unknown clients.
func MarkKnown(ctx context.Context) {
	if c, ok := ctx.Value(connectionKey{}).(Connection); ok {
		c.Known()
	}
}

// MarkDedicated records that the connection of a request with this context is a WebSocket: it
// counts as one of the client's address, also if it came through a proxy, and is as idle as
// one without request until the client has authenticated itself.
func MarkDedicated(ctx context.Context) {
	if c, ok := ctx.Value(connectionKey{}).(Connection); ok {
		c.Dedicated(AddressOf(ctx))
	}
}
