package quotas

import (
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"golang.org/x/time/rate"
)

// A clientUse has the token buckets of one client of one owner.
type clientUse struct {
	recentEntry
	buckets [engine.RateNone]*rate.Limiter
}

type joinRate struct {
	recentEntry
	limiter *rate.Limiter
}

// Delay implements [access.Limiter]. The longest wait is limits.MaxDelay.
func (q *Quotas) Delay(c access.Client, method string) (wait time.Duration, over *access.Exceeded) {
	of := engine.MethodOf(method).Rate
	if of >= engine.RateNone {
		return 0, nil
	}
	wait, over = q.delay(Identity{c.Tenant, c.Owner, c.Principal}, of)
	if over != nil {
		q.onExceed(over.Limit)
		over.Text = "Too many requests per second: " + over.Text
	}
	return wait, over
}

func (q *Quotas) delay(who Identity, of engine.Rate) (wait time.Duration, over *access.Exceeded) {
	q.mu.Lock()
	defer q.mu.Unlock()
	client, over := q.client(who)
	if over != nil {
		return 0, over
	}
	return reserve(client.buckets[of], q.limits.sizes()[of].limit, limits.MaxDelay)
}

// client returns the buckets of a client, which are new after a while without requests.
func (q *Quotas) client(who Identity) (*clientUse, *access.Exceeded) {
	owner := q.owner(who.Owner)
	client := owner.clients[who.Client]
	if client == nil {
		if len(owner.clients) >= maxClients {
			return nil, Exceeded("clients", maxClients, q.idle)
		}
		if owner.clients == nil {
			owner.clients = map[string]*clientUse{}
		}
		client = &clientUse{}
		for i, s := range q.limits.sizes() {
			client.buckets[i] = bucket(s)
		}
		client.remove = func() {
			delete(owner.clients, who.Client)
			q.forget(who, share{})
		}
		owner.clients[who.Client] = client
	}
	q.use(&client.recentEntry)
	return client, nil
}

func bucket(s size) *rate.Limiter { return rate.NewLimiter(s.perSecond, s.burst()) }

func resize(limiter *rate.Limiter, s size) {
	limiter.SetLimit(s.perSecond)
	limiter.SetBurst(s.burst())
}

// reserve takes one token of a bucket, which may be there only after wait.
func reserve(limiter *rate.Limiter, limit string, most time.Duration) (wait time.Duration, over *access.Exceeded) {
	now := time.Now()
	reserved := limiter.ReserveN(now, 1)
	if wait = reserved.DelayFrom(now); wait > most {
		reserved.CancelAt(now)
		return 0, Exceeded(limit, limiter.Limit(), wait-most+time.Millisecond) // the bucket rounds
	}
	return wait, nil
}

// Join counts one more join of an owner and its tenant, and rejects it over the rate of one
// of them.
func (q *Quotas) Join(who Identity) *access.Exceeded {
	if who.Tenant == "" {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	own := q.joins(&q.owner(who.Owner).joins, who, q.limits.ownerJoins())
	all := q.joins(&q.tenant(who.Tenant).joins, who, q.limits.tenantJoins())
	if _, over := reserve(own, joinsLimit, 0); over != nil {
		return over
	}
	_, over := reserve(all, joinsLimit, 0)
	return over
}

// joins returns the bucket of an owner or a tenant, which is new after a while without joins.
func (q *Quotas) joins(of **joinRate, who Identity, s size) *rate.Limiter {
	if *of == nil {
		*of = &joinRate{limiter: bucket(s)}
		(*of).remove = func() {
			*of = nil
			q.forget(who, share{})
		}
	}
	q.use(&(*of).recentEntry)
	return (*of).limiter
}

// SetLimits replaces the limits, as a reload of the configuration does. What is in use
// over a new limit stays in use.
func (q *Quotas) SetLimits(l Limits) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.limits, q.idle = l, l.fillTime()
	for _, owner := range q.owners {
		if owner.joins != nil {
			resize(owner.joins.limiter, l.ownerJoins())
		}
		for _, client := range owner.clients {
			for i, s := range l.sizes() {
				resize(client.buckets[i], s)
			}
		}
	}
	for _, tenant := range q.tenants {
		if tenant.joins != nil {
			resize(tenant.joins.limiter, l.tenantJoins())
		}
	}
}
