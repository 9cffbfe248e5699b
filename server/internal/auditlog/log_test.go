package auditlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	json "github.com/go-json-experiment/json"
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

// entriesOf returns what lines say.
func entriesOf(t *testing.T, lines []byte) (entries []access.Entry) {
	t.Helper()
	for line := range bytes.Lines(lines) {
		var e access.Entry
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		entries = append(entries, e)
	}
	return entries
}

// A writer that hangs delays no request. Lines recorded meanwhile are bounded, and written in order
// later; dropped lines are counted.
func TestRecordNeverWaitsForTheWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text []byte
		stuck := make(chan struct{})
		l := New(func(lines []byte) { <-stuck; text = append(text, lines...) }, asIs)
		const many = 2 * MaxQueue / 100
		for i := range many {
			l.Record(access.Entry{Verb: "resources/read", URI: fmt.Sprint("a:", i), Outcome: "ok"})
			if i == 0 {
				synctest.Wait() // the writer has it
			}
		}
		close(stuck)
		if err := l.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		entries := entriesOf(t, text)
		written, last := len(entries)-1, entries[len(entries)-1]
		if last.Outcome != "dropped" || written+last.Count != many || last.Count == 0 || uint64(last.Count) != l.Lost() || len(text) > MaxQueue+1_000 {
			t.Errorf("%d lines and %d bytes are written, %d are lost of %d; the last is %+v", written, len(text), l.Lost(), many, last)
		}
		for i, e := range entries[:written] {
			if e.URI != fmt.Sprint("a:", i) {
				t.Fatalf("line %d: %+v", i, e)
			}
		}
	})
}

// Requests that are rejected again and again do not fill the log: lines and counts together are
// all refusals.
func TestAuditCountsRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text []byte
		l := New(func(lines []byte) { text = append(text, lines...) }, asIs)
		const many = 10_000
		for i := range many {
			l.RecordRefusal(access.Entry{Principal: strings.Repeat("x", 32<<10), Endpoint: "/mcp", Verb: "refuse", Outcome: "403"})
			if i == many/2 {
				l.Record(access.Entry{Verb: "resources/read", Outcome: "ok"})
			}
		}
		if err := l.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		lines, counted := 0, 0
		for _, e := range entriesOf(t, text) {
			switch {
			case e.Verb == "left out":
				counted += e.Count
			case e.Verb == "refuse":
				lines++
			}
		}
		if lines != RefusalBurst || lines+counted != many || l.Lost() != many-RefusalBurst || len(text) > 100<<10 {
			t.Errorf("%d lines and %d counted, of %d; %d are lost, %d bytes", lines, counted, many, l.Lost(), len(text))
		}
	})
}
