// Package sse writes server-sent events. HTML Living Standard, server-sent events.
package sse

import (
	"bytes"
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// A Stream writes server-sent events to one HTTP response. Each write has its own
// deadline, so that a stalled reader loses its stream.
type Stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// Lines without a message. RetryLine tells the client how long to wait before it
// reconnects; without it the official TypeScript clients reconnect twice within 1.5 s
// and then give up.
const (
	CommentLine = ":\n\n"           // keeps the connection open
	RetryLine   = "retry: 3000\n\n" // ms
)

// Open writes the header of a stream and a first line, so that proxies forward the
// header at once.
func Open(w http.ResponseWriter, first string) (*Stream, error) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	s := &Stream{w: w, control: http.NewResponseController(w)}
	return s, s.Write([]byte(first))
}

// Comment writes a comment. It keeps proxies from closing an idle stream, and fails if
// the client is gone.
func (s *Stream) Comment() error { return s.Write([]byte(CommentLine)) }

// Message writes one JSON-RPC message as an event.
func (s *Stream) Message(msg []byte) error {
	msg = oneLine(msg)
	event := bytes.NewBuffer(make([]byte, 0, len(msg)+32))
	event.WriteString("event: message\ndata: ")
	event.Write(msg)
	event.WriteString("\n\n")
	return s.Write(event.Bytes())
}

// Write writes event, which is one or more complete lines of an event stream, and
// flushes.
func (s *Stream) Write(event []byte) error {
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
