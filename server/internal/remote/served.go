package remote

import (
	"strconv"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/hop"
)

// Reads that were answered without the page. Reports of them go to the page, for its audit and for
// what it shows to its user. They are collected, since a message for each would cost as much as the
// read.

const (
	servedEvery = time.Second // between two messages
	maxServed   = 256         // different reads in a message; further ones are counted without their URI
)

// A servedRead is one or more reads that differ in nothing that the page shows.
type servedRead struct{ assistant, callsItself, uri, reason string }

type servedCount struct{ count, bytes int }

// served collects reads until the next report.
type served struct {
	mu     sync.Mutex
	counts map[servedRead]servedCount
	timer  *time.Timer // nil: none runs
}

func (s *served) note(r *Remote, read servedRead, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counts == nil {
		s.counts = map[servedRead]servedCount{}
	}
	if _, known := s.counts[read]; !known && len(s.counts) >= maxServed {
		read = servedRead{reason: read.reason, assistant: read.assistant}
		if _, known := s.counts[read]; !known && len(s.counts) >= 2*maxServed {
			return
		}
	}
	c := s.counts[read]
	s.counts[read] = servedCount{c.count + 1, bytes}
	s.start(r)
}

// start starts the timer; s.mu is held.
func (s *served) start(r *Remote) {
	if s.timer == nil {
		s.timer = time.AfterFunc(servedEvery, func() { s.tell(r) })
	}
}

// returned tells the page, which has come back or is awake again, of reads while it was away.
func (s *served) returned(r *Remote) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.counts) > 0 {
		s.start(r)
	}
}

// tell sends what was collected. While the page is away or asleep it is kept.
func (s *served) tell(r *Remote) {
	l := r.awake()
	if params := s.take(l); params != nil {
		l.conn.Notify(hop.NotifyServed, params)
	}
}

// take returns the params of a message; nil: there is none, or no page. The next read, or the
// return of the page, starts the timer again.
func (s *served) take(l *link) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timer = nil
	if l == nil || len(s.counts) == 0 {
		return nil
	}
	params, i := emit.JSON(`{"reads":`), 0
	for read, c := range s.counts {
		params.Text(emit.Separator(i))
		i++
		params.Text(`{"assistant":`)
		params.Quote(read.assistant)
		for _, member := range [...][2]string{{"callsItself", read.callsItself}, {"uri", read.uri}, {"reason", read.reason}} {
			if member[1] != "" {
				params.Name(member[0])
				params.Quote(member[1])
			}
		}
		params.Text(`,"count":` + strconv.Itoa(c.count) + `,"bytes":` + strconv.Itoa(c.bytes) + "}")
	}
	params.Text("]}")
	clear(s.counts)
	return params
}

// unitsOf returns the UTF-16 code units of a text.
func unitsOf(text string) (units int) {
	for _, r := range text {
		units++
		if r > 0xFFFF {
			units++
		}
	}
	return units
}
