package mcphttp

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/server/internal/access"
)

// A Record contains the facts about a session.
type Record struct {
	Issuer        string
	Principal     string
	Owner         access.Owner
	Path          string // of the endpoint
	Version       string
	Client        string // clientInfo.name
	ClientInfo    jsontext.Value
	Capabilities  jsontext.Value
	LogLevel      string // of logging/setLevel
	Subscriptions Subscriptions
	Tenant        string    // of Owner
	Unused        bool      // the client has sent nothing but initialize and DELETE, to this node
	Expires       time.Time // when the session ends although it is used
	Key           string    // id of the key that has sealed the session's id
	Partial       bool      // lacks changes that [SessionChanges] may have
}

// A Holder is what a session belongs to: one client of one owner at one endpoint. An id is
// valid for its holder only, whatever token the client has.
type Holder struct {
	Issuer    string // of the client's tokens; "" if they have none
	Owner     access.Owner
	Tenant    string // of the owner; "" without tenants
	Principal string
	Path      string // of the endpoint
}

// newRecord returns the record of a session of h, without further facts.
func newRecord(h Holder) Record {
	return Record{Issuer: h.Issuer, Owner: h.Owner, Tenant: h.Tenant, Principal: h.Principal, Path: h.Path}
}

// Holder returns what the session belongs to.
func (r *Record) Holder() Holder { return Holder{r.Issuer, r.Owner, r.Tenant, r.Principal, r.Path} }
