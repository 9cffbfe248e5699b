package access

import (
	"net/netip"
	"time"
)

// An Audit records the principal, request and outcome of each decision, never contents.
// Its methods do not wait for a disk or a network.
type Audit interface {
	Record(Entry)

	// RecordRefusal records that a client was rejected before it was authenticated. At a
	// high rate entries are counted instead of recorded.
	RecordRefusal(Entry)
}

// An Entry is one line of the audit log.
type Entry struct {
	Time      time.Time  `json:"time"`
	Principal string     `json:"who"`              // principal, or the origin or user of a rejected client
	Address   netip.Addr `json:"address,omitzero"` // of who joined or was rejected, at a gateway that is not on loopback alone
	Owner     Owner      `json:"owner,omitempty"`  // whose pages it is about
	Client    string     `json:"client,omitempty"` // clientInfo.name of the assistant, or the title of the page
	Endpoint  string     `json:"door"`             // /mcp, /mcp/notes, /ws, stdio, /page, /control/pair
	Verb      string     `json:"verb"`             // method, or join, leave, pair, watch, connect, login, refuse, revoke, token, status
	URI       string     `json:"uri,omitempty"`    // or the name of a prompt, tool or page, or an origin
	App       string     `json:"app,omitempty"`    // the page that a request is for; empty for lists of all pages
	Right     string     `json:"right,omitempty"`  // that a request needs: read or act; empty if it needs none
	Outcome   string     `json:"outcome"`          // ok, cancelled, dropped, busy, paused, refused, an error code or an HTTP status
	Reason    string     `json:"reason,omitempty"` // why a request was denied, or a token rejected: a word of a finite set
	Note      string     `json:"note,omitempty"`   // why the client has cancelled, in its words, cleaned
	Bytes     int        `json:"bytes"`            // of the response
	Ms        float64    `json:"ms"`
	Trace     string     `json:"trace,omitempty"` // trace id of the request
	Count     int        `json:"count,omitzero"`  // entries that were not recorded
}
