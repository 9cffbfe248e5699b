package engine

import (
	"context"
	"errors"
	"strconv"

	"github.com/pagemcp/pagemcp/wasm/hop"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Errors of sources and of the engine. Only this file has the codes of JSON-RPC, by era.
var (
	ErrNotFound    = errors.New("not found")
	ErrBadCursor   = errors.New("cursor was not given out by this list")
	ErrTooLarge    = errors.New("too large")
	ErrBusy        = errors.New("too many requests in flight")
	ErrTimeout     = errors.New("took too long")
	ErrAway        = errors.New("the page is away")
	ErrUnavailable = errors.New("not available at the moment")
	ErrSent        = errors.New("the client has the outcome already") // of Run of an [Extension] after [Invocation.Detach]
	ErrInterrupted = errors.New("the link broke while a tool ran")    // which may or may not have taken effect

	errDenied   = errors.New("not allowed") // looks like ErrNotFound from outside
	errReadOnly = errors.New("read only")
	errMustWait = errors.New("a source has to be waited for")
)

// An unsentError is the error of a request that did not reach the other engine.
type unsentError struct{ error }

func (e unsentError) Unwrap() error { return e.error }

// NotSent marks the error of a source that has done nothing for a request: a call may be
// repeated.
func NotSent(err error) error { return unsentError{err} }

// A begunError is the error of a request that its source has begun to answer: a tool
// may have taken effect.
type begunError struct{ error }

func (e begunError) Unwrap() error { return e.error }

// begun marks the error of a source, unless the request did not reach it.
func begun(err error) error {
	if errors.As(err, new(unsentError)) {
		return err
	}
	return begunError{err}
}

// Codes of MCP 2026-07-28 beyond JSON-RPC. They never answer a classic request:
// clients take them as proof of a modern server.
const (
	codeMissingCapability  = -32021
	codeUnsupportedVersion = -32022
)

// BadParams is the error for params that do not fit the method. Its text goes to
// the client: it names members, never their values.
//
//go:noinline
func BadParams(message string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message}
}

// wireError turns err into the JSON-RPC error that the sender of req sees; no
// other code knows the numbers. Text of unknown errors, maybe page data, stays
// inside.
func (req *Request) wireError(err error) *jsonrpc.Error {
	e := req.engine
	var own *jsonrpc.Error
	var refused refusedInput
	var access *accessError
	switch {
	case errors.As(err, &own):
		if req.rev != modern && own.Code == codeMissingCapability {
			return e.lacksCapability()
		}
		if req.rev != modern && own.Code >= -32099 && own.Code <= -32020 { // from a page, by way of a Remote
			return &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: own.Message}
		}
		return own
	case errors.Is(err, ErrNotFound) || errors.Is(err, errDenied):
		if m := e.method(req.method); m.Unknown != "" {
			unknown := &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: m.Unknown}
			if m.Named == "uri" {
				unknown.Data = req.uriObject()
			}
			return unknown
		}
		code := int64(jsonrpc.CodeInvalidParams) // MCP 2026-07-28, server/resources, Error Handling
		if req.rev != modern {
			code = hop.CodeNotFoundClassic // the same section of 2025-11-25 and older
		}
		return &jsonrpc.Error{Code: code, Message: "Resource not found", Data: req.uriObject()}
	case errors.Is(err, errReadOnly):
		return e.Reason("The user lets you run only tools that change nothing", "read-only", false)
	case errors.Is(err, ErrBadCursor):
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Invalid cursor"}
	case errors.Is(err, ErrBusy):
		return e.retryable(req.method, err, "Too many requests in flight", "busy")
	case errors.Is(err, ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return e.unfinished(req.method, "The request took too long to answer", "timeout")
	case errors.Is(err, ErrTooLarge):
		return e.Reason("The answer is too large", "too-large", false)
	case errors.Is(err, ErrAway):
		return e.retryable(req.method, err, "The page is away", "page-away")
	case errors.Is(err, ErrInterrupted):
		return e.Reason("The connection to the page broke; the tool may or may not have run", "interrupted", false)
	case errors.Is(err, ErrUnavailable):
		return e.retryable(req.method, err, "The resource is not available at the moment", "unavailable")
	case errors.As(err, &access):
		return e.Reason(access.message, access.reason, false)
	case errors.As(err, &refused):
		e.report(err)
		return e.Reason(string(refused), "declined", false)
	}
	e.report(err)
	return &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: "Internal error"} // JSON-RPC 2.0, section 5.1
}

// Reason is an error that this side raises: -32603 and why, since
// -32000…-32099 are reserved for others.
func (e *Engine) Reason(message, reason string, retry bool) *jsonrpc.Error {
	data := jsonrpc.AppendString([]byte(`{"origin":`), e.options.Origin)
	data = jsonrpc.AppendString(append(data, `,"reason":`...), reason)
	data = strconv.AppendBool(append(data, `,"retry":`...), retry)
	return &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: message, Data: append(data, '}')}
}

// unfinished is the error of a request that was begun and has no answer. A tool may have taken effect: the
// message warns of running it again. Everything else only reads.
func (e *Engine) unfinished(method sink.Method, message, reason string) *jsonrpc.Error {
	if method == callToolMethod {
		message += "; the tool may have taken effect"
	}
	return e.Reason(message, reason, method != callToolMethod)
}

// retryable is the error of a request that may be sent retryable, unless it was begun.
func (e *Engine) retryable(method sink.Method, err error, message, reason string) *jsonrpc.Error {
	if errors.As(err, new(begunError)) {
		return e.unfinished(method, message, reason)
	}
	return e.Reason(message, reason, true)
}

// closing is the error of a request that runs when the engine ends.
func (e *Engine) closing(method sink.Method) *jsonrpc.Error {
	return e.unfinished(method, "The engine is shutting down", "closed")
}

// lacksCapability is what a classic client gets for codeMissingCapability.
func (e *Engine) lacksCapability() *jsonrpc.Error {
	return e.Reason("The client lacks a capability that is required", "client-capability", false)
}

// uriObject is the data of "not found": the URI of the request.
func (req *Request) uriObject() []byte {
	data := jsonrpc.AppendString([]byte(`{"uri":`), req.uri)
	return append(data, '}')
}

// unsupported is the answer to an envelope of a version that is not modern here:
// data names the supported versions, and repeats the requested one byte for byte.
func unsupported(requested []byte) *jsonrpc.Error {
	data := append([]byte(`{"supported":["`+LatestModern+`"],"requested":`), requested...)
	return &jsonrpc.Error{Code: codeUnsupportedVersion, Message: "Unsupported protocol version", Data: append(data, '}')}
}

func tooLarge() *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "The message is too large"}
}
