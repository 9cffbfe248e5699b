package engine

import (
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Sources, Sinks and the functions in Options are code of others and may panic. Two rules
// keep a panic from harming other requests: they are never called while a lock is held
// that a defer does not release, and goroutines of the engine call them under safely, so
// that a panic never ends the process.

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
	defer func() { recover() }() // a panic of Report cannot be reported
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
