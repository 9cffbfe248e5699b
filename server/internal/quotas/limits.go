package quotas

import (
	"cmp"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"golang.org/x/time/rate"
)

// Limits says what one client, owner, tenant and gateway may use. A zero number is no limit;
// rates and JoinsPerTenantPerSecond are required.
type Limits struct {
	PagesPerOwner, PagesPerTenant, Pages int

	// Requests in flight, streams excluded.
	RequestsPerPage                     int // of one client; see [access.PageShare] for all pages
	RequestsPerOwner, RequestsPerTenant int

	StreamsPerClient                           int // listens
	StreamsPerOwner, StreamsPerTenant, Streams int // listens and GET streams

	// Callers tells clients with the same credentials apart by what they say of themselves,
	// which may be false. The limits of their owner hold for all of them.
	Callers bool

	ReadsPerSecond, CompletionsPerSecond, CallsPerSecond rate.Limit // of one client

	JoinsPerTenantPerSecond int
}

// Local returns l with the defaults of a gateway of one owner: those of package limits.
func Local(l Limits) Limits {
	l.Callers = true
	l.RequestsPerPage = cmp.Or(l.RequestsPerPage, limits.MaxInFlight)
	l.RequestsPerOwner = max(l.RequestsPerPage, limits.MaxAllInFlight)
	l.StreamsPerClient = cmp.Or(l.StreamsPerClient, limits.MaxStreams)
	l.StreamsPerOwner = max(l.StreamsPerClient, limits.MaxAllStreams)
	l.ReadsPerSecond = cmp.Or(l.ReadsPerSecond, limits.ReadRate)
	l.CompletionsPerSecond = cmp.Or(l.CompletionsPerSecond, limits.CompletionRate)
	l.CallsPerSecond = cmp.Or(l.CallsPerSecond, limits.CallRate)
	return l
}

// A size is that of a token bucket.
type size struct {
	limit        string // its key
	perSecond    rate.Limit
	burstSeconds int // the burst, as a multiple of the rate
}

func (s size) burst() int { return max(1, int(s.perSecond*rate.Limit(s.burstSeconds))) }

// maxOwnerShare: an owner has one part in so many of the joins of its tenant, so that its
// pages that join again and again keep no other owner of the tenant out.
const maxOwnerShare = 16

// size returns that of the token bucket of a place.
func (l *Limits) size(at place) size {
	switch {
	case at.kind == joins && at.scope == ofOwner:
		return size{"joinsPerTenantPerSecond", rate.Limit(max(1, l.JoinsPerTenantPerSecond/maxOwnerShare)), limits.BurstSeconds}
	case at.kind == joins:
		return size{"joinsPerTenantPerSecond", rate.Limit(l.JoinsPerTenantPerSecond), 1}
	case at.kind == rates+kind(engine.RateReads):
		return size{"readsPerSecond", l.ReadsPerSecond, limits.BurstSeconds}
	case at.kind == rates+kind(engine.RateCompletions):
		return size{"completionsPerSecond", l.CompletionsPerSecond, 1}
	}
	return size{"callsPerSecond", l.CallsPerSecond, limits.CallBurstSeconds}
}

// fillTime returns the time after which all buckets that were used are as full as new ones.
func (l *Limits) fillTime() time.Duration {
	longest := limits.BurstSeconds * time.Second // of joins
	for k := rates; k < rates+kind(engine.RateNone); k++ {
		s := l.size(place{kind: k})
		longest = max(longest, time.Duration(float64(s.burst())/float64(s.perSecond)*float64(time.Second)))
	}
	return longest + limits.MaxDelay
}
