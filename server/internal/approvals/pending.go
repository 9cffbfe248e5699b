package approvals

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Bounds of what waits for a decision.
const (
	maxPending  = 32               // questions; the oldest is dropped for a further one
	maxDecided  = 256              // ids of questions that are remembered after their decision
	maxID       = 128              // bytes of an id
	pendingTime = 10 * time.Minute // then a question is dropped; the terminal still shows it
)

var (
	errNotPending = errors.New("the question is not open any more")
	errIncomplete = errors.New("not all of the input is known here: allow it in the terminal")
)

// An entry is a question that waits for a decision. It never changes: other content under the
// same id gets another number, so that a decision is about what its user has seen.
type entry struct {
	number  int64
	id      string
	content [sha256.Size]byte // digest of all texts
	shown   shownQuestion
	asked   time.Time
	expiry  *time.Timer
}

// pending is the list of questions that wait for a decision, oldest first.
type pending struct {
	mu      sync.Mutex
	last    int64 // number of the newest entry
	entries []*entry
	decided []string      // ids, newest last
	changed chan struct{} // closed at the next change
}

func newPending() *pending { return &pending{changed: make(chan struct{})} }

// add adds a question. It returns false if it is shown already, or was decided: a question
// gets one answer.
func (p *pending) add(q Question) bool {
	if q.ID == "" || len(q.ID) > maxID {
		return false
	}
	shown := showQuestion(q)
	content := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", q.Tool, q.Description, q.Preview))
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Contains(p.decided, q.ID) {
		return false
	}
	same := func(e *entry) bool { return e.id == q.ID }
	if at := slices.IndexFunc(p.entries, same); at >= 0 {
		if p.entries[at].content == content {
			return false
		}
		p.remove(at)
	}
	if len(p.entries) == maxPending {
		p.remove(0)
	}
	p.last++
	e := &entry{number: p.last, id: q.ID, content: content, shown: shown, asked: time.Now()}
	e.expiry = time.AfterFunc(pendingTime, func() { p.drop(e.number) })
	p.entries = append(p.entries, e)
	p.announce()
	return true
}

// decide removes the question with this number and returns its id and its tool. The caller sends the
// answer: no second one is possible.
func (p *pending) decide(number int64, allow bool) (id, tool string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.find(number)
	if at < 0 {
		return "", "", errNotPending
	}
	e := p.entries[at]
	if allow && !e.shown.Complete {
		return "", "", errIncomplete
	}
	p.remove(at)
	if p.decided = append(p.decided, e.id); len(p.decided) > maxDecided {
		p.decided = slices.Delete(p.decided, 0, 1)
	}
	p.announce()
	return e.id, e.shown.Tool, nil
}

// drop removes a question without an answer, if it is still there.
func (p *pending) drop(number int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := p.find(number); at >= 0 {
		p.remove(at)
		p.announce()
	}
}

// clear drops all questions.
func (p *pending) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.entries) > 0 {
		p.remove(0)
	}
	p.announce()
}

// list returns what the page shows, and a channel that is closed when it changes.
func (p *pending) list() (shown []shownQuestion, changed <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	shown = []shownQuestion{}
	for _, e := range p.entries {
		one := e.shown
		one.Number, one.AgeSeconds = e.number, int(time.Since(e.asked).Seconds())
		shown = append(shown, one)
	}
	return shown, p.changed
}

func (p *pending) isEmpty() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.entries) == 0
}

// The following functions are for callers that hold the lock.

func (p *pending) find(number int64) int {
	return slices.IndexFunc(p.entries, func(e *entry) bool { return e.number == number })
}

func (p *pending) remove(at int) {
	p.entries[at].expiry.Stop()
	p.entries = slices.Delete(p.entries, at, at+1)
}

func (p *pending) announce() {
	close(p.changed)
	p.changed = make(chan struct{})
}
