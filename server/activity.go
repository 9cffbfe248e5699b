package server

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/auditlog"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// activity remembers which assistants are active and what they have read last, for
// `pagemcp status`. It passes every entry on to the audit log.
type activity struct {
	access.Audit
	observe func(Event)                           // may be nil
	used    func(principal string, now time.Time) // may be nil
	watched func(access.Entry)                    // gets the entries with a right; may be nil
	now     func() time.Time

	mu      sync.Mutex
	clients map[activityKey]*ActiveClient
	reads   []Read            // the oldest first
	schemas map[string]string // rules that lists lack, by the name of their tool
}

type activityKey struct{ assistant, client, endpoint string }

// Bounds of what is remembered. An entry has at most 1 KB.
const (
	maxActiveClients = 100
	maxReads         = 50
	maxSchemas       = 50
	maxActivityText  = 512 // bytes of a URI or name
)

// An ActiveClient is an assistant that has sent requests since the gateway started.
// Those that call themselves the same, of one name at one endpoint, are one.
type ActiveClient struct {
	Assistant string    `json:"assistant"`        // its name at the gateway, or "unnamed"
	Client    string    `json:"client,omitempty"` // what it calls itself, clientInfo.name; empty if it has sent none
	Endpoint  string    `json:"endpoint"`         // /mcp, /mcp/notes, /ws, stdio, or /watch for the playground
	Requests  int       `json:"requests"`
	Last      time.Time `json:"last"` // the last request
}

// A Read is what an assistant got, or tried to get, from a page: a resource, a prompt, or
// the result of a tool. It has no contents.
type Read struct {
	Time      time.Time `json:"time"`
	Assistant string    `json:"assistant"`
	Client    string    `json:"client,omitempty"` // what it calls itself
	Method    string    `json:"method"`           // resources/read, prompts/get or tools/call
	Target    string    `json:"target"`           // URI, or name of the prompt or tool
	Outcome   string    `json:"outcome"`
	Bytes     int       `json:"bytes"`
}

func newActivity(audit access.Audit, observe func(Event)) *activity {
	return &activity{Audit: audit, observe: observe, now: time.Now, clients: map[activityKey]*ActiveClient{}}
}

// Record implements access.Audit.
func (a *activity) Record(e access.Entry) {
	e.Time = time.Now() // the same in the log and for monitors
	a.note(e)
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

func (a *activity) note(e access.Entry) {
	_, mcp := access.PageOf(e.Endpoint)
	if !mcp && e.Endpoint != access.SocketPath && e.Endpoint != stdioEndpoint && (e.Endpoint != access.MonitorPath || !strings.Contains(e.Verb, "/")) {
		return // a page, or an attempt to connect
	}
	now := a.now()
	if a.used != nil {
		a.used(e.Principal, now)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	key := activityKey{assistantName(e.Principal), auditlog.Truncate(e.Client, maxActivityText), e.Endpoint}
	client := a.clients[key]
	if client == nil {
		if len(a.clients) >= maxActiveClients {
			a.dropOldest()
		}
		client = &ActiveClient{Assistant: key.assistant, Client: key.client, Endpoint: key.endpoint}
		a.clients[key] = client
	}
	client.Requests++
	client.Last = now
	if known := engine.MethodOf(e.Verb); !known.Repeated || known.Named == "taskId" { // it gets nothing of a page by name
		return
	}
	if len(a.reads) == maxReads {
		a.reads = slices.Delete(a.reads, 0, 1)
	}
	a.reads = append(a.reads, Read{
		Time: now, Assistant: key.assistant, Client: key.client, Method: e.Verb, Target: auditlog.Truncate(e.URI, maxActivityText), Outcome: e.Outcome, Bytes: e.Bytes,
	})
}

// dropOldest removes the client that is inactive for longest. The caller holds the lock.
func (a *activity) dropOldest() {
	oldest := slices.MinFunc(slices.Collect(maps.Keys(a.clients)), func(x, y activityKey) int {
		return a.clients[x].Last.Compare(a.clients[y].Last)
	})
	delete(a.clients, oldest)
}

// snapshot returns the clients and the reads, the latest first; neither is nil.
func (a *activity) snapshot() ([]ActiveClient, []Read) {
	a.mu.Lock()
	defer a.mu.Unlock()
	clients := make([]ActiveClient, 0, len(a.clients))
	for _, client := range a.clients {
		clients = append(clients, *client)
	}
	slices.SortFunc(clients, func(x, y ActiveClient) int {
		return cmp.Or(y.Last.Compare(x.Last), cmp.Compare(x.Assistant, y.Assistant), cmp.Compare(x.Client, y.Client), cmp.Compare(x.Endpoint, y.Endpoint))
	})
	reads := append([]Read{}, a.reads...)
	slices.Reverse(reads)
	return clients, reads
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
