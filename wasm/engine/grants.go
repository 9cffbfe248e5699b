package engine

import (
	"errors"
	"math"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Grants are the decisions of a user about the assistants of one app. They never change: each
// decision makes a new table, which [Engine.SetGrants] puts in the place of the old one. The
// engine of a page decides each request and each notification by its table. A gateway has [Readers] of it.
type Grants struct {
	asks        bool  // without a grant the user is asked; else all is allowed
	hasPolicy   bool  // a function of the app is asked about each request, also for lists
	asksLists   bool  // the page is asked about lists, too, of assistants without a decision
	pausedUntil int64 // ms since 1970; everything is denied until then
	byAssistant map[string]*ownGrants
}

// ownGrants are those of one assistant.
type ownGrants struct {
	rights [grantList + 1]grant
	tools  map[string]grant // by the name of the only tool that each is about

	withheld map[string]int64 // identities of resources, with all below them, until when: ms since 1970
}

type grant struct {
	decision decision // undecided: there is no grant
	until    int64    // ms since 1970
}

// at returns the decision at a time.
func (g grant) at(ms int64) decision {
	if g.until <= ms {
		return undecided
	}
	return g.decision
}

// A grantRight is what grants are about, and entries of the audit.
type grantRight uint8

const (
	grantRead grantRight = iota // lists, resources, prompts, and tools that say that they change nothing
	grantAct                    // all other tools
	grantList                   // lists and changes alone, where a function of the app decides about reads
)

// rightNames are those of the rights in tables, questions and the audit.
var rightNames = [...]string{"read", "act", "list"}

// maxGrants bounds the entries of a table, which may be a page's: 4,096 decisions and 2,000 resources
// that are withheld, as in web/src/access.
const maxGrants = 6096

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
	reasonPolicy   = "policy"
	reasonDeclined = "declined"
	reasonPaused   = "paused"
	reasonRevoked  = "revoked"
	reasonNoAnswer = "unanswered"
)

var errGrants = errors.New("grants need default, open or ask, and an array of at most 6,096 objects of assistant and right")

// ParseGrants reads a table: a JSON object of default, "open" or "ask", policy and asksLists (boolean),
// pausedUntil (ms since 1970), and grants, an array of objects of assistant, right ("read",
// "act" or "list"), tool, allow and until (ms since 1970); with the member uri an entry denies to
// read this resource, and all below it.
func ParseGrants(object []byte) (*Grants, error) {
	g := &Grants{byAssistant: map[string]*ownGrants{}}
	basis, _ := jsonrpc.Text(jsonrpc.Member(object, "default"))
	g.asks = basis == "ask"
	g.hasPolicy = isTrue(jsonrpc.Member(object, "policy"))
	g.asksLists = g.hasPolicy || isTrue(jsonrpc.Member(object, "asksLists"))
	g.pausedUntil, _ = jsonrpc.Int(jsonrpc.Member(object, "pausedUntil"))
	entries, ok := jsonrpc.Elements(jsonrpc.Member(object, "grants"))
	if !ok || !g.asks && basis != "open" || len(entries) > maxGrants {
		return nil, errGrants
	}
	for _, entry := range entries {
		if !g.add(entry) {
			return nil, errGrants
		}
	}
	return g, nil
}

