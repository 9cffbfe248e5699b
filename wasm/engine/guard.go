package engine

import "github.com/pagemcp/pagemcp/wasm/jsonrpc"

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

// forget passes Documents to Options.Forget, with no lock held.
func (e *Engine) forget(documents []*Document) {
	for _, document := range documents {
		if document != nil {
			e.safely("Options.Forget", func() { e.options.Forget(document) })
		}
	}
}
