package access

import (
	"net/http"
	"strconv"
)

// An Owner identifies the user that pages belong to. A client reaches the pages of its
// own owner only. The gateway of a single user has one owner, "".
type Owner string

// A Caller is a client that has authenticated itself.
type Caller struct {
	Principal string // for policy, limits and the audit log
	Owner     Owner
}

// A Challenge is the response to a request without valid credentials.
type Challenge struct {
	Status int
	Header http.Header // added to the response
	Text   string      // the body: what is wrong, and what to do
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
		MarkKnown(r)
		return caller, true
	}
	g.Audit.RecordRefusal(Entry{Principal: r.Header.Get("Origin"), Endpoint: r.URL.Path, Verb: "login", Outcome: strconv.Itoa(challenge.Status)})
	for name, values := range challenge.Header {
		w.Header()[name] = values
	}
	http.Error(w, challenge.Text, challenge.Status)
	return Caller{}, false
}
