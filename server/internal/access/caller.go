package access

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// An Owner identifies the user that pages belong to. A client reaches the pages of its
// own owner only. The gateway of a single user has one owner, "".
type Owner string

// A Caller is a client that has authenticated itself.
type Caller struct {
	Issuer    string // of the token; "" if tokens have none
	Principal string // for policy, limits and the audit log
	Owner     Owner
	Tenant    string // of the owner; "" without tenants

	// Authorize returns the response to a request whose credentials do not suffice for all
	// acts, or nil. If it is nil itself, the caller may do everything.
	Authorize func(path string, rights ...engine.Right) *Challenge

	// Connections and streams of the caller end when Valid is done, which may be nil, and at
	// Expires, which may be zero.
	Valid   context.Context
	Expires time.Time

	// Streams, but no other requests, end when Stays is done, which may be nil: the owner is
	// served elsewhere from then on.
	Stays context.Context
}

// Bind returns a context that also ends when the credentials of the caller do, or with
// release, which must be called.
func (c Caller) Bind(ctx context.Context) (bound context.Context, release func()) {
	bound, cancel := context.WithCancelCause(ctx)
	stop := c.AfterEnd(func() { cancel(ErrRevoked) })
	return bound, func() { stop(); cancel(nil) }
}

// AfterEnd calls end when the credentials of the caller are no longer valid, in a goroutine of
// its own, unless stop is called before. stop must be called. end may be called twice.
func (c Caller) AfterEnd(end func()) (stop func()) {
	unbind := func() bool { return true }
	if c.Valid != nil {
		unbind = context.AfterFunc(c.Valid, end)
	}
	if c.Expires.IsZero() {
		return func() { unbind() }
	}
	timer := time.AfterFunc(time.Until(c.Expires), end)
	return func() { unbind(); timer.Stop() }
}

// AfterStream is AfterEnd for a stream.
func (c Caller) AfterStream(end func()) (stop func()) {
	unbind := c.AfterEnd(end)
	if c.Stays == nil {
		return unbind
	}
	stays := context.AfterFunc(c.Stays, end)
	return func() { stays(); unbind() }
}

// Client returns the caller as a client of the endpoint at path.
func (c Caller) Client(path string) Client {
	return Client{Principal: c.Principal, Owner: c.Owner, Tenant: c.Tenant, Endpoint: path}
}

// ErrRevoked is the cause of a context that ended with the credentials of its caller.
var ErrRevoked = errors.New("the token is no longer valid")

// A Challenge is the response to a request without valid credentials.
type Challenge struct {
	Status int
	Header http.Header // added to the response
	Text   string      // the body: what is wrong, and what to do
	Reason string      // for the audit log; may be empty
	Owner  Owner       // for the audit log, of a token whose signature is valid
}

// An Authenticator verifies the credentials of a request. It does not read the body.
type Authenticator interface {
	Authenticate(r *http.Request) (Caller, *Challenge)
}

// Admit authenticates r. Without valid credentials it responds to r, records that and
// returns false.
func (g *Gate) Admit(w http.ResponseWriter, r *http.Request) (Caller, bool) {
	caller, challenge := g.Auth.Authenticate(r)
	if challenge == nil {
		MarkKnown(r.Context())
		return caller, true
	}
	g.Reject(w, r, challenge)
	return Caller{}, false
}

// Reject responds to r with challenge, and records that.
func (g *Gate) Reject(w http.ResponseWriter, r *http.Request, challenge *Challenge) {
	g.Audit.RecordRefusal(Entry{Principal: r.Header.Get("Origin"), Address: AddressOf(r.Context()), Endpoint: r.URL.Path, Verb: "login", Outcome: strconv.Itoa(challenge.Status), Reason: challenge.Reason, Owner: challenge.Owner})
	challenge.Write(w)
}

// Write writes the response.
func (c *Challenge) Write(w http.ResponseWriter) {
	for name, values := range c.Header {
		w.Header()[name] = values
	}
	http.Error(w, c.Text, c.Status)
}
