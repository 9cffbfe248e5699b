package config

import (
	"cmp"

	"github.com/pagemcp/pagemcp/server/internal/quotas"
)

// Limits says what one owner, one tenant and one node may use. An owner is served by one node;
// each node has its share of the limits of tenants. A zero field means its default.
type Limits struct {
	PagesPerOwner  int `yaml:"pagesPerOwner"`  // default 32
	PagesPerTenant int `yaml:"pagesPerTenant"` // default 5,000
	Pages          int `yaml:"pages"`          // of a node; default 20,000

	RequestsPerOwner  int `yaml:"requestsPerOwner"`  // in flight, without streams; the last quarter is for clients with fewer than 4 requests in flight to a page; default 64
	RequestsPerTenant int `yaml:"requestsPerTenant"` // default 512
	StreamsPerOwner   int `yaml:"streamsPerOwner"`   // open listens and GET streams; default 64
	StreamsPerTenant  int `yaml:"streamsPerTenant"`  // default 5,000
	Streams           int `yaml:"streams"`           // of a node; default 20,000

	// Rates of one client of one owner.
	ReadsPerSecond       int `yaml:"readsPerSecond"`       // resources/read; default 20, burst 5 times that
	CompletionsPerSecond int `yaml:"completionsPerSecond"` // completion/complete; default 10
	CallsPerSecond       int `yaml:"callsPerSecond"`       // tools/call, prompts/get and new sessions; default 50, burst 4 times that

	Joins                   int `yaml:"joins"`                   // under way at a time; further ones wait; default 128
	JoinsPerTenantPerSecond int `yaml:"joinsPerTenantPerSecond"` // default 200

	Views int `yaml:"views"` // engines of owners; default 20,000

	// Classic sessions that are awake: used in the last 30 s, or with a stream.
	SessionsPerOwner int `yaml:"sessionsPerOwner"` // default 128
	Sessions         int `yaml:"sessions"`         // of a node; default 10,000
}

func (l Limits) withDefaults() Limits {
	for _, field := range l.fields() {
		*field.value = cmp.Or(*field.value, field.standard)
	}
	return l
}

// A limitField is one limit by its key.
type limitField struct {
	key      string
	value    *int
	standard int
}

func (l *Limits) fields() []limitField {
	return []limitField{
		{"pagesPerOwner", &l.PagesPerOwner, 32},
		{"pagesPerTenant", &l.PagesPerTenant, 5_000},
		{"pages", &l.Pages, 20_000},
		{"requestsPerOwner", &l.RequestsPerOwner, 64},
		{"requestsPerTenant", &l.RequestsPerTenant, 512},
		{"streamsPerOwner", &l.StreamsPerOwner, 64},
		{"streamsPerTenant", &l.StreamsPerTenant, 5_000},
		{"streams", &l.Streams, 20_000},
		{"readsPerSecond", &l.ReadsPerSecond, 20},
		{"completionsPerSecond", &l.CompletionsPerSecond, 10},
		{"callsPerSecond", &l.CallsPerSecond, 50},
		{"joins", &l.Joins, 128},
		{"joinsPerTenantPerSecond", &l.JoinsPerTenantPerSecond, 200},
		{"views", &l.Views, 20_000},
		{"sessionsPerOwner", &l.SessionsPerOwner, 128},
		{"sessions", &l.Sessions, 10_000},
	}
}

// LimitKeys returns the keys of all limits.
func LimitKeys() (keys []string) {
	for _, field := range (&Limits{}).fields() {
		keys = append(keys, field.key)
	}
	return keys
}

// maxUnknownConns is the number of connections whose clients are not authenticated: pages
// that have not shown their token yet are among them, all at once after the loss of a node.
const maxUnknownConns = quotas.MaxWaitingJoins + spareFiles - ownFiles

const (
	spareFiles = 1_000     // at least, for connections of unknown clients, and ownFiles
	ownFiles   = 200       // for listeners, NATS and issuers
	maxLimit   = 1_000_000 // of each of Limits
)

// ownConns returns the number of connections of pages and streams. One that is passed on to another
// node has two here.
func (c Config) ownConns() int {
	limits := c.Limits.withDefaults()
	if c.Cluster != nil {
		return 2 * (limits.Pages + limits.Streams)
	}
	return limits.Pages + limits.Streams
}

// CheckFileLimit returns an error if a process with this limit of open files
// (RLIMIT_NOFILE) cannot serve as many pages and streams as c allows.
func (c Config) CheckFileLimit(files uint64) error {
	limits := c.Limits.withDefaults()
	if want := c.ownConns() + spareFiles; files < uint64(max(want, 0)) {
		return Refusal("limits", "%d open files are allowed, and %d pages, %d streams and %d others need %d; raise the limit (ulimit -n, LimitNOFILE), or lower limits.pages and limits.streams",
			files, limits.Pages, limits.Streams, spareFiles, want)
	}
	return nil
}

// UnknownConns returns how many connections of clients that are not authenticated may be
// open in a process with this limit of open files: not more than the files that pages,
// streams and the node itself leave. It is at least 800 if CheckFileLimit returns nil.
func (c Config) UnknownConns(files uint64) int {
	left := int(min(files, 1<<31)) - c.ownConns() - ownFiles
	return min(maxUnknownConns, left)
}

func (c *checker) limits(l Limits) {
	for _, field := range l.fields() {
		if *field.value < 0 || *field.value > maxLimit {
			c.refuse("limits."+field.key, "%d is out of range; want 1 to %d, or leave it out for %d", *field.value, maxLimit, field.standard)
		}
	}
}
