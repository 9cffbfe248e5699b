package server

import (
	"strings"
	"sync"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"golang.org/x/time/rate"
)

// audit writes the audit log: principal, request and outcome of each decision as JSON
// lines, never contents. A goroutine writes lines in batches, so that no response waits
// for the disk. If the disk is too slow, lines are dropped and counted by a line of
// their own.
type audit struct {
	disk disk

	mu         sync.Mutex
	pending    []byte     // lines to write
	dropped    int        // lines dropped since the last line about that
	suppressed int        // refusals not recorded since the last line about that
	total      int        // lines so far, dropped ones included
	written    int        // of total
	changed    *sync.Cond // signals changes of the fields above
	closed     bool
	ended      bool

	refusals *rate.Limiter // rate of lines about unknown clients

	file diskFile // used by the writing goroutine only
	size int64
}

// maxAuditQueue is the size of the lines that may wait for the disk.
const maxAuditQueue = 1 << 20 // bytes

// Names of the current and the previous log file.
const (
	auditFile  = "audit.jsonl"
	auditOlder = "audit.1.jsonl"
)

func openAudit(s *state) (*audit, error) {
	a := &audit{disk: s.disk, refusals: rate.NewLimiter(refusalRate, refusalBurst)}
	a.changed = sync.NewCond(&a.mu)
	if err := a.open(); err != nil {
		return nil, err
	}
	go a.write() // ends with close
	return a, nil
}

func (a *audit) open() (err error) {
	a.file, a.size, err = a.disk.Append(auditFile)
	return err
}

// Limits of lines about unknown clients: any web site can cause refusals at any rate.
const (
	refusalRate  = rate.Limit(5) // a second
	refusalBurst = 100
)

// RecordRefusal implements access.Audit. Refusals beyond refusalRate are counted by a
// later line.
func (a *audit) RecordRefusal(e access.Entry) {
	e.Principal, e.Endpoint = engine.PlainText(e.Principal, maxVerb), engine.PlainText(e.Endpoint, maxVerb)
	if a.suppress() {
		return
	}
	a.Record(e)
}

// suppress reports whether a refusal exceeds refusalRate, and counts it if so.
func (a *audit) suppress() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed || a.refusals.Allow() {
		return false
	}
	a.suppressed++
	return true
}

// suppressedLine returns the line with the number of refusals that were not recorded.
func suppressedLine(count int) []byte {
	line, _ := json.Marshal(access.Entry{Time: time.Now(), Endpoint: "audit", Verb: "refuse", Outcome: "left out", Count: count})
	return append(line, '\n')
}

// Record implements access.Audit. It adds one line and never waits for the disk.
func (a *audit) Record(e access.Entry) {
	e.Time = time.Now()
	e.URI = truncateText(e.URI, limits.MaxURI)
	e.Verb = truncateText(e.Verb, maxVerb) // the name of an unknown method may be as long as a message
	line, err := json.Marshal(e)
	if err != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.suppressed > 0 && !a.closed && len(a.pending) < maxAuditQueue {
		a.pending = append(a.pending, suppressedLine(a.suppressed)...)
		a.suppressed = 0
	}
	switch {
	case a.closed:
		return
	case len(a.pending)+len(line) >= maxAuditQueue:
		a.dropped++
	default:
		a.pending = append(append(a.pending, line...), '\n')
	}
	a.total++
	a.changed.Broadcast()
}

// maxVerb is the length to which names of methods are truncated.
const maxVerb = 128 // bytes

// truncateText returns at most limit bytes of text, without a partial rune at the end.
func truncateText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "")
}

// nextBatch waits for lines to write. ok is false when the log is closed and all lines
// are written.
func (a *audit) nextBatch() (lines []byte, noted int, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.written == a.total && !a.closed {
		a.changed.Wait()
	}
	if a.written == a.total {
		return nil, 0, false
	}
	lines = a.pending
	a.pending = nil
	if a.dropped > 0 {
		line, _ := json.Marshal(access.Entry{Time: time.Now(), Endpoint: "audit", Verb: "left out", Outcome: "dropped", Count: a.dropped})
		lines = append(append(lines, line...), '\n')
		a.dropped = 0
	}
	return lines, a.total, true
}

// write writes lines until close. Errors are ignored: a full disk must not stop the
// gateway.
func (a *audit) write() {
	defer a.finish()
	for {
		lines, noted, ok := a.nextBatch()
		if !ok {
			return
		}
		a.appendToFile(lines)
		a.markWritten(noted)
	}
}

func (a *audit) appendToFile(lines []byte) {
	if a.size > limits.MaxAuditFile {
		a.file.Close()
		a.file = nil
		a.disk.Rename(auditFile, auditOlder)
	}
	if a.file == nil && a.open() != nil {
		a.file = nil
		return
	}
	n, _ := a.file.Write(lines)
	a.size += int64(n)
}

func (a *audit) markWritten(noted int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.written = noted
	a.changed.Broadcast()
}

func (a *audit) finish() {
	if a.file != nil {
		a.file.Close()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended = true
	a.changed.Broadcast()
}

// flush waits until all lines recorded so far are written.
func (a *audit) flush() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for noted := a.total; a.written < noted && !a.ended; {
		a.changed.Wait()
	}
}

// close writes the remaining lines and closes the log.
func (a *audit) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.suppressed > 0 && !a.closed {
		a.pending = append(a.pending, suppressedLine(a.suppressed)...)
		a.suppressed = 0
		a.total++
	}
	a.closed = true
	a.changed.Broadcast()
	for !a.ended {
		a.changed.Wait()
	}
}
