package server

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
	"github.com/pagemcp/pagemcp/wasm/mcpschema"
)

// TestMain compares everything that the tests of this package are told over HTTP
// with the schema of its revision: they speak by http.DefaultTransport, which
// listens here.
func TestMain(m *testing.M) {
	if dir := os.Getenv(stdioVariable); dir != "" {
		serveStdioIn(dir)
		return
	}
	if os.Getenv(strangerVariable) != "" {
		beStranger()
		return
	}
	schemas, err := mcpschema.Open()
	if err != nil {
		fmt.Println("messages cannot be compared with schemas:", err)
		os.Exit(1)
	}
	ear := &ear{inner: http.DefaultTransport, schemas: schemas, sessions: map[string]*mcpschema.Conversation{}}
	http.DefaultTransport = ear
	code := m.Run()
	ear.mu.Lock()
	defer ear.mu.Unlock()
	for _, wrong := range ear.wrong {
		fmt.Println(wrong)
	}
	fmt.Println(ear.heard, "messages compared with their schemas")
	if code == 0 && len(ear.wrong) > 0 {
		code = 1
	}
	os.Exit(code)
}

// An ear hears what goes over HTTP. A session is one conversation, and so is each
// request of 2026-07-28.
type ear struct {
	inner   http.RoundTripper
	schemas *mcpschema.Schemas

	mu       sync.Mutex
	sessions map[string]*mcpschema.Conversation
	heard    int
	wrong    []string
}

func (e *ear) RoundTrip(r *http.Request) (*http.Response, error) {
	talk := e.schemas.Conversation()
	session := r.Header.Get(mcphttp.SessionHeader)
	e.mu.Lock()
	if known := e.sessions[session]; known != nil {
		talk = known
	}
	e.mu.Unlock()
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(body))
		talk.FromClient(body)
	}
	answer, err := e.inner.RoundTrip(r)
	if err != nil {
		return answer, err
	}
	if id := answer.Header.Get(mcphttp.SessionHeader); id != "" {
		e.mu.Lock()
		e.sessions[id] = talk
		e.mu.Unlock()
	}
	// Who neither shook hands nor sends an envelope is served in lenient mode alone,
	// as one of 2025-11-25, and gets errors otherwise: nothing to compare with.
	stranger := session == "" && answer.Header.Get(mcphttp.SessionHeader) == "" && !bytes.Contains(body, []byte("io.modelcontextprotocol/protocolVersion"))
	kind, _, _ := strings.Cut(answer.Header.Get("Content-Type"), ";")
	if stranger || kind != "application/json" && kind != "text/event-stream" {
		return answer, nil
	}
	answer.Body = &overheard{ReadCloser: answer.Body, ear: e, talk: talk, stream: kind == "text/event-stream"}
	return answer, nil
}

// An overheard body is looked at while the test reads it: a stream line by line,
// anything else at its end.
type overheard struct {
	io.ReadCloser
	ear    *ear
	talk   *mcpschema.Conversation
	stream bool
	rest   []byte
}

func (o *overheard) Read(p []byte) (int, error) {
	n, err := o.ReadCloser.Read(p)
	o.rest = append(o.rest, p[:n]...)
	for o.stream {
		line, behind, whole := bytes.Cut(o.rest, []byte("\n"))
		if !whole {
			break
		}
		o.rest = behind
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			o.look(data)
		}
	}
	if err == io.EOF && !o.stream && len(o.rest) > 0 {
		o.look(o.rest)
		o.rest = nil
	}
	return n, err
}

func (o *overheard) look(message []byte) {
	err := o.talk.Check(message)
	o.ear.mu.Lock()
	defer o.ear.mu.Unlock()
	o.ear.heard++
	if err != nil {
		o.ear.wrong = append(o.ear.wrong, fmt.Sprintf("%v\n  <- %s", err, message))
	}
}
