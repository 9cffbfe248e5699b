package access

import (
	"context"
	"net/netip"
)

type addressKey struct{}

// WithAddress returns the context of a request that came from address. It serves logs and
// limits, and grants nothing.
func WithAddress(ctx context.Context, address netip.Addr) context.Context {
	return context.WithValue(ctx, addressKey{}, address)
}

// AddressOf returns the address that a request came from. It is the zero Addr if none was
// recorded: all clients of the local gateway are on its machine.
func AddressOf(ctx context.Context) netip.Addr {
	address, _ := ctx.Value(addressKey{}).(netip.Addr)
	return address
}
