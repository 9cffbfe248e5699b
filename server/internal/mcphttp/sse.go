package mcphttp

import (
	"bytes"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// An eventStream writes server-sent events to one HTTP response: HTML Living Standard, server-sent
// events. Each write has its own deadline, so that a stalled reader loses its stream.
type eventStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// Lines without a message. retryLine tells the client how long to wait before it
// reconnects; without it the official TypeScript clients reconnect twice within 1.5 s
// and then give up.
const (
	commentLine = ":\n\n"           // keeps the connection open
	retryLine   = "retry: 3000\n\n" // ms
)

// openEvents writes the header of a stream and a first line, so that proxies forward the
// header at once.
func openEvents(w http.ResponseWriter, first string) (*eventStream, error) {
	h := w.Header()
	h.Set("Content-Type", EventStreamType)
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	s := &eventStream{w: w, control: http.NewResponseController(w)}
	return s, s.write([]byte(first))
}

// comment writes a comment. It keeps proxies from closing an idle stream, and fails if
// the client is gone.
func (s *eventStream) comment() error { return s.write([]byte(commentLine)) }

// message writes one JSON-RPC message as an event.
func (s *eventStream) message(msg []byte) error {
	msg = oneLine(msg)
	event := bytes.NewBuffer(make([]byte, 0, len(msg)+32))
	event.WriteString("event: message\ndata: ")
	event.Write(msg)
	event.WriteString("\n\n")
	return s.write(event.Bytes())
}

// write writes event, which is one or more complete lines of an event stream, and
// flushes.
func (s *eventStream) write(event []byte) error {
	s.control.SetWriteDeadline(time.Now().Add(limits.WriteTime)) // not every ResponseWriter supports it; then the timeout of TCP applies
	if _, err := s.w.Write(event); err != nil {
		return err
	}
	return s.control.Flush()
}

// oneLine removes line breaks between the tokens of msg, since the data of an event is
// one line. Line breaks in JSON strings are escaped already.
func oneLine(msg []byte) []byte {
	if !bytes.ContainsAny(msg, "\r\n") {
		return msg
	}
	compact := jsontext.Value(bytes.Clone(msg))
	if compact.Compact(jsontext.AllowDuplicateNames(true), jsontext.PreserveRawStrings(true)) != nil {
		return bytes.Join(bytes.FieldsFunc(msg, func(r rune) bool { return r == '\r' || r == '\n' }), nil)
	}
	return compact
}
