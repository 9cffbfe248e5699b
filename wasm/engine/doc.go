// Package engine answers MCP from mounted sources.
//
// An Engine mounts Sources. A Remote is a Source that is another Engine, so that
// page, gateway and extension run the same code:
//
//	assistant ── Port ── Engine in the gateway
//	                      ├─ "notes+"    Remote ── Port ── Engine in a page
//	                      │                                ├─ ""  idb:///…
//	                      │                                └─ ""  page:///…
//	                      └─ "notes-2+"  Remote ── Port ── Engine in a second tab
//
// A URI is the prefix of the mount and the source's own URI: page:///text in the
// page is notes+page:///text at the gateway; the name of a prompt or tool gets
// "notes.". [Attach] has an example.
//
// What a Source can do besides listing and reading is told by the interfaces it
// has: [Templater], [Prompter], [Tooler], [Completer], [Watcher]. What is asked of
// it on behalf of a request comes with an [Invocation]: what the client can do,
// how to tell it of progress, and how to ask it something first.
//
// # Both eras
//
// Protocol 2026-07-28 is the code; revisions 2025-11-25, 2025-06-18, 2025-03-26
// and 2024-11-05 are one file, classic.go. The era is decided for each message
// ([Examine] tells the rules): a request with the envelope of 2026-07-28 in its
// _meta is modern, whatever the connection has seen before.
//
// # Documents, bodies, sinks
//
// The engine does not write bytes. It tells a [Sink] which [Document], immutable
// JSON, answers which call. Natively the Sink of [Engine.Serve] writes them to a
// port. In a browser the Sink holds Documents as objects and fills in text and
// blobs that never enter wasm: a result then is a skeleton and references.
//
// What can be answered from memory is answered at once, on the caller's stack,
// without waiting for anything: [Client.Take] may run inside a wasm export,
// where waiting would corrupt the stack. What may wait, such as a tool, runs in a
// goroutine of its own, for 30 s without a sign of life by default.
//
// # Asking the client
//
// A source that needs something first, a decision or a name, returns the error of
// [Invocation.Need]. A modern client gets it as its result, input_required, and
// sends the request again with the answers; what the source has to remember is in
// requestState, signed, and nothing of it here. A classic client is asked while
// its request runs. The source is the same for both.
package engine
