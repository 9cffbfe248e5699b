package conns

import (
	"io"
	"net/http"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// timeBodies adds timeouts for request bodies to next: limits.BodyIdle between two
// reads, limits.BodyTime in total. http.Server.ReadTimeout would also end event streams,
// and net/http reads an unread body without a timeout.
//
// A response that is written before the body has been read closes the connection, or the
// stream of HTTP/2.
func timeBodies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			now := time.Now()
			body := &timedBody{ReadCloser: r.Body, control: http.NewResponseController(w), header: w.Header(), end: now.Add(limits.BodyTime)}
			body.wait(now)
			if r.ProtoMajor == 1 { // HTTP/2 resets the stream alone, and would end the connection for this header
				body.header.Set("Connection", "close") // until the body has been read: net/http then does not read the rest
			}
			r = r.WithContext(r.Context()) // a copy, since net/http keeps using the original Body
			r.Body = body
		}
		next.ServeHTTP(w, r)
	})
}

// A timedBody sets a read deadline before each read. Only the goroutine of the handler
// reads it.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
	header  http.Header
	end     time.Time
	read    bool // io.EOF was returned
}

func (b *timedBody) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	switch {
	case b.read:
	case err == io.EOF:
		b.read = true
		b.header.Del("Connection")
		b.control.SetReadDeadline(time.Time{}) // net/http keeps reading to detect a disconnect
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
