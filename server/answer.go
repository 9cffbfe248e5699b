package server

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// An answer writes what comes back for one POST. Nothing is sent before the first
// message: if that is the response it is JSON, with a status of its own; a
// notification before it, or silence, turns the answer into an event stream, and
// from then on the status is 200 (gateway.md §2.3).
type answer struct {
	w      http.ResponseWriter
	box    *mailbox
	ended  <-chan struct{} // closed when nothing more comes into box
	id     jsonrpc.ID      // for an error of our own
	want   int             // responses to wait for; more than one: a batch
	batch  bool            // the responses are one array
	stream bool            // the client takes event streams
	status func(head, []byte) int

	// What waits for the session's own stream, and may go to this one; nil: nothing.
	pending  func() (msg []byte, ok bool)
	giveBack func(msg []byte)

	events *eventStream // nil until it has begun
	held   [][]byte     // responses of a batch
}

// run writes until the last response is out. The error is that of ctx, or says
// that the client cannot be written to.
func (a *answer) run(ctx context.Context) error {
	quiet := time.NewTimer(silence)
	defer quiet.Stop()
	for {
		for {
			msg, ok := a.box.next()
			if !ok {
				break
			}
			put := a.put
			if msg == nil {
				put = a.lack
			}
			done, err := put(msg)
			if err != nil || done {
				return err
			}
		}
		if a.events != nil {
			if err := a.passOn(); err != nil {
				return err
			}
		}
		select {
		case <-a.box.changed:
		case <-quiet.C:
			if a.stream {
				if err := a.still(); err != nil {
					return err
				}
				quiet.Reset(pingEvery)
			}
		case <-a.ended:
			if a.box.empty() {
				return a.cutOff()
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// put writes one message, and tells whether it was the last.
func (a *answer) put(msg []byte) (done bool, err error) {
	h := headOf(msg)
	if h.kind != jsonrpc.Response {
		if !a.stream {
			return false, nil // the client takes nothing but the answer
		}
		if a.events == nil {
			if err := a.begin(); err != nil {
				return false, err
			}
		}
		return false, a.events.message(msg)
	}
	if a.events != nil || a.stream && a.status(h, msg) == http.StatusOK { // else the status would be lost
		if err := a.passOn(); err != nil {
			return false, err
		}
	}
	a.want--
	switch {
	case a.events != nil:
		return a.want == 0, a.events.message(msg)
	case a.batch:
		a.held = append(a.held, msg)
		if a.want > 0 {
			return false, nil
		}
		return true, writeJSON(a.w, http.StatusOK, joined(a.held))
	}
	return true, writeJSON(a.w, a.status(h, msg), msg)
}

// maxPassed is how many messages of the session's stream go to one POST before its
// answer: they may come for ever.
const maxPassed = 1_024

// passOn writes what waits for the session's stream.
func (a *answer) passOn() error {
	if a.pending == nil {
		return nil
	}
	for range maxPassed {
		msg, ok := a.pending()
		if !ok {
			return nil
		}
		if a.events == nil {
			if err := a.begin(); err != nil {
				a.giveBack(msg)
				return err
			}
		}
		if err := a.events.message(msg); err != nil {
			a.giveBack(msg)
			return err
		}
	}
	return nil
}

// lack takes note that an answer will not come, since the client cancelled. After
// the last one an event stream just ends.
func (a *answer) lack([]byte) (done bool, err error) {
	if a.want--; a.want > 0 {
		return false, nil
	}
	switch {
	case a.events != nil:
	case len(a.held) > 0:
		err = writeJSON(a.w, http.StatusOK, joined(a.held))
	case a.stream:
		err = a.begin()
	default:
		a.w.WriteHeader(http.StatusAccepted)
	}
	return true, err
}

// still says that the answer is on its way.
func (a *answer) still() error {
	if a.events == nil {
		return a.begin()
	}
	return a.events.comment()
}

func (a *answer) begin() (err error) {
	if a.events, err = openStream(a.w, commentLine); err != nil {
		return err
	}
	for _, msg := range a.held {
		if err := a.events.message(msg); err != nil {
			return err
		}
	}
	return nil
}

// cutOff ends an answer that will not come: a stream that just stops leaves a
// client waiting.
func (a *answer) cutOff() error {
	_, err := a.put(jsonrpc.AppendError(nil, a.id, interrupted("The conversation has ended before this was answered")))
	return err
}

func joined(responses [][]byte) []byte {
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
	control.SetWriteDeadline(time.Now().Add(writeTime + time.Duration(len(msg)>>20)*time.Second))
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
func modernStatus(h head, msg []byte) int {
	if !h.failed {
		return http.StatusOK
	}
	err := errorOf(msg)
	if err == nil {
		return http.StatusOK
	}
	switch err.Code {
	case jsonrpc.CodeParse, jsonrpc.CodeInvalidRequest, codeHeaderMismatch, -32021, -32022: // client capability, version
		return http.StatusBadRequest
	case jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	}
	if isBusy(err) {
		return http.StatusTooManyRequests
	}
	return http.StatusOK
}

// classicStatus is the status of an answer in a session.
func classicStatus(h head, msg []byte) int {
	if !h.failed {
		return http.StatusOK
	}
	switch err := errorOf(msg); {
	case err == nil:
		return http.StatusOK
	case err.Code == jsonrpc.CodeParse, err.Code == jsonrpc.CodeInvalidRequest:
		return http.StatusBadRequest
	case isBusy(err):
		return http.StatusTooManyRequests
	}
	return http.StatusOK
}

// strangerStatus is the status of an answer to a classic request without a
// session: only ping succeeds.
func strangerStatus(h head, _ []byte) int {
	if h.failed {
		return http.StatusBadRequest
	}
	return http.StatusOK
}
