package conns

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// timeBodies adds timeouts for request bodies to next: limits.BodyIdle between two
// reads, limits.BodyTime in total. http.Server.ReadTimeout would also end event streams,
// and net/http reads an unread body without a timeout.
//
// A response that is written before the body has been read closes the connection, or the
// stream of HTTP/2, and so does each response while isClosing, which may be nil, returns true.
func timeBodies(next http.Handler, isClosing func() bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &answer{ResponseWriter: w, isClosing: isClosing}
		if r.Body != nil && r.Body != http.NoBody {
			now := time.Now()
			body := &timedBody{ReadCloser: r.Body, control: http.NewResponseController(w), end: now.Add(limits.BodyTime)}
			body.wait(now)
			if r.ProtoMajor == 1 { // HTTP/2 resets the stream alone, and would end the connection for this header
				answer.body = body
			}
			r = r.WithContext(r.Context()) // a copy, since net/http keeps using the original Body
			r.Body = body
		}
		next.ServeHTTP(answer, r)
		answer.begin() // without a body
	})
}

// An answer closes its connection if it is written before the body has been read.
type answer struct {
	http.ResponseWriter
	body      *timedBody // nil without
	isClosing func() bool
	written   bool
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if status >= 200 && !a.written {
		a.written = true
		if a.body != nil && !a.body.read.Load() || a.isClosing != nil && a.isClosing() {
			a.Header().Set("Connection", "close") // net/http then does not read the rest of the body
		}
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (a *answer) Write(data []byte) (int, error) {
	a.begin()
	return a.ResponseWriter.Write(data)
}

// FlushError is for http.ResponseController.
func (a *answer) FlushError() error {
	a.begin()
	return http.NewResponseController(a.ResponseWriter).Flush()
}

// Hijack is for http.ResponseController.
func (a *answer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	a.written = true
	return http.NewResponseController(a.ResponseWriter).Hijack()
}

func (a *answer) begin() {
	if !a.written {
		a.WriteHeader(http.StatusOK)
	}
}

// A timedBody sets a read deadline before each read. One goroutine reads it at a time: that of the
// handler, or one that passes the request on.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
	end     time.Time
	read    atomic.Bool // io.EOF was returned
}

func (b *timedBody) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	switch {
	case b.read.Load():
	case err == io.EOF:
		b.control.SetReadDeadline(time.Time{}) // net/http keeps reading to detect a disconnect
		b.read.Store(true)
	case err == nil:
		b.wait(time.Now())
	}
	return n, err
}

// wait sets the deadline of the next read.
func (b *timedBody) wait(now time.Time) {
	next := now.Add(limits.BodyIdle)
	if next.After(b.end) {
		next = b.end
	}
	b.control.SetReadDeadline(next) // not every ResponseWriter supports it; then ReadHeaderTimeout applies
}
