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

	mu      sync.Mutex
	lines   []byte     // not written yet
	left    int        // lines that were left out since
	refused int        // refusals of unknown clients that were left out, of which no line says so yet
	noted   int        // lines so far, with those left out
	written int        // of these
	changed *sync.Cond // of all this
	closed  bool
	ended   bool

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
func (a *audit) Refuse(e access.Entry) {
	e.Who, e.Door = engine.PlainText(e.Who, maxVerb), engine.PlainText(e.Door, maxVerb)
	if a.skips() {
		return
	}
	a.Note(e)
}

func (a *audit) skips() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed || a.refusals.Allow() {
		return false
	}
	a.refused++
	return true
}

// leftOut is the line that says how many refusals were left out.
func leftOut(count int) []byte {
	line, _ := json.Marshal(access.Entry{Time: time.Now(), Door: "audit", Verb: "refuse", Outcome: "left out", Count: count})
	return append(line, '\n')
}

// Note adds one line. It never waits for the disk.
func (a *audit) Note(e access.Entry) {
	e.Time = time.Now()
	e.URI = cutText(e.URI, limits.MaxURI)
	e.Verb = cutText(e.Verb, maxVerb) // an unknown method may be as long as a message
	line, err := json.Marshal(e)
	if err != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.refused > 0 && !a.closed && len(a.lines) < maxAuditQueue {
		a.lines = append(a.lines, leftOut(a.refused)...)
		a.refused = 0
	}
	switch {
	case a.closed:
		return
	case len(a.lines)+len(line) >= maxAuditQueue:
		a.left++
	default:
		a.lines = append(append(a.lines, line...), '\n')
	}
	a.noted++
	a.changed.Broadcast()
}

// maxVerb is the longest name of a method that is noted whole.
const maxVerb = 128 // bytes

// cutText returns the first bytes of text, at most so many, without half a rune at
// the end.
func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// take waits for lines to write. ok is false when there will be none.
func (a *audit) take() (lines []byte, noted int, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.written == a.noted && !a.closed {
		a.changed.Wait()
	}
	if a.written == a.noted {
		return nil, 0, false
	}
	lines = a.lines
	a.lines = nil
	if a.left > 0 {
		line, _ := json.Marshal(access.Entry{Time: time.Now(), Door: "audit", Verb: "left out", Outcome: "dropped", Count: a.left})
		lines = append(append(lines, line...), '\n')
		a.left = 0
	}
	return lines, a.noted, true
}

// write writes what is noted, until close. A disk that is full stops no assistant.
func (a *audit) write() {
	defer a.end()
	for {
		lines, noted, ok := a.take()
		if !ok {
			return
		}
		a.put(lines)
		a.done(noted)
	}
}

func (a *audit) put(lines []byte) {
	if a.size > limits.AuditSize {
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

func (a *audit) done(noted int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.written = noted
	a.changed.Broadcast()
}

func (a *audit) end() {
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
	for noted := a.noted; a.written < noted && !a.ended; {
		a.changed.Wait()
	}
}

// close writes what is left and ends the log.
func (a *audit) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.refused > 0 && !a.closed {
		a.lines = append(a.lines, leftOut(a.refused)...)
		a.refused = 0
		a.noted++
	}
	a.closed = true
	a.changed.Broadcast()
	for !a.ended {
		a.changed.Wait()
	}
}
