// Package engine answers MCP from mounted sources.
//
// An [Engine] mounts Sources. A Remote, of package
// [github.com/pagemcp/pagemcp/server/internal/remote], is a Source that is another Engine, so that
// page, gateway and extension run the same code:
//
//	assistant ── Port ── Engine in the gateway
//	                      ├─ "notes+"    Remote ── Port ── Engine in a page
//	                      │                                ├─ ""  idb:///…
//	                      │                                └─ ""  page:///…
//	                      └─ "notes-2+"  Remote ── Port ── Engine in a second tab
//
// A URI is the prefix of the mount and the source's own URI: page:///text in the
// page is notes+page:///text at the gateway; names of prompts and tools get "notes__".
//
// # Writing a source
//
// A [Source] lists what it has, and reads resources; its example is complete. Optional
// interfaces declare further abilities: [Prompter], [Tooler], [Completer]; [Follower]
// announces changes, and knows which URIs are wanted. [Table] has all of them, for
// what is registered one by one. [InvocationOf] returns the request that a source answers:
// progress, log messages, and [Invocation.Ask], which asks the client for input.
//
// # Revisions and files
//
// Sources use the shapes of 2026-07-28. era.go decides the era of each message, revision.go
// knows what each revision has, shape.go makes the result that it allows; classic.go has
// what only the four older revisions have. item.go has the kinds of lists and their entries,
// which stay JSON from source to client. request.go has the life of a request; read.go,
// list.go, named.go, complete.go and listen.go have the methods. registry.go knows which
// URIs clients are subscribed to, interest.go makes sources announce them, subscription.go
// announces them to the client, and outbox.go is the queue of what waits for it. grants.go has the
// user's decisions about assistants, admit.go asks them about each request, access.go replaces
// them; readers.go is what gateways have of them. held.go has calls that wait for their client between two requests,
// and extension.go what packages task and skill need of the engine, which does not know them.
//
// Locks are taken in this order: a client's mu, that of an extension, the mu of an Outbox, the registry's mu. None of
// them is held while a Source is called, but for what [Topics].State asks.
//
// The engine does not know Remote. What both use is in packages of their own: emit writes JSON,
// schema checks it, plain cleans texts, hop has what both sides of a hop agree on. Beyond the
// interfaces of a Source, a Remote uses [Invocation.Round] and [Invocation.ForwardNeed] to
// pass a request on, and [Contents].Relayed for the answer to a read.
package engine