// add reads an entry; false: it is not valid.
func (g *Grants) add(entry []byte) bool {
	assistant, _ := jsonrpc.Text(jsonrpc.Member(entry, "assistant"))
	name, _ := jsonrpc.Text(jsonrpc.Member(entry, "right"))
	tool, _ := jsonrpc.Text(jsonrpc.Member(entry, "tool"))
	one := grant{denied, math.MaxInt64}
	if until, ok := jsonrpc.Int(jsonrpc.Member(entry, "until")); ok {
		one.until = until
	}
	if isTrue(jsonrpc.Member(entry, "allow")) {
		one.decision = allowed
	}
	own := g.byAssistant[assistant]
	if own == nil {
		own = &ownGrants{}
		g.byAssistant[assistant] = own
	}
	if uri, _ := jsonrpc.Text(jsonrpc.Member(entry, "uri")); uri != "" {
		if own.withheld == nil {
			own.withheld = map[string]int64{}
		}
		uri = lowerScheme(strings.TrimSuffix(uri, "/"))
		own.withheld[identityOf(uri)] = one.until
		own.withheld[string(appendDecoded(nil, uri))] = one.until // for what is below it
		return assistant != "" && name == rightNames[grantRead] && tool == "" && one.decision == denied
	}
	for right := range rightNames {
		switch {
		case rightNames[right] != name || assistant == "":
		case tool == "":
			own.rights[right] = one
			return true
		default:
			if own.tools == nil {
				own.tools = map[string]grant{}
			}
			own.tools[tool] = one
			return true
		}
	}
	return false
}

func isTrue(value []byte) bool { return string(value) == "true" }

// AssistantOf returns the name of a principal as grants have it: clients without a name of
// their own share one.
func AssistantOf(who Principal) string {
	switch who {
	case "token", "stdio", "anyone", "":
		return "unnamed"
	}
	return string(who)
}

// openTable stands for no grants, where tools that destroy something ask nevertheless.
var openTable = &Grants{}

// decide returns the decision about a right, for one tool or "", and its reason. A denial of
// a right is one of each tool. A tool that is decided about by itself asks also in an open page. Nil: openTable.
func (g *Grants) decide(who Principal, right grantRight, tool string) (decision, string) {
	if g == nil {
		g = openTable
	}
	ms := time.Now().UnixMilli()
	if g.pausedUntil > ms {
		return denied, reasonPaused
	}
	d := undecided
	if own := g.byAssistant[AssistantOf(who)]; own != nil {
		d = own.rights[right].at(ms)
		if tool != "" && d != denied {
			d = own.tools[tool].at(ms)
		}
	}
	switch {
	case d == denied:
		return denied, reasonDeclined
	case g.hasPolicy && right != grantList:
		return undecided, ""
	case d == allowed:
		return allowed, reasonGrant
	case g.asks, tool != "":
		return undecided, ""
	}
	return allowed, reasonOpen
}

// MayRead reports whether an assistant may see lists and changes now. Nil: it may.
func (g *Grants) MayRead(who Principal) bool {
	if g == nil {
		return true
	}
	d, _ := g.decide(who, grantRead, "")
	if d == undecided {
		d, _ = g.decide(who, grantList, "")
	}
	return d == allowed
}

// asksAbout reports whether the page is asked whether an assistant may read, as soon as it asks for a list.
func (g *Grants) asksAbout(who Principal) bool {
	if g == nil || !g.asksLists {
		return false
	}
	read, _ := g.decide(who, grantRead, "")
	list, _ := g.decide(who, grantList, "")
	return read == undecided && list == undecided
}

// lists returns the lists that an assistant may see now: who may act needs the names of tools.
func (g *Grants) lists(who Principal) lists {
	if g.MayRead(who) {
		return allLists
	}
	if d, _ := g.decide(who, grantAct, ""); d == allowed {
		return toolsList
	}
	return 0
}

// MayWatch reports whether an assistant may see changes of a resource now. Nil: it may.
func (g *Grants) MayWatch(who Principal, uri string) bool {
	return g.MayRead(who) && !g.withholds(who, uri)
}

// withholds reports whether a resource, or one above it, is withheld from an assistant.
func (g *Grants) withholds(who Principal, uri string) bool {
	if g == nil {
		return false
	}
	own := g.byAssistant[AssistantOf(who)]
	if own == nil || own.withheld == nil {
		return false
	}
	ms := time.Now().UnixMilli()
	return isAtOrBelow(uri, func(identity string) bool { return own.withheld[identity] > ms })
}
