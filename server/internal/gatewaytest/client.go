package gatewaytest

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// A Client sends requests to a gateway.
type Client struct {
	T     testing.TB
	HTTP  *http.Client // nil: HTTP
	URL   string       // without a path
	Host  string       // "": that of URL
	Token string       // "": none
}

// As returns the client with another token.
func (c Client) As(token string) Client {
	c.Token = token
	return c
}

// Request makes a request. Header lines are "Name: value".
func (c Client) Request(ctx context.Context, method, path, body string, lines ...string) *http.Request {
	c.T.Helper()
	r, err := http.NewRequestWithContext(ctx, method, c.URL+path, strings.NewReader(body))
	if err != nil {
		c.T.Fatal(err)
	}
	r.Host = c.Host
	if c.Token != "" {
		r.Header.Set("Authorization", "Bearer "+c.Token)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ":")
		switch value = strings.TrimSpace(value); name {
		case "Host":
			r.Host = value
		case "Content-Type", "Accept":
			r.Header.Set(name, value)
		default:
			r.Header.Add(name, value)
		}
	}
	return r
}

// Open sends one request.
func (c Client) Open(ctx context.Context, method, path, body string, lines ...string) *http.Response {
	c.T.Helper()
	client := c.HTTP
	if client == nil {
		client = HTTP
	}
	answer, err := client.Do(c.Request(ctx, method, path, body, lines...))
	if err != nil {
		c.T.Fatal(err)
	}
	return answer
}

// Do sends one request. An answer that is no event stream is read as a whole.
func (c Client) Do(ctx context.Context, method, path, body string, lines ...string) (answer *http.Response, text string) {
	c.T.Helper()
	if answer = c.Open(ctx, method, path, body, lines...); isStream(answer) {
		return answer, ""
	}
	return answer, c.whole(answer)
}

// Post sends one POST, and returns the answer as a whole.
func (c Client) Post(path, body string, lines ...string) (answer *http.Response, text string) {
	c.T.Helper()
	ctx, cancel := context.WithTimeout(c.T.Context(), Wait)
	defer cancel()
	return c.Whole(ctx, "POST", path, body, lines...)
}

// Whole sends one request, and returns the answer as a whole.
func (c Client) Whole(ctx context.Context, method, path, body string, lines ...string) (answer *http.Response, text string) {
	c.T.Helper()
	answer = c.Open(ctx, method, path, body, lines...)
	return answer, c.whole(answer)
}

func (c Client) whole(answer *http.Response) string {
	c.T.Helper()
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		c.T.Fatal(err)
	}
	return string(data)
}

// Messages is Post for an answer that has one message, or those of a stream that ends.
func (c Client) Messages(path, body string, lines ...string) (answer *http.Response, messages []string) {
	c.T.Helper()
	answer, text := c.Post(path, body, lines...)
	if !isStream(answer) {
		return answer, []string{text}
	}
	for line := range strings.Lines(text) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			messages = append(messages, strings.TrimSuffix(data, "\n"))
		}
	}
	return answer, messages
}

// last returns the last message, or "".
func last(messages []string) string {
	if len(messages) == 0 {
		return ""
	}
	return messages[len(messages)-1]
}

// Ask sends a request of 2026-07-28, and returns its response; of a listen the acknowledgement.
func (c Client) Ask(path, method, params string, lines ...string) (status int, body string) {
	c.T.Helper()
	lines = append(lines, HeadersOf(method, params)...)
	if method == "subscriptions/listen" {
		s := c.Stream(c.T.Context(), "POST", path, Modern("1", method, params), lines...)
		defer s.Close()
		return s.Status, s.Next()
	}
	answer, messages := c.Messages(path, Modern("1", method, params), lines...)
	return answer.StatusCode, last(messages)
}

// Read asks for a resource.
func (c Client) Read(path, uri string) (status int, body string) {
	c.T.Helper()
	return c.Ask(path, "resources/read", `"uri":"`+uri+`"`)
}

// A Session is one of the classic revisions.
type Session struct {
	Client
	Path, ID string
	Received []string // notifications before responses
}

// Begin opens a session by an initialize.
func (c Client) Begin(path, initialize string) *Session {
	c.T.Helper()
	answer, text := c.Post(path, initialize, Streams)
	s := &Session{Client: c, Path: path, ID: answer.Header.Get(sessionHeader)}
	if answer.StatusCode != http.StatusOK || s.ID == "" {
		c.T.Fatalf("initialize: %s %s", answer.Status, text)
	}
	if status, body := s.Say(Initialized); status != http.StatusAccepted || body != "" {
		c.T.Fatalf("initialized: %d %s", status, body)
	}
	return s
}

// Header is the line that names the session.
func (s *Session) Header() string { return sessionHeader + ": " + s.ID }

// Say sends a message, and returns the last one of the answer.
func (s *Session) Say(body string, lines ...string) (status int, answer string) {
	s.T.Helper()
	got, messages := s.Messages(s.Path, body, append([]string{Streams, s.Header()}, lines...)...)
	s.Received = append(s.Received, messages[:max(0, len(messages)-1)]...)
	return got.StatusCode, last(messages)
}

// Request sends a request.
func (s *Session) Request(id, method, params string) (status int, body string) {
	s.T.Helper()
	return s.Say(Classic(id, method, params))
}

// Call sends a request whose response is an event stream.
func (s *Session) Call(ctx context.Context, id, method, params string) *Stream {
	s.T.Helper()
	return s.Client.Stream(ctx, "POST", s.Path, Classic(id, method, params), s.Header())
}

// Listen opens the stream of the session. ctx ends it.
func (s *Session) Listen(ctx context.Context) *Stream {
	s.T.Helper()
	return s.Client.Stream(ctx, "GET", s.Path, "", s.Header(), "Accept: text/event-stream")
}

// A Wire is a WebSocket, message by message.
type Wire struct {
	*websocket.Conn
	t   testing.TB
	ctx context.Context
}

// Wire opens a WebSocket.
func (c Client) Wire(path string, protocols ...string) Wire {
	c.T.Helper()
	client := c.HTTP
	if client == nil {
		client = HTTP
	}
	ctx, cancel := context.WithTimeout(c.T.Context(), Wait)
	c.T.Cleanup(cancel)
	conn, _, err := websocket.Dial(ctx, c.URL+path, &websocket.DialOptions{
		HTTPClient: client, Host: c.Host, HTTPHeader: c.Request(ctx, "GET", path, "").Header, Subprotocols: protocols,
	})
	if err != nil {
		c.T.Fatal(err)
	}
	c.T.Cleanup(func() { conn.CloseNow() })
	conn.SetReadLimit(limits.MaxAnswer)
	return Wire{conn, c.T, ctx}
}

// Send sends a message.
func (w Wire) Send(msg string) {
	w.t.Helper()
	if err := w.Write(w.ctx, websocket.MessageText, []byte(msg)); err != nil {
		w.t.Fatal(err)
	}
}

// Receive returns the next message.
func (w Wire) Receive() string {
	w.t.Helper()
	_, msg, err := w.Read(w.ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(msg)
}
