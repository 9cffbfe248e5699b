package socket

import (
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// A message that has grown over the limit on its way is rejected at once by the gateway:
// the page could not read its id.
func TestGrownMessageIsRejectedByTheGateway(t *testing.T) {
	s := &Socket{failWhenFull: true, closing: make(chan struct{}), out: queue{sending: true}, ctx: t.Context()}
	if err := s.Write(t.Context(), make([]byte, limits.MaxMessage+limits.MaxSlack)); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	if err := s.Write(t.Context(), make([]byte, limits.MaxMessage+limits.MaxSlack+1)); err == nil {
		t.Error("a byte more was sent")
	}
}
