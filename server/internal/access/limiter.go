package access

import (
	"context"
	"time"
)

// A Limiter limits how much clients use.
type Limiter interface {
	// Delay does not block. It counts one more request of this method by c, which is initialize for a new
	// session over HTTP only, or a notification or response that is posted, and returns how long it has to
	// wait to stay within the rate. If over is not nil, it is rejected, and nothing is counted.
	Delay(c Client, method string) (wait time.Duration, over *Exceeded)

	// Acquire counts one more HTTP request of c until release is called. If over is not
	// nil, the request is rejected. A UseRequest over a limit waits before that, until others
	// have ended, limits.QueueTime has passed, or ctx ends. Assistants may share credentials, so caller tells
	// them apart: the session id of the classic revisions, or the clientInfo of
	// 2026-07-28, which may be false.
	Acquire(ctx context.Context, c Client, caller string, use Use) (release func(), over *Exceeded)
}

// A Use says for how long an HTTP request lasts.
type Use int

// The uses of HTTP requests.
const (
	UseRequest Use = iota
	UseListen      // subscriptions/listen
	UseStream      // the GET stream of a classic session
	UseBody        // a body of more than limits.SmallBody, from before it is read until the request is answered
)

// An Exceeded is the reason why a use is rejected by a limit.
type Exceeded struct {
	Limit string        // its key
	Text  string        // for the client
	Retry time.Duration // after which there may be room; 0 if unknown
}

// Error implements error.
func (e *Exceeded) Error() string { return e.Text }

// Seconds returns the value of Retry-After (RFC 9110, section 10.2.3), or 0.
func (e *Exceeded) Seconds() int { return int((e.Retry + time.Second - 1) / time.Second) }
