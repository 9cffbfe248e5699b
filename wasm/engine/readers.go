package engine

import (
	"errors"
	"strconv"
	"time"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Readers are the assistants that may read everything in an app now, without a question: what a gateway has to know
// of the [Grants] of a page, to answer reads without it. Nil: everyone, and there is no audit.
type Readers struct {
	all    bool             // everyone but others
	others map[string]int64 // assistants, until when this holds: ms since 1970
}

var errReaders = errors.New("readers need all, a boolean, and others, an object of numbers")

// maxMilliseconds is the latest time that every reader of JSON takes.
const maxMilliseconds = 1<<53 - 1

// appendReaders appends what [ParseReaders] reads.
func (g *Grants) appendReaders(dst emit.JSON) emit.JSON {
	isPaused := g.pausedUntil > time.Now().UnixMilli()
	all := !g.asks && !g.hasPolicy && !isPaused
	dst.Text(`{"all":` + strconv.FormatBool(all) + `,"others":{`)
	for assistant, own := range g.byAssistant {
		until := int64(0)
		read := own.rights[grantRead]
		switch {
		case all: // but those to whom something is denied
			if read.decision == denied {
				until = read.until
			}
			for _, end := range own.withheld {
				until = max(until, end)
			}
		case !g.hasPolicy && !isPaused && read.decision == allowed && own.withheld == nil:
			until = read.until
		}
		if until > 0 {
			dst.Member(assistant, []byte(jsonrpc.IDOf(min(until, maxMilliseconds))))
		}
	}
	dst.Text("}}")
	return dst
}

// ParseReaders reads a JSON object of all (boolean) and others, an object of times (ms since 1970) by the names of assistants.
func ParseReaders(object []byte) (*Readers, error) {
	r := &Readers{others: map[string]int64{}}
	all := jsonrpc.Member(object, "all")
	r.all = isTrue(all)
	others := jsonrpc.Member(object, "others")
	if all == nil || len(others) == 0 || others[0] != '{' {
		return nil, errReaders
	}
	for s := jsonrpc.Scan(others); s.Next(); {
		until, ok := jsonrpc.Int(s.Value)
		if !ok {
			return nil, errReaders
		}
		r.others[string(s.Name)] = until
	}
	return r, nil
}

// Nobody are no readers.
func Nobody() *Readers { return &Readers{} }

// Reason returns the reason of the audit why an assistant may read everything now; false: it may not, or the page has to decide.
func (r *Readers) Reason(who Principal) (reason string, ok bool) {
	switch {
	case r == nil:
		return "", true
	case r.all != (r.others[AssistantOf(who)] > time.Now().UnixMilli()):
		reason = reasonGrant
		if r.all {
			reason = reasonOpen
		}
		return reason, true
	}
	return "", false
}
