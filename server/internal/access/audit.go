package access

import "time"

// An Audit records who asked for what and what became of it, never contents. Its
// methods do not wait for a disk or a network.
type Audit interface {
	Record(Entry)
	RecordRefusal(Entry) // of a client that was refused before it was known; of many at once some are left out
}

// An Entry is one line.
type Entry struct {
	Time      time.Time `json:"time"`
	Principal string    `json:"who"`              // principal
	Client    string    `json:"client,omitempty"` // what the assistant says of itself
	Endpoint  string    `json:"door"`             // /mcp, /mcp/notes, /ws, stdio, /page
	Verb      string    `json:"verb"`             // method, or join, leave, pair, watch, connect, login, refuse
	URI       string    `json:"uri,omitempty"`    // or the name of a prompt, tool or page
	Outcome   string    `json:"outcome"`          // ok, cancelled, dropped, busy, refused, an error code or an HTTP status
	Bytes     int       `json:"bytes"`            // of the answer
	Ms        float64   `json:"ms"`
	Count     int       `json:"count,omitzero"` // lines that were left out
}
