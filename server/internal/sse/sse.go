// Package sse writes server-sent events. HTML Living Standard, server-sent events.
package sse

import (
	"bytes"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// An Stream writes server-sent events. Each write has a deadline of its
// own: a reader that stalls loses its stream, and nobody else notices.
// HTML Living Standard, server-sent events.
type Stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// Lines that carry no message: see [eventStream.comment], and what tells a client
// how long to wait before it comes back. Without that the official TypeScript
// clients try twice, within 1.5 s, and never again (gateway.md §2.5).
const (
	CommentLine = ":\n\n"
	RetryLine   = "retry: 3000\n\n" // ms
)

// Open sends the header of a stream and a first line, so that it gets
// through at once.
func Open(w http.ResponseWriter, first string) (*Stream, error) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	s := &Stream{w: w, control: http.NewResponseController(w)}
	return s, s.Write([]byte(first))
}

// Comment keeps proxies from cutting a silent stream, and finds out whether
// somebody is still there.
func (s *Stream) Comment() error { return s.Write([]byte(CommentLine)) }

// Message sends one JSON-RPC message.
func (s *Stream) Message(msg []byte) error {
	msg = oneLine(msg)
	event := bytes.NewBuffer(make([]byte, 0, len(msg)+32))
	event.WriteString("event: message\ndata: ")
	event.Write(msg)
	event.WriteString("\n\n")
	return s.Write(event.Bytes())
}

func (s *Stream) Write(event []byte) error {
	s.control.SetWriteDeadline(time.Now().Add(limits.WriteTime)) // not on every ResponseWriter; then TCP's own limit has to do
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
