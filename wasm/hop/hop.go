// Package hop has what an engine and the Remotes that it mounts agree on, and the two ends of
// a connection between engines.
package hop

import "time"

// Limits that both sides of a hop have.
const (
	Timeout    = 30 * time.Second // for a request that waits
	Grace      = 10 * time.Second // how long a request waits for a page that left, such as one that reloads
	MaxListens = 1 << 16          // of a gateway at one page
	MaxWatched = 64 << 20         // bytes of the URIs of these
)

// CodeNotFoundClassic is the code of "not found" in the classic revisions.
const CodeNotFoundClassic = -32002

// Relayed is what another engine answered to a read, as it came: it may be large, and goes
// out again just so.
type Relayed struct {
	Body   []byte // the value of text or blob as JSON text
	IsBlob bool   // of Body
	Result []byte // of the first item: _meta of the answer, or nil
}
