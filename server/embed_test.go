package server

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// A page above the limit of its origin is refused, and learns why.
func TestPagesOfAnOriginAreLimited(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	for i := range limits.MaxPagesPerOrigin {
		newPage(t, testOrigin, "tab-"+strconv.Itoa(i)).join(g)
	}
	page := newPage(t, testOrigin, "tab")
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	first, key := invited(t, g)
	_, err := prove(ctx, page.dial(ctx, first.Address), first, testOrigin, key, &gateway.Hello{Page: "tab", Instance: "1", Name: "notes"})
	if refused := (websocket.CloseError{}); !errors.As(err, &refused) || refused.Code != 4429 || !strings.HasPrefix(refused.Reason, "16 pages of this origin are connected") {
		t.Errorf("a further page of the origin: %v", err)
	}
}
