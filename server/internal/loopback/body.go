package loopback

import (
	"io"
	"net/http"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// timeBodies returns next with limits for the bodies of its requests: bodyIdle between
// two pieces, bodyTime in all. net/http has none that leaves event streams alone, and
// reads what a handler has not read for as long as it takes.
//
// An answer that is given before the body has been read is sent at once, and closes the
// connection.
func timeBodies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			now := time.Now()
			body := &timedBody{ReadCloser: r.Body, control: http.NewResponseController(w), header: w.Header(), end: now.Add(limits.BodyTime)}
			body.wait(now)
			body.header.Set("Connection", "close") // until it has been read; net/http then waits for nothing
			r = r.WithContext(r.Context())         // a copy: net/http looks at the body of its own
			r.Body = body
		}
		next.ServeHTTP(w, r)
	})
}

// A timedBody is read by the handler's goroutine.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
	header  http.Header
	end     time.Time
	read    bool // to its end
}

func (b *timedBody) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	switch {
	case b.read:
	case err == io.EOF:
		b.read = true
		b.header.Del("Connection")
		b.control.SetReadDeadline(time.Time{}) // net/http reads on, to notice when the client goes
	case err == nil:
		b.wait(time.Now())
	}
	return n, err
}

// wait gives the next piece its time. What is read of the body when the handler is done
// gets no more.
func (b *timedBody) wait(now time.Time) {
	next := now.Add(limits.BodyIdle)
	if next.After(b.end) {
		next = b.end
	}
	b.control.SetReadDeadline(next) // not on every ResponseWriter; then the header's limit has to do
}
