package server

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"
)

// Status describes a running gateway. It contains no secrets and no contents.
type Status struct {
	AccessReport

	Version   string               `json:"version"`
	PID       int                  `json:"pid"`
	Started   time.Time            `json:"started"`
	MCP       string               `json:"mcp"`  // URL for assistants
	Page      string               `json:"page"` // URL for pages
	State     string               `json:"state"`
	TokenFile string               `json:"tokenFile"`
	NoToken   bool                 `json:"noToken"`
	Stopped   map[string]time.Time `json:"stopped,omitzero"` // single assistants, until then
	Origins   []OriginStatus       `json:"origins"`
	Pages     []PageStatus         `json:"pages"`
	Sessions  int                  `json:"sessions"` // stored sessions of the classic revisions
	Schemas   []SchemaStatus       `json:"schemas"`  // that lists have without rules that APIs of models refuse
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
	if web := g.doors.web(); web.Docs != "" {
		r.Docs = web.Web + web.Docs
	}
	if dev := g.doors.dev(); dev != nil {
		r.Dev = dev.runs()
	}
	return r
}

func (g *Gateway) status(ctx context.Context) (Status, error) {
	report, err := g.access(ctx)
	if err != nil {
		return Status{}, err
	}
	s := Status{
		AccessReport: report, Version: g.options.Version, PID: os.Getpid(), Started: g.started, MCP: g.URL(), Page: g.PageURL(),
		State: g.state.dir, TokenFile: g.options.TokenFile, NoToken: g.options.NoToken, Stopped: g.pause.Stopped(),
		Origins: g.originStates(), Pages: []PageStatus{}, Sessions: g.core.Sessions.Count(),
	}
	for _, p := range g.core.Views("").Pages() {
		p.URL, _, _ = strings.Cut(p.URL, "#")
		p.URL, _, _ = strings.Cut(p.URL, "?") // it may have a token
		s.Pages = append(s.Pages, PageStatus(p))
	}
	slices.SortFunc(s.Pages, func(a, b PageStatus) int { return strings.Compare(a.Name, b.Name) })
	s.Schemas = g.activity.removedSchemas()
	return s, nil
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
