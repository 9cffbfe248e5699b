package engine

import (
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Sources, Sinks and the functions in Options are other people's code and may
// panic. Two rules keep a panic from harming other requests: none of them is
// called while a lock is held that is not released by a defer, and a goroutine of
// the engine calls them under safely, so that a panic never ends the process.

// safely calls f and reports a panic. ok is false if there was one.
func (e *Engine) safely(what string, f func()) (ok bool) {
	defer func() {
		if !ok {
			e.report(jsonrpc.Wrap(what, jsonrpc.Panicked(recover())))
		}
	}()
	f()
	return true
}

// report passes an error to Options.Report. It never panics.
func (e *Engine) report(err error) {
	defer func() { recover() }() // there is nowhere left to report a panic of Report
	e.options.Report(err)
}

// OnForget sets the function that gets each kept Document that the engine will not
// use again. It is for the wasm program, whose JavaScript holds Documents, and is
// called before Mount and Connect. f must not block or call the engine.
func (e *Engine) OnForget(f func(*sink.Document)) { e.onForget = f }

// forget passes Documents to the function of OnForget, with no lock held.
func (e *Engine) forget(documents []*sink.Document) {
	if e.onForget == nil {
		return
	}
	for _, document := range documents {
		if document != nil {
			e.safely("the function of OnForget", func() { e.onForget(document) })
		}
	}
}
