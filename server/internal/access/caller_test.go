package access

import (
	"context"
	"testing"
	"testing/synctest"
)

// The streams of a caller whose owner moves end, and nothing else of it does.
func TestStreamsEndWhenTheirOwnerMoves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stays, move := context.WithCancel(t.Context())
		c := Caller{Stays: stays}
		streams, requests, stopped := 0, 0, 0
		stop := c.AfterStream(func() { streams++ })
		release := c.AfterEnd(func() { requests++ })
		c.AfterStream(func() { stopped++ })()
		move()
		synctest.Wait()
		stop()
		release()
		if streams != 1 || requests != 0 || stopped != 0 {
			t.Errorf("%d streams, %d other requests and %d that were stopped have ended", streams, requests, stopped)
		}
		valid, end := context.WithCancel(t.Context())
		defer (Caller{Valid: valid}).AfterStream(func() { streams++ })()
		end()
		synctest.Wait()
		if streams != 2 {
			t.Error("a stream outlives the credentials of its caller")
		}
	})
}
