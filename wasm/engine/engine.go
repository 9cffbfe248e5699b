package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pagemcp/pagemcp/wasm/hop"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
)

// Info is what an engine declares about itself. Name and Version are required.
type Info struct {
	Name         string // for programs
	Title        string // for people
	Version      string
	WebsiteURL   string
	Icons        []byte // JSON array, or nil
	Instructions string // how a model should use what is served; written by the developer
}

// Options configure an engine; the zero value of a field is its default.
type Options struct {
	// PageSize is how many entries a page of a list has, unless the list ends or the page
	// has 1 MiB. Default 200, at most MaxPageSize.
	PageSize int

	MaxMessage     int           // bytes of a message that comes in; default 1 MiB, and 64 KiB for what a hop adds to _meta
	MaxInFlight    int           // requests of one client at a time; default 64
	Timeout        time.Duration // for a request that waits for a source; default 30 s
	UpdateInterval time.Duration // least time between two updates of one URI; default 250 ms

	// What is offered besides resources. It is declared, and answered, independent of what
	// is mounted: classic sessions fix capabilities at their beginning, and sources
	// come and go. Several assistants show nothing of a server without tools
	//
	Tools, Prompts, Completions, Logging bool

	NoSubscribe   bool // resources are not watched for clients
	NoListChanged bool // changes of lists are not announced

	// Lenient serves a classic request without a session as one of 2025-11-25,
	// for clients without a handshake.
	Lenient bool

	// Cache has the hints of lists and of server/discover.
	Cache Cache

	// Extensions of the protocol are off unless they are here.
	Extensions []*Extension

	// Origin is the member origin in errors that this engine raises by itself, such as a
	// timeout. Default "engine".
	Origin string

	// Allow decides about every list entry, read, subscription and notification.
	// It is called often and from many goroutines, and must not block. Nil
	// allows what is mounted: mounting is the grant.
	Allow func(who Principal, verb Verb, uri string) bool

	// ReadOnly reports whether a client may run only tools that say that they change
	// nothing, by annotations.readOnlyHint; others are not in its lists. It is called like
	// Allow. Nil: clients may run what Allow lets them.
	ReadOnly func(who Principal) bool

	// Sees reports whether a client gets the changes of the lists of the source that is
	// mounted at prefix. It is called like Allow. Nil: every client gets all of them.
	Sees func(who Principal, prefix string) bool

	// Fit shows prompts and tools to clients. Nil: under the names and with the schemas that
	// their sources have.
	Fit Fitter

	// Ask answers what the grants do not decide: see SetGrants. It may wait for the user, until
	// ctx ends. Nil: what is not granted is denied.
	Ask func(ctx context.Context, q *AccessQuestion) AccessAnswer

	// Decided gets each decision by grants, before the request is answered: the last one of a call
	// counts; call is 0 if a task has waited for it, which the question names. It must not block. Nil: they are dropped.
	Decided func(call sink.Call, q *AccessQuestion, allow bool, reason string)

	// Report gets errors that are not for clients, such as a panic of a source. Nil:
	// they are dropped.
	Report func(error)
}

// Limits and defaults. web/docs/gateway.md lists those of the gateway.
const (
	MaxPageSize     = 1000            // resources, templates, prompts or tools on a page of a list
	DefaultPageSize = 200             // of them
	ArmTimeout      = 2 * time.Second // the longest that an acknowledgement of a subscription waits for Followers

	defaultMaxMessage     = 1<<20 + 64<<10         // bytes
	defaultMaxInFlight    = 64                     // requests of one client
	defaultUpdateInterval = 250 * time.Millisecond // between updates of one URI
	maxStreams            = 1024                   // listens of one client
	maxWatched            = 16 << 20               // bytes of the URIs that one client is subscribed to
)

// A Principal is the identity of a client for policy: the origin of a window, the name
// that belongs to a bearer token, "stdio". It never comes from clientInfo.
type Principal string

// A Verb is what a principal wants to do with a URI.
type Verb uint8

const (
	VerbList  Verb = iota + 1 // see that it exists
	VerbRead                  // read it; a prompt's URI here is "prompt:" and its name
	VerbWatch                 // subscribe to it, and get its changes
	VerbCall                  // run it: a tool, whose URI here is "tool:" and its name
)

// An Engine answers MCP from mounted sources. All methods may be called
// concurrently.
type Engine struct {
	info    Info
	options Options
	fixed   atomic.Pointer[fixed] // documents that change with SetInfo alone
	decides bool                  // what one principal gets is not for another

	grants atomic.Pointer[Grants] // of SetGrants; nil: everything is allowed

	methods   []Method                      // by number
	discovery atomic.Pointer[sink.Document] // the result of server/discover
	holds     holds
	over      context.Context // ends with Close
	end       context.CancelFunc

	// Read by every request: replaced as a whole, never changed, so without a lock.
	mounts    atomic.Pointer[[]*mount]   // by prefix, then in the order they were mounted
	skeletons atomic.Pointer[[]skeleton] // of reads

	onForget func(*sink.Document) // nil: none

	mu      sync.Mutex // never held while something waits, nor while a Sink or Source is called
	mounted uint64     // counts Mount and unmount
	clients map[*Client]struct{}
	pages   pages // list pages that are kept

	registry registry // of subscriptions
}

