package remote

import (
	"context"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/hop"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// The result of a function of the page with a ttlMs and hop.KeyTimed is kept for that time, or until the page
// sends hop.NotifyValue for its URI. A result with cacheScope private answers reads of the principal whose
// request it answered, and of no other. Of the parameters of a read only the URI reaches such a function, so
// the URI is the rest of the key. See MCP 2026-07-28, server/utilities/caching, R-229 to R-231.
//
// A client counts ttlMs from when it receives a result, and MCP has nothing like the Age of HTTP. A result
// that has been here for a time is therefore sent with the rest of its ttlMs, rounded down: no client takes
// it for fresh longer than the page has said.

// sweepEvery is the shortest time between two searches of one page for results whose time is over.
const sweepEvery = time.Second

// isFirstRound reports whether a request has no answers to requests for input: results that depend on
// these must not be kept.
func isFirstRound(ctx context.Context) bool {
	inputs, state := engine.InvocationOf(ctx).Round()
	return inputs == nil && state == nil
}

// A mirrorMarking is the page's permission to keep the result of a read.
type mirrorMarking struct {
	published bool // until the page sends a change
	timed     bool // for its ttl at most
}

func (m mirrorMarking) isMarked() bool { return m.published || m.timed }

// readMarking reads it from the _meta of a result.
func readMarking(meta []byte) (m mirrorMarking) {
	if m.published = isTrue(jsonrpc.Member(meta, hop.KeyPublished)); !m.published {
		m.timed = isTrue(jsonrpc.Member(meta, hop.KeyTimed))
	}
	return m
}

func isTrue(value []byte) bool { return string(value) == "true" }

// age returns how long ago a time was, by the clock that says more: the monotonic one stands still while
// the computer sleeps, and the other may be set.
func age(since time.Time) time.Duration {
	now := time.Now()
	return max(0, now.Sub(since), now.Round(0).Sub(since.Round(0)))
}

// isOver reports whether the time of a result is over, of one that has a time.
func (e *mirrored) isOver() bool {
	return e.timed && age(e.since) >= e.lifetime()
}

// lifetime returns how long a result is kept.
func (e *mirrored) lifetime() time.Duration { return min(e.contents[0].Cache.TTL, maxMirroredTime) }

// withRestOfTTL returns contents with the time that is left of their ttl.
func withRestOfTTL(contents []engine.Contents, age time.Duration) []engine.Contents {
	rest := append([]engine.Contents(nil), contents...)
	rest[0].Cache.TTL -= age
	return rest
}

// sweepLater drops results when their time is over, also if nothing reads them: they may be private. The
// Mirror's mu is held.
func (m *pageMirror) sweepLater(after time.Duration) {
	after = max(after, sweepEvery)
	at := time.Now().Add(after)
	switch {
	case m.sweeper == nil:
		m.sweeper = time.AfterFunc(after, m.sweep)
	case at.Before(m.sweepAt):
		m.sweeper.Reset(after)
	default:
		return
	}
	m.sweepAt = at
}

func (m *pageMirror) sweep() {
	m.share.mirror.mu.Lock()
	defer m.share.mirror.mu.Unlock()
	m.sweeper = nil
	next := time.Duration(0)
	for e := range m.all() {
		if !e.timed {
			continue
		}
		if e.isOver() {
			m.drop(e)
			continue
		}
		if rest := e.lifetime() - age(e.since); next == 0 || rest < next {
			next = rest
		}
	}
	if next > 0 {
		m.sweepLater(next)
	}
}
