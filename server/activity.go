package server

import (
	"cmp"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/plain"
)

// activity passes each entry on to the audit log and to its followers, and remembers the
// schemas that lists lack.
type activity struct {
	access.Audit
	log     *slog.Logger
	used    func(principal string, now time.Time)
	watched func(access.Entry) // gets the entries with a right

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
	a.used(e.Principal, e.Time)
	if e.Right != "" {
		a.watched(e)
	}
	a.Audit.Record(e)
	a.log.Debug("request", "who", e.Principal, "door", e.Endpoint, "verb", e.Verb, "uri", e.URI, "outcome", e.Outcome, "ms", e.Ms)
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
		a.schemas[tool] = plain.Text(rules, maxActivityText)
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