// New returns an engine that serves nothing yet. opts may be nil.
func New(info Info, opts *Options) *Engine {
	e := &Engine{
		info:    info,
		clients: map[*Client]struct{}{},
	}
	e.mounts.Store(new([]*mount))
	e.skeletons.Store(new([]skeleton))
	if opts != nil {
		e.options = *opts
	}
	o := &e.options
	o.PageSize = min(cmp.Or(o.PageSize, DefaultPageSize), MaxPageSize)
	o.MaxMessage = cmp.Or(o.MaxMessage, defaultMaxMessage)
	o.MaxInFlight = cmp.Or(o.MaxInFlight, defaultMaxInFlight)
	o.Timeout = cmp.Or(o.Timeout, hop.Timeout)
	o.UpdateInterval = cmp.Or(o.UpdateInterval, defaultUpdateInterval)
	o.Origin = cmp.Or(o.Origin, "engine")
	e.decides = o.Allow != nil || o.ReadOnly != nil
	if o.Allow == nil {
		o.Allow = func(Principal, Verb, string) bool { return true }
	}
	if o.Report == nil {
		o.Report = func(error) {}
	}
	e.over, e.end = context.WithCancel(context.Background())
	e.methods = coreMethods[:len(coreMethods):len(coreMethods)]
	for _, x := range o.Extensions {
		e.methods = append(e.methods, x.Methods...)
	}
	e.fixed.Store(newFixed(info, o))
	e.discovery.Store(e.fixed.Load().discover(o))
	return e
}

// A mount is a source under a prefix.
type mount struct {
	prefix    string // of URIs
	names     string // the prefix of names of prompts and tools: "notes__" where that of URIs is "notes+"
	dotted    string // that of ids of tasks: "notes."
	source    Source
	immediate Immediate   // the source, if it is one; else nil
	referrer  Referrer    // likewise
	early     EarlyReader // likewise
	guard     Guarded     // likewise
	nth       uint64      // among the mounts of the same prefix
	interest  interest    // in its changes
}

// prefixOf returns the prefix that entries of a kind get.
func (m *mount) prefixOf(k Kind) string {
	if k.hasNames() {
		return m.names
	}
	return m.prefix
}

// nameSeparator is between the prefix of a mount and the name of a prompt or tool. APIs of models
// refuse a whole conversation for a name with a dot.
const nameSeparator = "__"

// Mount puts s into the engine: its URIs appear with prefix before them, which
// is empty or ends in a way that keeps them URIs, such as "notes+"; names of its
// prompts and tools with "notes__". Several sources may share a prefix; the first
// that knows a URI or name answers. unmount takes it out again; reads of it that
// run go on.
func (e *Engine) Mount(prefix string, s Source) (unmount func()) {
	m := &mount{prefix: prefix, source: s}
	m.interest.init(e, m)
	if prefix != "" {
		own := strings.TrimSuffix(prefix, "+")
		m.names, m.dotted = own+nameSeparator, own+"."
	}
	m.immediate, _ = s.(Immediate)
	m.referrer, _ = s.(Referrer)
	m.early, _ = s.(EarlyReader)
	m.guard, _ = s.(Guarded)
	e.insert(m)
	e.reconcile()
	e.announceLists(prefix, allLists)
	return sync.OnceFunc(func() {
		e.remove(m)
		m.interest.close()
		e.announceLists(prefix, allLists)
	})
}

// insert puts m behind the mounts of its prefix.
func (e *Engine) insert(m *mount) {
	e.mu.Lock()
	defer e.mu.Unlock()
	mounts := append(slices.Clone(*e.mounts.Load()), m)
	for _, other := range mounts[:len(mounts)-1] {
		if other.prefix == m.prefix && other.nth >= m.nth {
			m.nth = other.nth + 1
		}
	}
	for at := len(mounts) - 1; at > 0 && (mounts[at-1].prefix > m.prefix || mounts[at-1].prefix == m.prefix && mounts[at-1].nth > m.nth); at-- {
		mounts[at-1], mounts[at] = mounts[at], mounts[at-1]
	}
	e.mounts.Store(&mounts)
	e.mounted++
}

func (e *Engine) remove(m *mount) {
	e.mu.Lock()
	defer e.mu.Unlock()
	rest := slices.DeleteFunc(slices.Clone(*e.mounts.Load()), func(other *mount) bool { return other == m })
	e.mounts.Store(&rest)
	e.mounted++
}

// sources returns the present mounts, in list order. The slice is never changed.
func (e *Engine) sources() []*mount { return *e.mounts.Load() }

// Close ends the engine for its clients: subscriptions end with their result,
// requests that wait fail, calls without a request stop. Ports stay open; their owners close them.
func (e *Engine) Close() {
	e.end()
	for _, c := range e.connected() {
		c.shutDown()
	}
	e.reconcile()
}

func (e *Engine) connected() []*Client {
	e.mu.Lock()
	defer e.mu.Unlock()
	clients := make([]*Client, 0, len(e.clients))
	for c := range e.clients {
		clients = append(clients, c)
	}
	return clients
}

type principalKey struct{}

// WithPrincipal returns a context under which [Engine.Serve] serves who, and
// sources are called on behalf of who.
func WithPrincipal(ctx context.Context, who Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, who)
}

// PrincipalOf returns the principal on whose behalf a source is called.
func PrincipalOf(ctx context.Context) Principal {
	who, _ := ctx.Value(principalKey{}).(Principal)
	return who
}
