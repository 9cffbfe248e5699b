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

// An audit log says who asked for what and what became of it, as JSON lines. It
// never holds contents. Lines are written by a goroutine of its own, many at a time:
// an answer never waits for the disk. If the disk is slower than what has to be
// noted for long, lines are left out, and one line says how many.
type audit struct {
	disk disk

	mu         sync.Mutex
	pending    []byte     // not written yet
	dropped    int        // lines that were left out since
	suppressed int        // refusals of unknown clients that were left out, of which no line says so yet
	total      int        // lines so far, with those left out
	written    int        // of these
	changed    *sync.Cond // of all this
	closed     bool
	ended      bool

	refusals *rate.Limiter // of lines about unknown clients

	file diskFile // the writer's
	size int64
}

// maxAuditQueue is what may wait for the disk.
const maxAuditQueue = 1 << 20 // bytes

// Names of the log and of its older half.
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

// Lines about unknown clients: any web site can have itself refused, as often as it likes.
const (
	refusalRate  = rate.Limit(5) // a second
	refusalBurst = 100
)

// Refuse notes that a client was refused before it was known. Of many refusals at once
// some are left out, and a later line says how many: the next one, whatever it is about.
func (a *audit) RecordRefusal(e access.Entry) {
	e.Principal, e.Endpoint = engine.PlainText(e.Principal, maxVerb), engine.PlainText(e.Endpoint, maxVerb)
	if a.suppress() {
		return
	}
	a.Record(e)
}

func (a *audit) suppress() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed || a.refusals.Allow() {
		return false
	}
	a.suppressed++
	return true
}

// leftOut is the line that says how many refusals were left out.
func suppressedLine(count int) []byte {
	line, _ := json.Marshal(access.Entry{Time: time.Now(), Endpoint: "audit", Verb: "refuse", Outcome: "left out", Count: count})
	return append(line, '\n')
}

// Note adds one line. It never waits for the disk.
func (a *audit) Record(e access.Entry) {
	e.Time = time.Now()
	e.URI = truncateText(e.URI, limits.MaxURI)
	e.Verb = truncateText(e.Verb, maxVerb) // an unknown method may be as long as a message
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

// maxVerb is the longest name of a method that is noted whole.
const maxVerb = 128 // bytes

// cutText returns the first bytes of text, at most so many, without half a rune at
// the end.
func truncateText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "")
}

// take waits for lines to write. ok is false when there will be none.
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

// write writes what is noted, until close. A disk that is full stops no assistant.
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

// flush returns when all that was noted before is written.
func (a *audit) flush() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for noted := a.total; a.written < noted && !a.ended; {
		a.changed.Wait()
	}
}

// close writes what is left and ends the log.
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
