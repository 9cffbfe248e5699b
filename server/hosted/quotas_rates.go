package hosted

import (
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"golang.org/x/time/rate"
)

// delay counts one more request of a method by a client, and returns how long the request
// has to wait to stay within the rate. Nothing is counted, and the error is an
// *exceededError, if that is more than limits.MaxDelay.
func (q *quotas) delay(who identity, method string) (wait time.Duration, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	var pick func(*clientUse) *rate.Limiter
	var limit string
	switch engine.MethodOf(method).Rate {
	case engine.RateNone:
		return 0, nil
	case engine.RateReads:
		pick, limit = func(c *clientUse) *rate.Limiter { return c.reads }, "readsPerSecond"
	case engine.RateCompletions:
		pick, limit = func(c *clientUse) *rate.Limiter { return c.completions }, "completionsPerSecond"
	default:
		pick, limit = func(c *clientUse) *rate.Limiter { return c.calls }, "callsPerSecond"
	}
	client, err := q.client(who)
	if err != nil {
		return 0, err
	}
	return reserve(pick(client), limit, limits.MaxDelay)
}

// client returns the buckets of a client, which are new after a while without requests.
func (q *quotas) client(who identity) (*clientUse, error) {
	owner := q.owner(who.owner)
	client := owner.clients[who.client]
	if client == nil {
		if len(owner.clients) >= maxClients {
			return nil, &exceededError{"clients", maxClients, q.idle}
		}
		if owner.clients == nil {
			owner.clients = map[string]*clientUse{}
		}
		client = &clientUse{
			reads:       bucket(q.limits.ReadsPerSecond, limits.BurstSeconds),
			completions: bucket(q.limits.CompletionsPerSecond, 1),
			calls:       bucket(q.limits.CallsPerSecond, limits.CallBurstSeconds),
		}
		client.remove = func() {
			delete(owner.clients, who.client)
			q.forget(who)
		}
		owner.clients[who.client] = client
	}
	q.use(&client.recentEntry)
	return client, nil
}

func bucket(perSecond, burstSeconds int) *rate.Limiter {
	return rate.NewLimiter(rate.Limit(perSecond), perSecond*burstSeconds)
}

func resize(limiter *rate.Limiter, perSecond, burstSeconds int) {
	limiter.SetLimit(rate.Limit(perSecond))
	limiter.SetBurst(perSecond * burstSeconds)
}

// reserve takes one token of a bucket, which may be there only after wait.
func reserve(limiter *rate.Limiter, limit string, most time.Duration) (wait time.Duration, err error) {
	now := time.Now()
	reserved := limiter.ReserveN(now, 1)
	if wait = reserved.DelayFrom(now); wait > most {
		reserved.CancelAt(now)
		return 0, &exceededError{limit, int(limiter.Limit()), wait - most + time.Millisecond} // the bucket rounds
	}
	return wait, nil
}

// maxOwnerShare: an owner has one part in so many of the joins of its tenant, so that its
// pages that join again and again keep no other owner of the tenant out.
const maxOwnerShare = 16

func (l *Limits) ownerJoinsPerSecond() int { return max(1, l.JoinsPerTenantPerSecond/maxOwnerShare) }

// join counts one more join of an owner and its tenant, and rejects it over the rate of one
// of them.
func (q *quotas) join(who identity) error {
	if who.tenant == "" {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	const limit = "joinsPerTenantPerSecond"
	own := q.joins(&q.owner(who.owner).joins, who, q.limits.ownerJoinsPerSecond(), limits.BurstSeconds)
	all := q.joins(&q.tenant(who.tenant).joins, who, q.limits.JoinsPerTenantPerSecond, 1)
	if _, err := reserve(own, limit, 0); err != nil {
		return err
	}
	_, err := reserve(all, limit, 0)
	return err
}

// joins returns the bucket of an owner or a tenant, which is new after a while without joins.
func (q *quotas) joins(of **joinRate, who identity, perSecond, burstSeconds int) *rate.Limiter {
	if *of == nil {
		*of = &joinRate{limiter: bucket(perSecond, burstSeconds)}
		(*of).remove = func() {
			*of = nil
			q.forget(who)
		}
	}
	q.use(&(*of).recentEntry)
	return (*of).limiter
}

// setLimits replaces the limits, as a reload of the configuration does. What is in use
// over a new limit stays in use.
func (q *quotas) setLimits(l Limits) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.limits = l.withDefaults()
	for _, owner := range q.owners {
		if owner.joins != nil {
			resize(owner.joins.limiter, q.limits.ownerJoinsPerSecond(), limits.BurstSeconds)
		}
		for _, client := range owner.clients {
			resize(client.reads, q.limits.ReadsPerSecond, limits.BurstSeconds)
			resize(client.completions, q.limits.CompletionsPerSecond, 1)
			resize(client.calls, q.limits.CallsPerSecond, limits.CallBurstSeconds)
		}
	}
	for _, tenant := range q.tenants {
		if tenant.joins != nil {
			resize(tenant.joins.limiter, q.limits.JoinsPerTenantPerSecond, 1)
		}
	}
}
