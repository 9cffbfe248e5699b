package server

import (
	"net/http"
	"strconv"
)

// An owner is whom pages belong to. A client reaches the pages of its own owner and
// no others. The gateway of one user has one owner, "".
type owner string

// A caller is a client that has authenticated itself.
type caller struct {
	principal string // for policy, limits and the audit log
	owner     owner
}

// An authChallenge answers a request without valid credentials.
type authChallenge struct {
	status int
	header http.Header // what it adds
	text   string      // what is wrong, and what to do
}

// An authenticator knows the credentials of clients. It does not read the body.
type authenticator interface {
	authenticate(r *http.Request) (caller, *authChallenge)
}

// admit tells who sends r. Without valid credentials it answers r, records that and
// returns false.
func (g *gate) admit(w http.ResponseWriter, r *http.Request) (caller, bool) {
	who, refused := g.auth.authenticate(r)
	if refused == nil {
		known(r)
		return who, true
	}
	g.audit.refuse(entry{Who: r.Header.Get("Origin"), Door: r.URL.Path, Verb: "login", Outcome: strconv.Itoa(refused.status)})
	for name, values := range refused.header {
		w.Header()[name] = values
	}
	http.Error(w, refused.text, refused.status)
	return caller{}, false
}
