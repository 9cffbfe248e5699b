package mcphttp

import (
	"bytes"
	"net/http"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/message"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

const maxBatch = 1_000 // messages

// batch serves an array in a session of 2025-03-26, which alone has batches: one message after
// the other, each like one that came alone. The responses are one array.
func (r *request) batch(s *session, elements [][]byte) {
	if len(elements) == 0 || len(elements) > maxBatch {
		r.fail(http.StatusBadRequest, "", message.InvalidRequest("A batch must have 1 to 1,000 messages"))
		return
	}
	examined := make([]engine.Examination, len(elements))
	for i, element := range elements {
		examined[i] = r.endpoint.Engine.Examine(element)
	}
	if !r.authorize(examined...) {
		return
	}
	var answers []byte
	for i, x := range examined {
		answer := &answerWriter{header: http.Header{}}
		one := *r
		one.w, one.method, one.name, one.trace = answer, x.Method, x.Name, r.server.Gate.TraceOf(x)
		one.page = access.PageConcerned(r.client.Endpoint, x)
		switch {
		case r.http.Context().Err() != nil:
			return // the client has disconnected
		case x.Malformed != nil:
			one.fail(http.StatusBadRequest, x.ID, x.Malformed)
		case x.Modern || x.Method == engine.MethodInitialize:
			one.fail(http.StatusBadRequest, x.ID, message.InvalidRequest(x.Method+" cannot be in a batch"))
		case len(answers) > limits.MaxAnswer:
			one.fail(http.StatusTooManyRequests, x.ID, message.Busy("The answers to this batch are too large: send this request alone"))
		default:
			one.inSession(s, x, elements[i], false)
		}
		if answer.Len() > 0 {
			answers = append(append(answers, ','), answer.Bytes()...)
		}
	}
	if answers == nil {
		r.w.WriteHeader(http.StatusAccepted)
		return
	}
	answers[0] = '['
	writeJSON(r.w, http.StatusOK, append(answers, ']'))
}

// An answerWriter keeps the body of a response.
type answerWriter struct {
	bytes.Buffer
	header http.Header
}

func (w *answerWriter) Header() http.Header { return w.header }
func (w *answerWriter) WriteHeader(int)     {}
