package gatewaytest

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
)

func isStream(answer *http.Response) bool {
	return strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream")
}

// A Stream is an event stream, which is read in the background.
type Stream struct {
	Status   int
	Header   http.Header
	Messages <-chan string // closed at its end
	Lines    <-chan string // the first ones that are no messages, like "retry: 3000"
	Close    func()

	t     testing.TB
	ended chan struct{}
}

// Stream sends a request of a client that takes event streams. ctx or the end of the test ends
// the stream.
func (c Client) Stream(ctx context.Context, method, path, body string, lines ...string) *Stream {
	c.T.Helper()
	return NewStream(c.T, c.Open(ctx, method, path, body, append([]string{Streams}, lines...)...))
}

// Listen opens a subscription of 2026-07-28, until ctx ends. It returns after its acknowledgement.
func (c Client) Listen(ctx context.Context, path, notifications string) *Stream {
	c.T.Helper()
	params := `"notifications":{` + notifications + `}`
	s := c.Stream(ctx, "POST", path, Modern("1", "subscriptions/listen", params), HeadersOf("subscriptions/listen", params)...)
	if first := s.Next(); !strings.Contains(first, "acknowledged") {
		c.T.Fatalf("a listen at %s begins with %s", path, first)
	}
	return s
}

// NewStream reads the stream of an answer. Any other answer has no messages.
func NewStream(t testing.TB, answer *http.Response) *Stream {
	messages, lines := make(chan string, 1<<10), make(chan string, 16)
	s := &Stream{answer.StatusCode, answer.Header, messages, lines, func() { answer.Body.Close() }, t, make(chan struct{})}
	t.Cleanup(s.Close)
	go func() { // ends with the stream
		defer close(s.ended)
		defer close(messages)
		scanner := bufio.NewScanner(answer.Body)
		scanner.Buffer(nil, limits.MaxAnswer)
		for scanner.Scan() {
			data, isMessage := strings.CutPrefix(scanner.Text(), "data: ")
			if isMessage {
				messages <- data
				continue
			}
			if data == "" {
				continue
			}
			select {
			case lines <- data:
			default: // the first ones are enough
			}
		}
	}()
	return s
}

// Next returns the next message, or "" at the end.
func (s *Stream) Next() string {
	s.t.Helper()
	return Await(s.t, "a message on the stream", s.Messages)
}

// Take returns the messages since the previous call, when nothing happens any more in the bubble.
func (s *Stream) Take() (messages []string) {
	synctest.Wait()
	for {
		select {
		case msg, ok := <-s.Messages:
			if ok {
				messages = append(messages, msg)
				continue
			}
		default:
		}
		return messages
	}
}

// HasEnded reports whether the stream has ended, when nothing happens any more in the bubble.
func (s *Stream) HasEnded() bool {
	synctest.Wait()
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// Await receives one value, or the end of a channel.
func Await[T any](t testing.TB, what string, from <-chan T) (value T) {
	t.Helper()
	late := time.NewTimer(Wait)
	defer late.Stop()
	select {
	case value = <-from:
	case <-late.C:
		t.Fatalf("waited %v for %s", Wait, what)
	}
	return value
}

// Receive receives one message of a stream that has not ended.
func Receive(t testing.TB, messages <-chan string) string {
	t.Helper()
	late := time.NewTimer(Wait)
	defer late.Stop()
	select {
	case msg, ok := <-messages:
		if !ok {
			t.Fatal("the stream ended")
		}
		return msg
	case <-late.C:
		t.Fatal("nothing came")
	}
	return ""
}

// Eventually waits until ok returns true, which depends on other goroutines.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(Wait); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v and still not: %s", Wait, what)
		}
	}
}

// Count returns how many messages contain text.
func Count(messages []string, text string) (n int) {
	for _, msg := range messages {
		if strings.Contains(msg, text) {
			n++
		}
	}
	return n
}
