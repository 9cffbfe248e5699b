package auditlog

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
)

func asIs(e access.Entry) any { return e }

// What is recorded by many goroutines while others flush and close is written whole, and
// nothing after Close.
func TestLinesAreWholeWhenRecordedConcurrently(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text bytes.Buffer
		l := New(func(lines []byte) { text.Write(lines) }, asIs)
		var all sync.WaitGroup
		const workers, each = 8, 500
		for range workers {
			all.Go(func() {
				for range each {
					l.Record(access.Entry{Verb: "ping", Outcome: "ok"})
				}
				l.Flush(t.Context())
			})
		}
		all.Wait()
		if err := l.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		l.Record(access.Entry{Verb: "late"})
		l.Flush(t.Context())
		lines := strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
		for _, line := range lines {
			if !strings.HasPrefix(line, `{"time":`) || !strings.Contains(line, `"verb":"ping"`) || !strings.HasSuffix(line, "}") {
				t.Fatal(line)
			}
		}
		if len(lines) != workers*each || l.Lost() != 0 {
			t.Errorf("%d lines, %d lost", len(lines), l.Lost())
		}
	})
}

// Close has a time limit, and may be called again.
func TestCloseEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		l := New(func([]byte) { <-stuck }, asIs)
		l.Record(access.Entry{Verb: "ping"})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := l.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		close(stuck)
		if err := l.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
