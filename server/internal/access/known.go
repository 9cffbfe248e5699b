package access

import (
	"context"
	"net/http"
)

type knownKey struct{}

// WithKnown returns the context of a connection. onKnown is called when a client on it
// has proved that it may send requests; it may be called several times.
func WithKnown(ctx context.Context, onKnown func()) context.Context {
	return context.WithValue(ctx, knownKey{}, onKnown)
}

// Known notes that the sender of r has proved that it may send requests: its connection
// no longer counts as one of unknown clients.
func MarkKnown(r *http.Request) {
	if onKnown, ok := r.Context().Value(knownKey{}).(func()); ok {
		onKnown()
	}
}
