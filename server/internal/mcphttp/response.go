package mcphttp

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/server/internal/sse"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// An response writes what comes back for one POST. Nothing is sent before the first
// message: if that is the response it is JSON, with a status of its own; a
// notification before it, or silence, turns the answer into an event stream, and
// from then on the status is 200 (gateway.md §2.3).
type response struct {
	w         http.ResponseWriter
	mailbox   *mailbox
	ended     <-chan struct{} // closed when nothing more comes into box
	id        jsonrpc.ID      // for an error of our own
	remaining int             // responses to wait for; more than one: a batch
	batch     bool            // the responses are one array
	stream    bool            // the client takes event streams
	status    func(message.Head, []byte) int

	// What waits for the session's own stream, and may go to this one; nil: nothing.
	pending func() (msg []byte, ok bool)
	requeue func(msg []byte)

	events  *sse.Stream // nil until it has begun
	batched [][]byte    // responses of a batch
}

// run writes until the last response is out. The error is that of ctx, or says
// that the client cannot be written to.
func (r *response) run(ctx context.Context) error {
	silence := time.NewTimer(limits.StreamAfter)
	defer silence.Stop()
	for {
		for {
			msg, ok := r.mailbox.next()
			if !ok {
				break
			}
			put := r.put
			if msg == nil {
				put = r.skipCancelled
			}
			done, err := put(msg)
			if err != nil || done {
				return err
			}
		}
		if r.events != nil {
			if err := r.writePending(); err != nil {
				return err
			}
		}
		select {
		case <-r.mailbox.changed:
		case <-silence.C:
			if r.stream {
				if err := r.keepAlive(); err != nil {
					return err
				}
				silence.Reset(limits.PingEvery)
			}
		case <-r.ended:
			if r.mailbox.empty() {
				return r.abort()
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// put writes one message, and tells whether it was the last.
func (r *response) put(msg []byte) (done bool, err error) {
	h := message.HeadOf(msg)
	if h.Kind != jsonrpc.Response {
		if !r.stream {
			return false, nil // the client takes nothing but the answer
		}
		if r.events == nil {
			if err := r.startStream(); err != nil {
				return false, err
			}
		}
		return false, r.events.Message(msg)
	}
	if r.events != nil || r.stream && r.status(h, msg) == http.StatusOK { // else the status would be lost
		if err := r.writePending(); err != nil {
			return false, err
		}
	}
	r.remaining--
	switch {
	case r.events != nil:
		return r.remaining == 0, r.events.Message(msg)
	case r.batch:
		r.batched = append(r.batched, msg)
		if r.remaining > 0 {
			return false, nil
		}
		return true, writeJSON(r.w, http.StatusOK, jsonArray(r.batched))
	}
	return true, writeJSON(r.w, r.status(h, msg), msg)
}

// maxPassed is how many messages of the session's stream go to one POST before its
// answer: they may come for ever.
const maxPendingWrites = 1_024

// writePending writes what waits for the session's stream.
func (r *response) writePending() error {
	if r.pending == nil {
		return nil
	}
	for range maxPendingWrites {
		msg, ok := r.pending()
		if !ok {
			return nil
		}
		if r.events == nil {
			if err := r.startStream(); err != nil {
				r.requeue(msg)
				return err
			}
		}
		if err := r.events.Message(msg); err != nil {
			r.requeue(msg)
			return err
		}
	}
	return nil
}

// skipCancelled takes note that an answer will not come, since the client cancelled. After
// the last one an event stream just ends.
func (r *response) skipCancelled([]byte) (done bool, err error) {
	if r.remaining--; r.remaining > 0 {
		return false, nil
	}
	switch {
	case r.events != nil:
	case len(r.batched) > 0:
		err = writeJSON(r.w, http.StatusOK, jsonArray(r.batched))
	case r.stream:
		err = r.startStream()
	default:
		r.w.WriteHeader(http.StatusAccepted)
	}
	return true, err
}

// keepAlive says that the answer is on its way.
func (r *response) keepAlive() error {
	if r.events == nil {
		return r.startStream()
	}
	return r.events.Comment()
}

func (r *response) startStream() (err error) {
	if r.events, err = sse.Open(r.w, sse.CommentLine); err != nil {
		return err
	}
	for _, msg := range r.batched {
		if err := r.events.Message(msg); err != nil {
			return err
		}
	}
	return nil
}

// abort ends an answer that will not come: a stream that just stops leaves a
// client waiting.
func (r *response) abort() error {
	_, err := r.put(jsonrpc.AppendError(nil, r.id, message.Interrupted("The conversation has ended before this was answered")))
	return err
}

func jsonArray(responses [][]byte) []byte {
	array := []byte{'['}
	for i, msg := range responses {
		if i > 0 {
			array = append(array, ',')
		}
		array = append(array, msg...)
	}
	return append(array, ']')
}

// writeJSON writes a whole answer.
func writeJSON(w http.ResponseWriter, status int, msg []byte) error {
	control := http.NewResponseController(w)
	control.SetWriteDeadline(time.Now().Add(limits.WriteTime + time.Duration(len(msg)>>20)*time.Second))
	defer control.SetWriteDeadline(time.Time{}) // the connection may carry a stream next
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(msg)))
	if status == http.StatusTooManyRequests {
		h.Set("Retry-After", "1") // seconds; the allowance grows all the time
	}
	w.WriteHeader(status)
	_, err := w.Write(msg)
	return err
}

// writeError writes an error of the gateway's own.
func writeError(w http.ResponseWriter, status int, id jsonrpc.ID, err *jsonrpc.Error) error {
	return writeJSON(w, status, jsonrpc.AppendError(nil, id, err))
}

// modernStatus is the status of an answer of 2026-07-28. What a handler found
// out is 200 (decision 6.3).
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

// classicStatus is the status of an answer in a session.
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
	}
	return http.StatusOK
}

// strangerStatus is the status of an answer to a classic request without a
// session: only ping succeeds.
func sessionlessStatus(h message.Head, _ []byte) int {
	if h.Failed {
		return http.StatusBadRequest
	}
	return http.StatusOK
}
