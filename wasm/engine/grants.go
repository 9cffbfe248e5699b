package engine

import (
	"errors"
	"math"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/wasm/internal/emit"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Grants are the decisions of a user about the assistants of one app. They never change: each
// decision makes a new table, which [Engine.SetGrants] puts in the place of the old one. The
// engine of a page decides each request by its table, and a Remote by a copy what the gateway
// may announce.
type Grants struct {
	asks        bool      // without a grant the user is asked; else all is allowed
	hasPolicy   bool      // a function of the app is asked about each request, also for lists
	pausedUntil time.Time // everything is denied until then
	byKey       map[grantKey]grant
}

type grantKey struct {
	assistant string
	right     string // see the rights below
	tool      string // the only tool that it is about, or ""
}

type grant struct {
	allow bool
	until int64 // ms since 1970
}

// The rights that grants are about, and of entries of the audit.
const (
	grantRead = "read" // lists, resources, prompts, and tools that say that they change nothing
	grantAct  = "act"  // all other tools, and methods of extensions
	grantList = "list" // lists and changes alone, where a function of the app decides about reads
)

// maxGrants bounds the entries of a table, which may be a page's; web/src/access has fewer.
const maxGrants = 4096

// A decision about one request.
type decision uint8

const (
	undecided decision = iota // the user, or the function of the app, is asked
	denied
	allowed
)

// Reasons of decisions, as they are in errors and in the audit.
const (
	reasonGrant    = "grant"
	reasonOpen     = "open"
	reasonDeclined = "declined"
	reasonPaused   = "paused"
	reasonRevoked  = "revoked"
)

// ParseGrants reads a table: a JSON object of default, "open" or "ask", policy (boolean),
// pausedUntil (ms since 1970), and grants, an array of objects of assistant, right ("read",
// "act" or "list"), tool, allow and until (ms since 1970).
func ParseGrants(object []byte) (*Grants, error) {
	g := &Grants{byKey: map[grantKey]grant{}}
	switch basis, _ := jsonrpc.Text(jsonrpc.Member(object, "default")); basis {
	case "ask":
		g.asks = true
	case "open":
	default:
		return nil, errors.New("default of grants must be open or ask")
	}
	g.hasPolicy = isTrue(jsonrpc.Member(object, "policy"))
	if until, ok := jsonrpc.Int(jsonrpc.Member(object, "pausedUntil")); ok {
		g.pausedUntil = time.UnixMilli(until)
	}
	entries, ok := jsonrpc.Elements(jsonrpc.Member(object, "grants"))
	if !ok || len(entries) > maxGrants {
		return nil, errors.New("grants must be an array of at most 4,096")
	}
	for _, entry := range entries {
		var key grantKey
		one := grant{until: math.MaxInt64}
		s := jsonrpc.Scan(entry)
		for s.Next() {
			switch string(s.Name) {
			case "assistant":
				key.assistant, _ = jsonrpc.Text(s.Value)
			case "right":
				key.right, _ = jsonrpc.Text(s.Value)
			case "tool":
				key.tool, _ = jsonrpc.Text(s.Value)
			case "allow":
				one.allow = isTrue(s.Value)
			case "until":
				one.until, _ = jsonrpc.Int(s.Value)
			}
		}
		if s.Err() != nil || key.assistant == "" || key.right == "" {
			return nil, errors.New("a grant lacks assistant or right")
		}
		g.byKey[key] = one
	}
	return g, nil
}

func isTrue(value []byte) bool { return string(value) == "true" }

// appendForGateway appends the table as [ParseGrants] reads it, without what does not concern
// a gateway: windows, whose names are origins, and single tools.
func (g *Grants) appendForGateway(dst []byte) []byte {
	o := emit.JSON(dst)
	o.Text(`{"default":"open"`)
	if g.asks {
		o = append(o[:len(o)-len(`open"`)], `ask"`...)
	}
	if !g.pausedUntil.IsZero() {
		o.Name("pausedUntil")
		o = append(o, jsonrpc.IDOf(g.pausedUntil.UnixMilli())...)
	}
	o.Name("grants")
	n := 0
	for key, one := range g.byKey {
		byPolicy := g.hasPolicy && one.allow && key.right != grantList // not without a question
		if byPolicy || strings.Contains(key.assistant, "://") || key.tool != "" {
			continue
		}
		o.Text(emit.Separator(n))
		n++
		o.Text(`{"assistant":`)
		o.Quote(key.assistant)
		o.Name("right")
		o.Quote(key.right)
		if one.allow {
			o.Text(`,"allow":true`)
		}
		if one.until != math.MaxInt64 {
			o.Name("until")
			o = append(o, jsonrpc.IDOf(one.until)...)
		}
		o.Text("}")
	}
	if n == 0 {
		o.Text("[")
	}
	o.Text("]}")
	return o
}

// AssistantOf returns the name of a principal as grants have it: clients without a name of
// their own share one.
func AssistantOf(who Principal) string {
	switch who {
	case "token", "stdio", "anyone", "":
		return "unnamed"
	}
	return string(who)
}

// decide returns the decision about a right, for one tool or "", and its reason. A denial of
// a right is one of each tool.
func (g *Grants) decide(who Principal, right, tool string) (decision, string) {
	now := time.Now()
	if g.pausedUntil.After(now) {
		return denied, reasonPaused
	}
	assistant := AssistantOf(who)
	ms := now.UnixMilli()
	one, found := g.byKey[grantKey{assistant, right, ""}]
	found = found && one.until > ms
	if found && !one.allow {
		return denied, reasonDeclined
	}
	if tool != "" {
		if one, found = g.byKey[grantKey{assistant, right, tool}]; found && one.until > ms && !one.allow {
			return denied, reasonDeclined
		}
		found = found && one.until > ms
	}
	switch {
	case g.hasPolicy && right != grantList:
		return undecided, ""
	case found:
		return allowed, reasonGrant
	case g.asks:
		return undecided, ""
	}
	return allowed, reasonOpen
}

// MayRead reports whether an assistant may see lists and changes now. Nil: it may.
func (g *Grants) MayRead(who Principal) bool {
	if g == nil {
		return true
	}
	if d, _ := g.decide(who, grantRead, ""); d != undecided {
		return d == allowed
	}
	d, _ := g.decide(who, grantList, "")
	return d == allowed
}
