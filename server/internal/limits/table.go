package limits

import (
	"slices"
	"time"
)

// A What is what a limit is of.
type What uint8

// What is limited: at a time, and from Joins on in a second.
const (
	Requests    What = iota // in flight, without streams
	Bodies                  // large ones, that are read or served
	Streams                 // listens and GET streams
	Listens                 // likewise, of one client
	Pages                   // that have joined
	Joining                 // pages whose join is under way
	waiting                 // requests that wait for others to end
	queued                  // joins that wait for others to end
	Sessions                // classic ones that are awake
	Views                   // engines of owners
	Joins                   // of pages
	Reads                   // resources/read
	Completions             // completion/complete
	Calls                   // tools/call, prompts/get and new sessions
	whats       = iota
)

// A Scope says whose uses are counted together: those of all, of a tenant, of an owner, of one client of an
// owner, or of that at one page.
type Scope uint8

// The scopes.
const (
	OfNode Scope = iota
	OfTenant
	OfOwner
	OfClient
	OfPage
)

// A Limit is how much of something a node, a tenant, an owner or a client may use.
type Limit struct {
	Key    string // in the configuration of a hosted gateway, and in errors
	What   What
	Scope  Scope
	Most   float64 // at a time, or in a second; 0: it is counted, and has no limit
	Factor float64 // Most, as a multiple of what is configured; 0: it cannot be configured
	Burst  float64 // of a rate: as many seconds of it
}

// Limits is the table of all limits of a gateway.
type Limits []Limit

// MaxQueued is the number of joins of a node that wait: about what it admits within QueueTime.
const MaxQueued = 8_192

// Hosted returns the limits of a node of many users, by default.
func Hosted() Limits {
	return Limits{
		{"pagesPerOwner", Pages, OfOwner, 32, 1, 0},
		{"pagesPerTenant", Pages, OfTenant, 5_000, 1, 0},
		{"pages", Pages, OfNode, 20_000, 1, 0},

		{"requestsPerPage", Requests, OfPage, 0, 0, 0},
		{"requestsPerClient", Requests, OfClient, 0, 0, 0},
		{"requestsPerOwner", Requests, OfOwner, 64, 1, 0},
		{"requestsPerTenant", Requests, OfTenant, 512, 1, 0},
		{"requests", Requests, OfNode, 0, 0, 0},
		{"requestsPerPage", waiting, OfPage, 0, 0, 0},
		{"requestsPerOwner", waiting, OfOwner, 64, 1, 0},
		{"requestsPerOwner", Bodies, OfOwner, 64, 1, 0}, // which count as requests once they are read
		{"requestsPerTenant", Bodies, OfTenant, 512, 1, 0},
		{"requests", Bodies, OfNode, 0, 0, 0},

		{"streamsPerClient", Listens, OfClient, 0, 0, 0},
		{"streamsPerOwner", Streams, OfOwner, 64, 1, 0},
		{"streamsPerTenant", Streams, OfTenant, 5_000, 1, 0},
		{"streams", Streams, OfNode, 20_000, 1, 0},

		{"readsPerSecond", Reads, OfClient, 20, 1, 5},
		{"completionsPerSecond", Completions, OfClient, 10, 1, 1},
		{"callsPerSecond", Calls, OfClient, 50, 1, 4}, // a page's engine counts the whole gateway as one client

		{"joins", Joining, OfOwner, 8, 0, 0}, // so that no owner keeps others out
		{"joins", Joining, OfNode, 128, 1, 0},
		{"joins", queued, OfOwner, 56, 0, 0}, // with those under way more than the pages of an owner
		{"joins", queued, OfNode, MaxQueued, 0, 0},
		{"joinsPerTenantPerSecond", Joins, OfOwner, 12, 1. / 16, 5}, // an owner whose pages join again and again keeps no other one out
		{"joinsPerTenantPerSecond", Joins, OfTenant, 200, 1, 1},

		{"sessionsPerOwner", Sessions, OfOwner, 128, 1, 0},
		{"sessions", Sessions, OfNode, 10_000, 1, 0},
		{"views", Views, OfNode, 20_000, 1, 0},
	}
}

// Local returns the limits of a gateway of one user, whose clients may share one token.
func Local() Limits {
	l := Hosted()
	for i := range l {
		switch at := &l[i]; at.Key {
		case "requestsPerPage":
			at.Factor = map[What]float64{Requests: 1, waiting: SharesInFlight}[at.What]
		case "streamsPerClient":
			at.Factor = 1
		}
	}
	for key, most := range map[string]float64{
		"requestsPerPage": MaxInFlight, "requestsPerOwner": MaxAllInFlight, "streamsPerClient": MaxStreams, "streamsPerOwner": MaxAllStreams,
		"readsPerSecond": 100, "sessionsPerOwner": 10_000,
	} {
		l.Set(key, most)
	}
	return l
}

// Set changes a limit that can be configured, unless most is 0.
func (l Limits) Set(key string, most float64) {
	for i := range l {
		if at := &l[i]; at.Key == key && at.Factor > 0 && most > 0 {
			at.Most = most * at.Factor
		}
	}
}

// Keys returns the keys of the limits that can be configured.
func (l Limits) Keys() (keys []string) {
	for _, at := range l {
		if at.Factor > 0 && !slices.Contains(keys, at.Key) {
			keys = append(keys, at.Key)
		}
	}
	return keys
}

// Of returns a limit that the table has.
func (l Limits) Of(what What, scope Scope) int {
	for _, at := range l {
		if at.What == what && at.Scope == scope {
			return int(at.Most)
		}
	}
	return 0
}

// Share returns the limits of one of several nodes: owners are served by one, and those of a tenant by all.
func (l Limits) Share(nodes int) Limits {
	shared := append(Limits{}, l...)
	for i := range shared {
		if at := &shared[i]; at.Scope == OfTenant {
			at.Most = float64((int(at.Most) + nodes - 1) / nodes)
		}
	}
	return shared
}

// PageShare returns how many requests a client may have in flight for one page, if it has total
// for all: share, or MinInFlight once it has SharesInFlight times its share. A page
// whose requests stay unanswered uses up its own share, and not those of other pages.
func PageShare(share, total int) int {
	if total < SharesInFlight*share {
		return share
	}
	return min(share, MinInFlight)
}

// retry returns how long a client that exceeds a limit is asked to wait where no time is known.
func (w What) retry() time.Duration {
	switch w {
	case Pages:
		return 15 * time.Second
	case Joining:
		return QueueTime
	}
	return time.Second
}

// waits returns what counts uses that wait for others to end.
func (w What) waits() (queue What, ok bool) {
	switch w {
	case Requests:
		return waiting, true
	case Joining:
		return queued, true
	}
	return 0, false
}
