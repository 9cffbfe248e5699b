package access

import (
	"context"
	"net/http"
)

type knownKey struct{}

// WithKnown returns the context of a connection. onKnown is called, possibly several
// times, when a client on the connection has authenticated itself.
func WithKnown(ctx context.Context, onKnown func()) context.Context {
	return context.WithValue(ctx, knownKey{}, onKnown)
}

// MarkKnown records that the sender of r has authenticated itself: its connection no
// longer counts as one of unknown clients.
func MarkKnown(r *http.Request) {
	if onKnown, ok := r.Context().Value(knownKey{}).(func()); ok {
		onKnown()
	}
}
