package cluster

import "encoding/json"

// Limits of what other nodes say.
const (
	keySize      = 26      // characters of the keys of owners and pages
	maxOrigin    = 512     // bytes
	maxEpoch     = 1 << 53 // ms; a node whose clock says more is wrong
	maxOfOwner   = 256     // pages of an owner that are remembered; further ones are ignored
	maxMembers   = 1_024   // nodes of a cluster
	maxVersions  = 16      // link versions of a node
	maxKeys      = 16      // fingerprints
	maxHeartbeat = 8 << 10 // bytes
)

// Messages between nodes are JSON. Unknown members are ignored: releases N and N-1 run
// together.

// A control is a message to one node.
type control struct {
	Node      string     `json:"node"`           // that sends it
	Ping      bool       `json:"ping,omitempty"` // it has links with the receiver
	Open      *opening   `json:"open,omitempty"`
	Question  *question  `json:"who,omitempty"` // to this node alone
	Answer    *answer    `json:"held,omitempty"`
	Heartbeat *heartbeat `json:"hb,omitempty"` // the answer to a newcomer
}

// A question is for the pages of an owner. All nodes answer, also those without pages.
type question struct {
	Node  string `json:"node"` // that asks
	ID    string `json:"id"`
	Owner string `json:"owner"`

	// Stream is the subject of a session's stream; empty if the question is not about one.
	Stream string `json:"stream,omitempty"`
}

// An answer has all pages of the owner that a node has.
type answer struct {
	ID    string     `json:"id"`
	Owner string     `json:"owner"`
	Pages []heldPage `json:"pages"`

	// Stream says that the node has the stream of the session in the question.
	Stream bool `json:"stream,omitempty"`
}

// A heldPage is a page that the sender has.
type heldPage struct {
	Key    string `json:"key"`
	Name   string `json:"name"`
	Origin string `json:"origin"`
	Epoch  int64  `json:"epoch"`
}

// An event says that the sender has a page, or that the page has left it.
type event struct {
	Node string   `json:"node"`
	Left bool     `json:"left,omitempty"`
	Page heldPage `json:"page"`
}

// A heartbeat is sent each second.
type heartbeat struct {
	Node     string   `json:"node"`
	New      bool     `json:"new,omitempty"` // others answer at once
	Bye      bool     `json:"bye,omitempty"` // the last one
	Ready    bool     `json:"ready"`
	Draining bool     `json:"draining,omitempty"`
	Release  string   `json:"release,omitempty"`
	Versions []byte   `json:"versions"` // of links; base64
	Keys     []string `json:"keys,omitempty"`
	Pages    int      `json:"pages"`
}

// encode returns the JSON of a message. It panics for a type that has none.
func encode(message any) []byte {
	text, err := json.Marshal(message)
	if err != nil {
		panic(err)
	}
	return text
}
