// Package recorded is test support: it records the MCP messages of HTTP requests and
// responses, so that they can be compared with the schemas of the specification.
package recorded

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

const sessionHeader = "Mcp-Session-Id"

// A Record stores one message of a conversation. from is "client" or "server". It may be
// called concurrently.
type Record func(conversation, from string, message []byte)

// Transport returns a transport that records the messages that pass through inner. A
// session is one conversation, and so is each request without a session. Conversations
// are named by name and a number.
func Transport(inner http.RoundTripper, name string, record Record) http.RoundTripper {
	return &transport{inner: inner, name: name, record: record, sessions: map[string]string{}}
}

type transport struct {
	inner  http.RoundTripper
	name   string
	record Record

	mu       sync.Mutex
	count    int
	sessions map[string]string // the conversation of each
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	session := r.Header.Get(sessionHeader)
	conversation := t.conversation(session)
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(body))
		t.record(conversation, "client", body)
	}
	answer, err := t.inner.RoundTrip(r)
	if err != nil {
		return answer, err
	}
	if id := answer.Header.Get(sessionHeader); id != "" {
		t.keep(id, conversation)
	}
	// A client with neither a session nor an envelope is served in lenient mode only, as
	// one of 2025-11-25; otherwise it gets errors. Neither can be compared with a
	// schema.
	isStranger := session == "" && answer.Header.Get(sessionHeader) == "" && !bytes.Contains(body, []byte("io.modelcontextprotocol/protocolVersion"))
	kind, _, _ := strings.Cut(answer.Header.Get("Content-Type"), ";")
	isStream := kind == "text/event-stream"
	if !isStranger && (isStream || kind == "application/json") {
		answer.Body = &response{ReadCloser: answer.Body, isStream: isStream, record: func(message []byte) {
			t.record(conversation, "server", message)
		}}
	}
	return answer, nil
}

func (t *transport) conversation(session string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if known := t.sessions[session]; known != "" {
		return known
	}
	t.count++
	return fmt.Sprintf("%s #%d", t.name, t.count)
}

func (t *transport) keep(session, conversation string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sessions[session] = conversation
}

// A response is recorded while the test reads it: a stream line by line, other types at
// the end.
type response struct {
	io.ReadCloser
	isStream bool
	record   func(message []byte)
	rest     []byte
}

func (r *response) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.rest = append(r.rest, p[:n]...)
	for r.isStream {
		line, behind, isWhole := bytes.Cut(r.rest, []byte("\n"))
		if !isWhole {
			break
		}
		r.rest = behind
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			r.record(data)
		}
	}
	if err == io.EOF && !r.isStream && len(r.rest) > 0 {
		r.record(r.rest)
		r.rest = nil
	}
	return n, err
}

// File returns a Record that appends each message as a line of JSON to a file in dir:
// {"in", "from", "text"}. web/test/harness/record.ts writes the same format.
func File(dir, name string) (Record, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	file, err := os.Create(filepath.Join(dir, fmt.Sprintf("%s-%d.jsonl", name, os.Getpid())))
	if err != nil {
		return nil, err
	}
	return func(conversation, from string, message []byte) {
		line, err := json.Marshal(map[string]string{"in": conversation, "from": from, "text": string(message)})
		if err == nil {
			_, err = file.Write(append(line, '\n'))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "record a message:", err)
		}
	}, nil
}
