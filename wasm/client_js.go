package main

import (
	"unsafe"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

//lint:file-ignore U1000 JavaScript calls the exports; staticcheck does not know //go:wasmexport

// Answers of take, besides the handle of a Document, which is positive.
const (
	sent    int32 = -3 // the answer, or an error, was recorded during the call
	pending int32 = -4 // the answer follows by an import, later
)

// connect makes a client of the shim's number. input[:n] is its principal. gateway
// is 1 if it is a gateway that has proved its identity: it may send requests on behalf of others.
//
//go:wasmexport connect
func connect(client, gateway, n int32) (result int32) {
	defer recovered("connect", &result)
	c := serving.Connect(&clientSink{client}, engine.Principal(string(input[:n])))
	if gateway != 0 {
		c.SpeakForOthers()
	}
	clients[client] = c
	return done
}

// disconnect forgets a client: its port is closed.
//
//go:wasmexport disconnect
func disconnect(client int32) (result int32) {
	defer recovered("disconnect", &result)
	if c := clients[client]; c != nil {
		delete(clients, client)
		c.Close()
	}
	return done
}

// take is the fast path: one request whose envelope JavaScript has checked and
// whose id it keeps. method is an index into engine.Methods, params are the first
// n bytes of input, JSON text; below 0: none. JavaScript numbers the calls, over
// all clients. Before it returns the handle of a skeleton, it calls refer.
//
//go:wasmexport take
func take(client, call, method, n int32) (result int32) {
	defer recovered("take", &result)
	c := clients[client]
	if c == nil {
		return sent // disconnected meanwhile: there is no answer
	}
	var params []byte
	if n >= 0 {
		params = input[:n]
	}
	return outcome(c.Take(sink.Call(call), sink.Method(method), params))
}

// outcome is the answer of take.
func outcome(document *sink.Document, ref sink.Ref, what sink.Outcome) int32 {
	switch what {
	case sink.Answered:
		if ref != 0 {
			refer(int32(ref))
		}
		return jsDocuments.handle(document)
	case sink.Sent:
		return sent
	}
	return pending
}

// message is the general path: the first n bytes of input are a whole message,
// JSON text. Its outcome is recorded, now or later. It answers idle to a read that is
// answered at once.
//
//go:wasmexport message
func message(client, n int32) (result int32) {
	defer recovered("message", &result)
	if c := clients[client]; c != nil && c.Message(input[:n]) {
		return idle
	}
	return done
}

// cancel cancels a call of the client.
//
//go:wasmexport cancel
func cancel(client, call int32) (result int32) {
	defer recovered("cancel", &result)
	if c := clients[client]; c != nil {
		c.Cancel(sink.Call(call))
	}
	return done
}

// fail ends a call whose contents JavaScript could not get. modern is 1 if its
// result would have been one of 2026-07-28. input[:n] is the URI that was read.
//
//go:wasmexport fail
func fail(client, call, reason, modern, n int32) (result int32) {
	defer recovered("fail", &result)
	if c := clients[client]; c != nil {
		uri := string(input[:n])
		c.FailCall(sink.Call(call), uri, modern != 0, reasonError(reason))
	}
	return done
}

// Reasons why JavaScript has no answer. web/src/wasm-numbers.ts has the
// same numbers.
const (
	reasonNone int32 = iota
	reasonInternal
	reasonNotFound
	reasonBadCursor
	reasonTimeout
	reasonBusy
	reasonTooLarge
	reasonUnavailable
	reasonRefused
	reasonInvalidParams
	reasonRevoked
	reasonNotShared
)

// reasonError returns the engine's error of a reason.
func reasonError(reason int32) error {
	switch reason {
	case reasonNotFound:
		return engine.ErrNotFound
	case reasonBadCursor:
		return engine.ErrBadCursor
	case reasonTimeout:
		return engine.ErrTimeout
	case reasonBusy:
		return engine.ErrBusy
	case reasonTooLarge:
		return engine.ErrTooLarge
	case reasonUnavailable:
		return engine.ErrUnavailable
	case reasonRevoked:
		return engine.ErrRevoked
	case reasonNotShared:
		return engine.ErrNotShared
	}
	// JavaScript has reported it to the developer already.
	return &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: "Internal error"}
}

// A clientSink records what the engine sends to one client. JavaScript knows the ids and
// sends it when the export has returned.
type clientSink struct{ client int32 }

func (s *clientSink) Open(id jsonrpc.ID) (sink.Call, bool) {
	call := open(s.client, id.Key(), string(id))
	return sink.Call(call), call != 0
}

func (s *clientSink) Find(id jsonrpc.ID) (sink.Call, bool) {
	call := find(s.client, id.Key())
	return sink.Call(call), call != 0
}

func (s *clientSink) Respond(call sink.Call, r sink.Result) {
	if r.Written != nil {
		r.Written()
	}
	handle, text := jsDocuments.pass(r.Document)
	if len(r.Refs) == 0 {
		respond(int32(call), handle, text)
		return
	}
	fill(int32(call), handle, text, unsafe.Pointer(&r.Refs[0]), int32(len(r.Refs)), r.URI, view(r.Variables))
}

func (s *clientSink) Fail(call sink.Call, err *jsonrpc.Error) {
	failed(int32(call), view(err.Append(nil)))
}

func (s *clientSink) Drop(call sink.Call) { drop(int32(call)) }

func (s *clientSink) End(call sink.Call, result *sink.Document) { end(int32(call), view(result.JSON)) }

func (s *clientSink) Refuse(err *jsonrpc.Error) { refuse(s.client, view(err.Append(nil))) }

func (s *clientSink) Notify(message *sink.Document, call sink.Call, as sink.Relation) {
	handle, text := jsDocuments.pass(message)
	switch as {
	case sink.Plain:
		call = 0
	case sink.OfRequest:
		call = -call
	}
	notify(s.client, handle, text, int32(call))
}

func (s *clientSink) Announce(topic sink.Topic) {
	if doc, subscription := topic.Take(); doc != nil {
		s.Notify(doc, subscription, sink.OfSubscription)
	}
}

// view is text as a string, without copying: imports read it at once.
func view(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }

//go:wasmimport pagemcp open
func open(client int32, key, token string) int32 // 0: the id is in use

//go:wasmimport pagemcp find
func find(client int32, key string) int32 // 0: no such call, or JavaScript itself ended it

//go:wasmimport pagemcp refer
func refer(ref int32) // what belongs in the only item of the Document that take returns

//go:wasmimport pagemcp respond
func respond(call, handle int32, text string) // text if handle is 0

//go:wasmimport pagemcp fill
func fill(call, handle int32, text string, refs unsafe.Pointer, count int32, uri, variables string)

//go:wasmimport pagemcp failed
func failed(call int32, failure string)

//go:wasmimport pagemcp drop
func drop(call int32)

//go:wasmimport pagemcp end
func end(call int32, text string)

//go:wasmimport pagemcp refuse
func refuse(client int32, failure string)

//go:wasmimport pagemcp notify
func notify(client, handle int32, text string, call int32) // call: of a subscription; below 0: of a request; 0: none
