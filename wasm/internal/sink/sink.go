// Package sink is the boundary between an engine and a program that carries the
// messages of its clients itself, as the wasm program does for the browser.
//
// An engine does not write bytes. It passes a [Sink] the [Document], immutable
// JSON, that answers a [Call]. The Sink of engine.Serve writes them to a port. The
// wasm program's Sink holds Documents as JavaScript objects under handles and adds
// the text and blobs that never enter wasm: a [Result] then is a skeleton and the
// numbers of what belongs in it.
package sink

import "github.com/pagemcp/pagemcp/wasm/jsonrpc"

// A Call names one request of one client, in the numbering of the client's Sink.
// It lives from [Sink.Open], or from Client.Take, until the Sink gets the outcome.
// Zero is no call.
type Call int32

// A Method is the number of a request's method: an index into engine.Methods.
type Method uint8

// A Sink takes what the engine sends to one client. It knows the ids: the engine
// only knows calls. No method may block or call the engine; the engine calls them
// from one goroutine at a time for each client.
type Sink interface {
	// Open gives a number to the request with this id, which came by
	// Client.Message. It returns false for an id that still waits for its answer.
	Open(id jsonrpc.ID) (Call, bool)

	// Find returns the call of an id that still waits for its answer.
	Find(id jsonrpc.ID) (Call, bool)

	// Respond ends call with a result.
	Respond(call Call, result Result)

	// Fail ends call with an error.
	Fail(call Call, err *jsonrpc.Error)

	// Drop ends call without an answer: it was cancelled.
	Drop(call Call)

	// End ends a subscription from the engine's side: the Sink adds the id of
	// call as io.modelcontextprotocol/subscriptionId to the result's _meta (which
	// is there), sends it as the answer, and then, since a Sink is a shared
	// channel, notifications/cancelled with that id as requestId. MCP 2026-07-28,
	// basic/patterns/subscriptions and cancellation.
	End(call Call, result *Document)

	// Refuse answers a message whose id could not be read or is in use: an error
	// without id.
	Refuse(err *jsonrpc.Error)

	// Notify sends a message that belongs to call, or to none. See Relation for what the Sink
	// adds to it.
	Notify(message *Document, call Call, as Relation)

	// Announce sends a notification about a topic, which the Sink makes by Take when it can
	// send it. Until then the engine does not announce the topic again.
	Announce(topic Topic)
}

// A Relation says what the Sink adds to the `_meta` of the params of a message, which is there
// and empty: the text `"_meta":{}` occurs in the Document, first as this member.
type Relation uint8

const (
	Plain          Relation = iota // nothing
	OfSubscription                 // the id of the call, as io.modelcontextprotocol/subscriptionId
	OfRequest                      // the id of the call, as engine.MetaRequest: a log message, or a request to a classic client
)

// A Topic is what clients are notified about.
type Topic interface {
	// Take returns the notification as it is now, and the subscription that it belongs to; 0 for
	// one of a session, whose notifications have no id. The Document is nil if none is to be sent
	// any more. The caller holds the client's mu, as the caller of Announce does.
	Take() (notification *Document, subscription Call)
}

// A Document is immutable JSON text, built once and used many times: a whole
// result, the skeleton of one, or a whole notification (a JSON-RPC message
// without id). Sinks that hold Documents in another form note it in Handle.
type Document struct {
	JSON   []byte
	Handle int32 // for the Sink's own use; zero until a Sink sets it
	Kept   bool  // the engine keeps it and will use it again; else it is used once

	// Optional: progress or a log message, which a Sink drops while much waits for
	// a client that does not read.
	Optional bool
}

// A Result is a Document, or a skeleton and where its contents are.
type Result struct {
	Document *Document

	// Refs, if there are any, say for each item of the Document's "contents"
	// which text or blob belongs in it; zero: it is complete. The Sink adds a
	// member "text" or "blob". Where the item has a "_meta", the Sink may add to it, or
	// remove it if it is empty.
	Refs []Ref

	// URI is put into contents[0].uri, whose value in the skeleton is "". Empty:
	// the skeleton has its URIs.
	URI string

	// Modern: the request is one of 2026-07-28. For Client.FailCall.
	Modern bool

	// Written is called once: when the answer is written, or will not be. It does not block. May
	// be nil.
	Written func()

	// Variables of the template that matched URI, as a JSON object of strings and
	// arrays of strings, for the provider behind Refs[0]; nil: no template.
	Variables []byte
}

// A Ref is the number of a text or blob that lives with the Sink, in the page's
// JavaScript, and never enters the engine. Zero is no reference.
type Ref int32

// Outcome says what became of a request that was taken.
type Outcome uint8

const (
	Answered Outcome = iota // the Document that came back is the whole result, with the Ref beside it
	Sent                    // the Sink got the outcome during the call
	Pending                 // the Sink gets the outcome later
)
