// Package engine answers MCP from mounted sources.
//
// An [Engine] mounts Sources. A [Remote] is a Source that is another Engine, so that
// page, gateway and extension run the same code:
//
//	assistant ── Port ── Engine in the gateway
//	                      ├─ "notes+"    Remote ── Port ── Engine in a page
//	                      │                                ├─ ""  idb:///…
//	                      │                                └─ ""  page:///…
//	                      └─ "notes-2+"  Remote ── Port ── Engine in a second tab
//
// A URI is the prefix of the mount and the source's own URI: page:///text in the
// page is notes+page:///text at the gateway; names of prompts and tools get "notes.".
//
// # Writing a source
//
// A [Source] lists and reads resources. Optional interfaces declare further abilities:
// [Templater], [Prompter], [Tooler], [Completer]; [Watcher] announces changes, and
// [Follower] knows which URIs are wanted. [Table] has all of them, for what is
// registered one by one. [InvocationOf] returns what a source may know of the request
// that it answers: progress, log messages, and [Invocation.Need], which asks the client
// for input first. See the example of Source.
//
// # Revisions
//
// Requests of 2026-07-28 are answered without state. The four older revisions begin
// with initialize: classic.go has what only they have. The era is decided for each
// message, by era.go. Sources use the shapes of 2026-07-28; revision.go knows what each
// revision has, and shape.go makes the result that it allows.
//
// # Files
//
// request.go has the life of a request. read.go, list.go, named.go, complete.go and
// listen.go have the methods. registry.go knows which URIs clients are subscribed to,
// interest.go makes the sources announce them, subscription.go sends the notifications.
// remote.go and remote_*.go are the client of another engine.
package engine
