package server

import (
	"bytes"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// An eventStream writes server-sent events. Each write has a deadline of its
// own: a reader that stalls loses its stream, and nobody else notices.
// HTML Living Standard, server-sent events.
type eventStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// Lines that carry no message: see [eventStream.comment], and what tells a client
// how long to wait before it comes back. Without that the official TypeScript
// clients try twice, within 1.5 s, and never again (gateway.md §2.5).
const (
	commentLine = ":\n\n"
	retryLine   = "retry: 3000\n\n" // ms
)

// openStream sends the header of a stream and a first line, so that it gets
// through at once.
func openStream(w http.ResponseWriter, first string) (*eventStream, error) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	s := &eventStream{w: w, control: http.NewResponseController(w)}
	return s, s.write([]byte(first))
}

// comment keeps proxies from cutting a silent stream, and finds out whether
// somebody is still there.
func (s *eventStream) comment() error { return s.write([]byte(commentLine)) }

// message sends one JSON-RPC message.
func (s *eventStream) message(msg []byte) error {
	msg = oneLine(msg)
	event := bytes.NewBuffer(make([]byte, 0, len(msg)+32))
	event.WriteString("event: message\ndata: ")
	event.Write(msg)
	event.WriteString("\n\n")
	return s.write(event.Bytes())
}

func (s *eventStream) write(event []byte) error {
	s.control.SetWriteDeadline(time.Now().Add(writeTime)) // not on every ResponseWriter; then TCP's own limit has to do
	if _, err := s.w.Write(event); err != nil {
		return err
	}
	return s.control.Flush()
}

// oneLine returns msg without line breaks between its tokens: an event's data is
// one line. In strings they are escaped already.
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
