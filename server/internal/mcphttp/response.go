package mcphttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A response writes the messages for one POST. Nothing is written before the first
// message. If that is the response, the body is JSON, with a status that depends on it;
// if it is a notification, or limits.StreamAfter passes first, the body becomes an event
// stream with status 200.
type response struct {
	w      http.ResponseWriter
	direct *access.Direct
	out    *engine.Outbox // with what belongs to the request
	id     jsonrpc.ID     // of the request, for an error response
	stream bool           // the client accepts event streams
	status func(message.Head, []byte) int

	hasEnded bool // nothing more comes from out

	session *session              // nil without one
	request *pendingRequest       // in the session
	accepts func(msg []byte) bool // that of session.take

	events *eventStream // nil until the body is an event stream
}

// run writes until the response is written. The error is that of ctx or of a write.
func (r *response) run(ctx context.Context) error {
	for patience := limits.StreamAfter; ; {
		wait, cancel := context.WithTimeout(ctx, patience)
		msg, err := r.direct.Next(wait, r.out)
		cancel()
		done := false
		switch {
		case err == nil:
			done, err = r.put(msg)
		case err == io.EOF:
			done, err = true, r.skipCancelled()
		case errors.Is(err, jsonrpc.ErrClosed): // a stream that only ends would leave the client waiting
			done, err = r.put(jsonrpc.AppendError(nil, r.id, message.Interrupted("The connection to the engine ended before this request was answered")))
		case ctx.Err() == nil: // nothing has come
			err = nil
			if patience = limits.PingEvery; r.stream {
				err = r.keepAlive()
			}
		}
		if err != nil || done {
			return err
		}
		if r.events != nil {
			if err := r.writePending(); err != nil {
				return err
			}
		}
	}
}

// put writes one message, and reports whether it was the last.
func (r *response) put(msg []byte) (done bool, err error) {
	h := message.HeadOf(msg)
	if h.Kind != jsonrpc.Response {
		if !r.stream { // the client accepts the response only
			if h.Kind == jsonrpc.Request && r.session != nil {
				r.session.refuse(h, "The client accepts no event stream (Accept: text/event-stream), so no request can be sent to it")
			}
			return false, nil
		}
		if r.events == nil {
			if err := r.startStream(); err != nil {
				return false, err
			}
		}
		return false, r.events.message(msg)
	}
	r.hasEnded = true
	if r.session != nil && !r.session.acknowledge(r.request, h) {
		msg = jsonrpc.AppendError(nil, r.id, message.Unreachable("Another process serves this session now: send the request again"))
		h = message.HeadOf(msg)
	}
	if r.events != nil || r.stream && r.status(h, msg) == http.StatusOK { // a stream always has status 200
		if err := r.writePending(); err != nil {
			return false, err
		}
	}
	if r.events != nil {
		return true, r.events.message(msg)
	}
	return true, writeJSON(r.w, r.status(h, msg), msg)
}

// maxPendingWrites limits how many messages of the session's stream are written to one
// POST before its response: more may arrive all the time.
const maxPendingWrites = 1_024

// writePending writes messages that wait for the session's stream.
func (r *response) writePending() error {
	if r.session == nil {
		return nil
	}
	for range maxPendingWrites {
		msg, ok := r.session.take(r.accepts)
		if !ok {
			return nil
		}
		err := error(nil)
		if r.events == nil {
			err = r.startStream()
		}
		if err == nil {
			err = r.events.message(msg)
		}
		if err != nil {
			r.direct.Announce() // it is lost
			return err
		}
	}
	return nil
}

// skipCancelled ends without a response, which will not come: the client has cancelled the request.
func (r *response) skipCancelled() (err error) {
	r.hasEnded = true
	switch {
	case r.events != nil:
	case r.stream:
		err = r.startStream()
	default:
		r.w.WriteHeader(http.StatusAccepted)
	}
	return err
}

// keepAlive starts the event stream, or writes a comment to it.
func (r *response) keepAlive() error {
	if r.events == nil {
		return r.startStream()
	}
	return r.events.comment()
}

func (r *response) startStream() (err error) {
	r.events, err = openEvents(r.w, commentLine)
	return err
}

// writeJSON writes a complete response.
func writeJSON(w http.ResponseWriter, status int, msg []byte) error {
	control := http.NewResponseController(w)
	control.SetWriteDeadline(time.Now().Add(limits.WriteTime + time.Duration(len(msg)>>20)*time.Second))
	defer control.SetWriteDeadline(time.Time{}) // the next response on this connection may be a stream
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(msg)))
	if (status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable) && h.Get("Retry-After") == "" {
		h.Set("Retry-After", "1") // seconds
	}
	w.WriteHeader(status)
	_, err := w.Write(msg)
	return err
}

// writeError writes an error response.
func writeError(w http.ResponseWriter, status int, id jsonrpc.ID, err *jsonrpc.Error) error {
	return writeJSON(w, status, jsonrpc.AppendError(nil, id, err))
}

// modernStatus returns the HTTP status of a response of 2026-07-28. Errors of a handler
// have status 200.
func modernStatus(h message.Head, msg []byte) int {
	if !h.Failed {
		return http.StatusOK
	}
	err := message.ErrorOf(msg)
	if err == nil {
		return http.StatusOK
	}
	switch err.Code {
	case jsonrpc.CodeParse, jsonrpc.CodeInvalidRequest, codeHeaderMismatch, -32021, -32022: // client capability, version
		return http.StatusBadRequest
	case jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	}
	if message.IsBusy(err) {
		return http.StatusTooManyRequests
	}
	return http.StatusOK
}

// classicStatus returns the HTTP status of a response in a session.
func classicStatus(h message.Head, msg []byte) int {
	if !h.Failed {
		return http.StatusOK
	}
	switch err := message.ErrorOf(msg); {
	case err == nil:
		return http.StatusOK
	case err.Code == jsonrpc.CodeParse, err.Code == jsonrpc.CodeInvalidRequest:
		return http.StatusBadRequest
	case message.IsBusy(err):
		return http.StatusTooManyRequests
	case message.IsUnreachable(err):
		return http.StatusServiceUnavailable
	}
	return http.StatusOK
}
