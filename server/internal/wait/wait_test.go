package wait

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestForEndsWithItsTimeOrContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if !For(t.Context(), time.Minute) || time.Since(began) != time.Minute {
			t.Errorf("returned after %v", time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if began = time.Now(); For(ctx, time.Minute) || time.Since(began) != time.Second {
			t.Errorf("returned %v after the start, its context ends after a second", time.Since(began))
		}
	})
}

// A signal that was not received yet is enough for all that come before it is received.
func TestWakeNeverBlocks(t *testing.T) {
	signal := NewSignal()
	Wake(signal)
	Wake(signal)
	<-signal
	select {
	case <-signal:
		t.Error("two signals wait")
	default:
	}
}
