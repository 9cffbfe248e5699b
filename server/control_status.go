package server

import (
	"os"
	"slices"
	"strings"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
)

// Status describes a running gateway. It contains no secrets and no contents.
type Status struct {
	Version   string               `json:"version"`
	PID       int                  `json:"pid"`
	Started   time.Time            `json:"started"`
	MCP       string               `json:"mcp"`  // URL for assistants
	Page      string               `json:"page"` // URL for pages
	State     string               `json:"state"`
	TokenFile string               `json:"tokenFile"`
	NoToken   bool                 `json:"noToken"`
	Paused    time.Time            `json:"paused,omitzero"`  // assistants, until then
	Stopped   map[string]time.Time `json:"stopped,omitzero"` // single assistants, until then
	Origins   []OriginStatus       `json:"origins"`
	Pages     []PageStatus         `json:"pages"`
	Sessions  int                  `json:"sessions"` // stored sessions of the classic revisions
	Schemas   []SchemaStatus       `json:"schemas"`  // that lists have without rules that APIs of models refuse

	Assistants []AssistantStatus `json:"assistants"` // with a token, or among the latest entries of the audit log
	Reads      []Read            `json:"reads"`      // the last 50, the latest first
}

// An AssistantStatus is an assistant. One without a token has a Name and Used alone, and may do everything.
type AssistantStatus struct {
	NamedAssistant
	Calls string `json:"calls,omitzero"` // what it calls itself
}

// A Read is what an assistant got, or tried to get, from a page: a resource, a prompt, or
// the result of a tool. It has no contents.
type Read struct {
	Time      time.Time `json:"time"`
	Assistant string    `json:"assistant"`
	Method    string    `json:"method"` // resources/read, prompts/get or tools/call
	Target    string    `json:"target"` // URI, or name of the prompt or tool
	Outcome   string    `json:"outcome"`
	Bytes     int       `json:"bytes"`
}

// A SchemaStatus is a tool that has been listed without some of the rules of its schema.
type SchemaStatus struct {
	Tool  string `json:"tool"`  // its name at /mcp
	Rules string `json:"rules"` // JSON Schema
}

// An OriginStatus is an origin whose pages may join, or have a key that would let them
// join if the origin were allowed.
type OriginStatus struct {
	Origin  string    `json:"origin"`
	Allowed string    `json:"allowed"` // "options": the command line; "paired": `pagemcp pair`; "no"
	Keys    int       `json:"keys"`    // browser profiles that have paired, at most
	Used    time.Time `json:"used,omitzero"`
}

// A PageStatus is a page that has joined since the gateway started.
type PageStatus struct {
	Name      string    `json:"name"`
	Title     string    `json:"title"`
	Origin    string    `json:"origin"`
	URL       string    `json:"url"` // without query and fragment
	Connected bool      `json:"connected"`
	Since     time.Time `json:"since"` // of the last join
}

// running describes the gateway to other processes.
func (g *Gateway) running() Running {
	r := Running{PID: os.Getpid(), MCP: g.URL(), TokenFile: g.options.TokenFile}
	if dev := g.doors.dev(); dev != nil {
		r.Dev = dev.runs()
	}
	return r
}

func (g *Gateway) status() Status {
	s := Status{
		Version: g.options.Version, PID: os.Getpid(), Started: g.started, MCP: g.URL(), Page: g.PageURL(),
		State: g.state.dir, TokenFile: g.options.TokenFile, NoToken: g.options.NoToken, Paused: g.pause.Until(), Stopped: g.pause.Stopped(),
		Origins: g.originStates(), Pages: []PageStatus{}, Sessions: g.core.Sessions.Count(),
	}
	for _, p := range g.core.Views("").Pages() {
		p.URL, _, _ = strings.Cut(p.URL, "#")
		p.URL, _, _ = strings.Cut(p.URL, "?") // it may have a token
		s.Pages = append(s.Pages, PageStatus(p))
	}
	slices.SortFunc(s.Pages, func(a, b PageStatus) int { return strings.Compare(a.Name, b.Name) })
	s.Schemas = g.activity.removedSchemas()
	s.Assistants, s.Reads = g.used()
	return s
}

// used returns what Status has of the latest entries of the audit log.
func (g *Gateway) used() (all []AssistantStatus, reads []Read) {
	const most = 100 // names
	reads = []Read{}
	for _, one := range g.named.list() {
		all = append(all, AssistantStatus{NamedAssistant: one})
	}
	for _, line := range slices.Backward(g.auditHistory()) {
		var e access.Entry
		if json.Unmarshal(line, &e) != nil {
			continue
		}
		name := assistantName(e.Principal)
		at := slices.IndexFunc(all, func(a AssistantStatus) bool { return a.Name == name })
		if at < 0 && len(all) < most {
			at, all = len(all), append(all, AssistantStatus{NamedAssistant: NamedAssistant{Name: name, Used: e.Time}})
		}
		if at >= 0 && all[at].Calls == "" && !gateway.IsGenerated(e.Client) {
			all[at].Calls = e.Client
		}
		known := access.MethodOf(e.Verb)
		if known.Repeated && known.Named != "taskId" && len(reads) < maxReads { // it gets something of a page by name
			reads = append(reads, Read{e.Time, name, e.Verb, e.URI, e.Outcome, e.Bytes})
		}
	}
	return all, reads
}

func (g *Gateway) originStates() []OriginStatus {
	keys, used := g.keys.uses()
	states := []OriginStatus{}
	for _, origin := range g.origins.List() {
		allowed := "options"
		if !g.given.Contains(origin) {
			allowed = "paired"
		}
		states = append(states, OriginStatus{Origin: origin, Allowed: allowed, Keys: keys[origin], Used: used[origin]})
	}
	for origin, count := range keys {
		if !g.origins.Contains(origin) {
			states = append(states, OriginStatus{Origin: origin, Allowed: "no", Keys: count, Used: used[origin]})
		}
	}
	slices.SortFunc(states, func(a, b OriginStatus) int { return strings.Compare(a.Origin, b.Origin) })
	return states
}
