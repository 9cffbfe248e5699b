// Package auditlog writes the entries of an audit log in the background, so that no
// response waits for the disk or the pipe.
package auditlog

import (
	"context"
	"strings"
	"sync"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/plain"
	"golang.org/x/time/rate"
)

// A Log is an [access.Audit] that writes JSON lines. A goroutine writes them in batches.
// If the writer is too slow, lines are dropped and counted by a line of their own.
type Log struct {
	write func(lines []byte)
	line  func(access.Entry) any

	mu      sync.Mutex
	pending []byte     // lines to write
	skipped int        // lines for which there was no room, and refusals over the rate, since the last line about that
	lost    uint64     // the same since New
	total   int        // lines so far, dropped ones included
	written int        // of total
	changed *sync.Cond // signals changes of the fields above
	closed  bool
	ended   chan struct{} // closed when the goroutine has ended

	refusals *rate.Limiter // rate of lines about unknown clients
}

// Limits of what is kept and recorded.
const (
	// MaxQueue is the size of the lines that may wait for the writer.
	MaxQueue = 1 << 20 // bytes

	// MaxVerb is the length to which names of methods are truncated.
	MaxVerb = 128 // bytes

	// RefusalBurst is the number of refusals that are recorded at once. refusalRate is the
	// rate of further ones: any web site can cause refusals at any rate.
	RefusalBurst = 100
	refusalRate  = rate.Limit(5) // a second
)

// New returns a Log. One goroutine calls write, with one or several whole lines, until
// Close. line returns what is encoded for an entry, and must not block.
func New(write func(lines []byte), line func(access.Entry) any) *Log {
	l := &Log{write: write, line: line, ended: make(chan struct{}), refusals: rate.NewLimiter(refusalRate, RefusalBurst)}
	l.changed = sync.NewCond(&l.mu)
	go l.run() // ends with Close
	return l
}

// RecordRefusal implements access.Audit. Refusals beyond the rate are counted by a later
// line.
func (l *Log) RecordRefusal(e access.Entry) {
	if l.suppress() {
		return
	}
	e.Principal, e.Endpoint = plain.Text(e.Principal, MaxVerb), plain.Text(e.Endpoint, MaxVerb)
	l.Record(e)
}

// suppress reports whether a refusal exceeds the rate, and counts it if so.
func (l *Log) suppress() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.refusals.Allow() {
		return false
	}
	l.skipped++
	l.lost++
	return true
}

// encode returns the line of an entry, or nil. An entry without a time is of now.
func (l *Log) encode(e access.Entry) []byte {
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	line, err := json.Marshal(l.line(e))
	if err != nil {
		return nil
	}
	return append(line, '\n')
}

// Record implements access.Audit. It adds one line and never waits for the writer.
func (l *Log) Record(e access.Entry) {
	e = Bounded(e)
	line := l.encode(e)
	if line == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return
	case len(l.pending)+len(line) > MaxQueue:
		l.skipped++
		l.lost++
	default:
		l.pending = append(l.pending, line...)
	}
	l.total++
	l.changed.Broadcast()
}

// Bounded returns an entry whose texts of clients are truncated.
func Bounded(e access.Entry) access.Entry {
	e.URI = Truncate(e.URI, limits.MaxURI)
	e.Verb = Truncate(e.Verb, MaxVerb) // the name of an unknown method may be as long as a message
	return e
}

// Truncate returns at most limit bytes of text, without a partial rune at the end.
func Truncate(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "")
}

// Lost returns the number of entries since New that have no line of their own.
func (l *Log) Lost() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}

// run writes lines until Close.
func (l *Log) run() {
	defer close(l.ended)
	for {
		lines, noted, ok := l.nextBatch()
		if !ok {
			return
		}
		l.write(lines)
		l.markWritten(noted)
	}
}

// nextBatch waits for lines to write. ok is false when the log is closed and all lines
// are written.
func (l *Log) nextBatch() (lines []byte, noted int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.written == l.total && !l.closed {
		l.changed.Wait()
	}
	if l.written == l.total {
		return nil, 0, false
	}
	lines = l.pending
	l.pending = nil
	if l.skipped > 0 {
		lines = append(lines, l.encode(access.Entry{Endpoint: "audit", Verb: "left out", Outcome: "dropped", Count: l.skipped})...)
		l.skipped = 0
	}
	return lines, l.total, true
}

func (l *Log) markWritten(noted int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.written = noted
	l.changed.Broadcast()
}

// Flush waits until all lines recorded so far are written, or ctx ends: a disk may hang.
func (l *Log) Flush(ctx context.Context) {
	defer context.AfterFunc(ctx, l.wake)()
	l.mu.Lock()
	defer l.mu.Unlock()
	for noted := l.total; l.written < noted && ctx.Err() == nil; {
		l.changed.Wait()
	}
}

func (l *Log) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changed.Broadcast()
}

// Close writes the remaining lines and ends the log: later entries are ignored. If ctx
// ends first, Close returns its error; a write that blocks goes on.
func (l *Log) Close(ctx context.Context) error {
	l.close()
	select {
	case <-l.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *Log) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.skipped > 0 && !l.closed {
		l.total++ // the line about that
	}
	l.closed = true
	l.changed.Broadcast()
}
