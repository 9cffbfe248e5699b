package engine

import (
	"sync/atomic"

	"github.com/pagemcp/pagemcp/wasm/internal/hop"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A gateway may answer with a Completion that is Fixed by itself: the result is marked by
// hop.KeyPublished. It gets hop.NotifyValue when a mount, or what a Table has, changes: then another
// source, prompt or template may answer.

type fixedCompletions struct {
	changes atomic.Uint64
	isKept  atomic.Bool // by a gateway, perhaps
}

// mark returns the _meta of a result, or nil if something has changed since there were so many
// changes. In the wasm program nothing runs between this and the Sink, so a gateway gets a later
// change after the result.
func (f *fixedCompletions) mark(changes uint64) []byte {
	f.isKept.Store(true) // before the comparison: one of both sees a concurrent change
	if f.changes.Load() != changes {
		return nil
	}
	return []byte(`{"` + hop.KeyPublished + `":true}`)
}

// dropCompletions has gateways drop what they keep. Not inlined: it is called in four places, and every page pays for
// their code.
//
//go:noinline
func (e *Engine) dropCompletions() {
	e.fixedCompletions.changes.Add(1)
	if !e.fixedCompletions.isKept.Swap(false) {
		return
	}
	for _, c := range e.connected() {
		e.safely("a Sink", c.dropCompletions)
	}
}

func (c *Client) dropCompletions() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.proxy && !c.closed {
		c.sink.Notify(&sink.Document{JSON: jsonrpc.AppendNotification(nil, hop.NotifyValue, []byte(`{"completions":true}`))}, 0)
	}
}

// completionsChange handles a change of a Table.
func (e *Engine) completionsChange(change Change) {
	if change.lists() != 0 {
		e.dropCompletions()
	}
}
