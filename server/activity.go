package server

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// activity passes each entry on to the audit log and to those that follow it, and remembers the
// schemas that lists lack.
type activity struct {
	access.Audit
	observe func(Event)                           // may be nil
	used    func(principal string, now time.Time) // may be nil
	watched func(access.Entry)                    // gets the entries with a right; may be nil

	mu      sync.Mutex
	schemas map[string]string // rules that lists lack, by the name of their tool
}

// Bounds of what is remembered and reported.
const (
	maxSchemas      = 50
	maxReads        = 50
	maxActivityText = 512 // bytes of a URI or name
)

// Record implements access.Audit.
func (a *activity) Record(e access.Entry) {
	e.Time = time.Now() // the same in the log and for monitors
	if a.used != nil {
		a.used(e.Principal, e.Time)
	}
	a.report(e)
	if a.watched != nil && e.Right != "" {
		a.watched(e)
	}
	a.Audit.Record(e)
}

// RecordRefusal implements access.Audit.
func (a *activity) RecordRefusal(e access.Entry) {
	a.report(e)
	a.Audit.RecordRefusal(e)
}

func (a *activity) report(e access.Entry) {
	if a.observe == nil {
		return
	}
	endpoint := e.Endpoint
	if _, mcp := access.PageOf(endpoint); mcp {
		endpoint = "/mcp"
	}
	a.observe(Event{
		Endpoint: endpoint, Verb: e.Verb, Outcome: e.Outcome, Bytes: e.Bytes, Duration: time.Duration(e.Ms * float64(time.Millisecond)),
	})
}

// schemaRemoved is [gateway.Options.SchemaRemoved].
func (a *activity) schemaRemoved(tool, rules string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if rules == "" {
		delete(a.schemas, tool)
	} else if _, known := a.schemas[tool]; known || len(a.schemas) < maxSchemas {
		if a.schemas == nil {
			a.schemas = map[string]string{}
		}
		a.schemas[tool] = engine.PlainText(rules, maxActivityText)
	}
}

// removedSchemas returns the tools whose schemas lists do not have as a whole.
func (a *activity) removedSchemas() []SchemaStatus {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := []SchemaStatus{}
	for tool, rules := range a.schemas {
		all = append(all, SchemaStatus{tool, rules})
	}
	slices.SortFunc(all, func(x, y SchemaStatus) int { return cmp.Compare(x.Tool, y.Tool) })
	return all
}
