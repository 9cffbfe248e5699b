package limits

import (
	"container/list"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// A User is whose use counts: that of a client, or of a page that joins, by its credentials.
type User struct {
	Tenant string // "" without tenants: their limits do not apply then
	Owner  string
	Client string // the principal of an assistant; "" for pages
	Caller string // tells clients with the same credentials apart; it is what they say of themselves, which may be false
	Page   string // that a request is for; "" if it is not for one page
}

// An Exceeded is the reason why a use is rejected.
type Exceeded struct {
	Limit string        // its key
	Text  string        // for the client; nothing of others
	Retry time.Duration // after which there may be room; 0 if unknown
}

// Error implements error.
func (e *Exceeded) Error() string { return e.Text }

// Seconds returns the value of Retry-After (RFC 9110, section 10.2.3), or 0.
func (e *Exceeded) Seconds() int { return int((e.Retry + time.Second - 1) / time.Second) }

func exceeded(limit string, most any, retry time.Duration) *Exceeded {
	e := &Exceeded{Limit: limit, Retry: retry}
	e.Text = fmt.Sprintf("The limit %s of %v is reached; retry in %d s", limit, most, max(1, e.Seconds()))
	return e
}

// A place is where uses are counted, or their rate is.
type place struct {
	what  What
	scope Scope
	user  User
}

// at returns the place of a user in a scope.
func (u User) at(what What, scope Scope) place {
	p := place{what: what, scope: scope}
	switch scope {
	case OfTenant:
		p.user.Tenant = u.Tenant
	case OfOwner:
		p.user.Owner = u.Owner
	case OfClient, OfPage:
		p.user = User{Owner: u.Owner, Client: u.Client}
		if what < Joins { // rates are those of the credentials
			p.user.Caller = u.Caller
		}
		if scope == OfPage {
			p.user.Page = u.Page
		}
	}
	return p
}

// Usage counts what clients, owners, tenants and the node use, and rejects what is over its Limits. Each
// place is counted apart from the others, so one that is at its limit takes nothing from them.
// What uses nothing is not remembered, a token bucket until it is full again. Its methods may be called
// concurrently, do not block but for Take, and cost the same however many owners there are.
type Usage struct {
	onExceed func(limit string)

	mu      sync.Mutex
	limits  Limits
	rows    [whats][]Limit // of limits
	counts  map[place]int
	lines   map[place][]*use // that wait, in the order in which they came; requests by owner
	buckets map[place]*bucket
	recent  list.List     // of *bucket, the one that was used least recently first
	idle    time.Duration // after which every bucket is full
}

// A use is one of a user, from Take until it is released.
type use struct {
	who     User
	what    What
	granted chan struct{} // closed when it is counted after it has waited
	isOver  bool          // it has left
}

// A bucket has the tokens of a place.
type bucket struct {
	*rate.Limiter
	at      place
	used    time.Time
	element *list.Element // of Usage.recent
}

// maxClients is the number of clients of one owner whose rates are remembered: it can register any number.
const maxClients = 64

// New returns a Usage of nothing. onExceed, which may be nil, is called with the key of each limit by which a
// use is rejected.
func New(l Limits, onExceed func(limit string)) *Usage {
	if onExceed == nil {
		onExceed = func(string) {}
	}
	u := &Usage{onExceed: onExceed, counts: map[place]int{}, lines: map[place][]*use{}, buckets: map[place]*bucket{}}
	u.SetLimits(l)
	return u
}

// SetLimits replaces the limits, as a reload of the configuration does. What is in use
// over a new limit stays in use.
func (u *Usage) SetLimits(l Limits) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.limits, u.rows, u.idle = l, [whats][]Limit{}, MaxDelay
	for _, at := range l {
		u.rows[at.What] = append(u.rows[at.What], at)
		if at.Burst > 0 {
			u.idle = max(u.idle, time.Duration(float64(at.burst())/at.Most*float64(time.Second))+MaxDelay)
		}
	}
	for at, b := range u.buckets {
		for _, row := range u.rows[at.what] {
			if row.Scope == at.scope {
				b.SetLimit(row.rate())
				b.SetBurst(row.burst())
			}
		}
	}
}

func (l Limit) rate() rate.Limit { return rate.Limit(l.Most) }
func (l Limit) burst() int       { return max(1, int(l.Most*l.Burst)) }

// Limits returns the limits that hold now.
func (u *Usage) Limits() Limits {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.limits
}

// InUse returns how many uses there are in a scope of a user, and how many of them wait.
func (u *Usage) InUse(what What, scope Scope, who User) (counted, waiting int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if queue, ok := what.waits(); ok {
		waiting = u.counts[who.at(queue, scope)]
	}
	return u.counts[who.at(what, scope)], waiting
}

// Full returns the rejection of a join that would find no place in the queue, or nil.
func (u *Usage) Full() *Exceeded {
	if _, waiting := u.InUse(Joining, OfNode, User{}); waiting < MaxQueued {
		return nil
	}
	return u.exceed(exceeded("joins", MaxQueued, QueueTime))
}

func (u *Usage) exceed(over *Exceeded) *Exceeded {
	if over != nil {
		u.onExceed(over.Limit)
	}
	return over
}

// Take counts one more use of a user until release is called; further calls of it do nothing. If over is not
// nil, it is rejected, and nothing is counted. A request or a join over a limit waits before that, until
// others have ended, QueueTime has passed, or ctx ends.
func (u *Usage) Take(ctx context.Context, who User, what What) (release func(), over *Exceeded) {
	one := &use{who: who, what: what}
	if over = u.enter(one, true); over == nil {
		return func() { u.leave(one) }, nil
	}
	if one.granted == nil {
		return nil, u.exceed(over)
	}
	late := time.NewTimer(QueueTime)
	defer late.Stop()
	select {
	case <-one.granted:
		return func() { u.leave(one) }, nil
	case <-late.C:
	case <-ctx.Done():
	}
	u.leave(one)
	return nil, u.exceed(over)
}

// Try is Take for a use that is taken again, to wait, if this is not possible now.
func (u *Usage) Try(who User, what What) (release func(), ok bool) {
	one := &use{who: who, what: what}
	if u.enter(one, false) != nil {
		return nil, false
	}
	return func() { u.leave(one) }, true
}

// enter counts a use, or makes it wait if it may and there is room for that.
func (u *Usage) enter(one *use, mayWait bool) *Exceeded {
	u.mu.Lock()
	defer u.mu.Unlock()
	over := u.count(one.who, one.what)
	queue, canWait := one.what.waits()
	if over != nil && mayWait && canWait && u.count(one.who, queue) == nil {
		one.granted = make(chan struct{})
		line := one.line()
		u.lines[line] = append(u.lines[line], one)
	}
	return over
}

// line returns the queue of a use: requests wait for others of their owner, and joins for all.
func (one *use) line() place {
	if one.what == Joining {
		return place{what: Joining}
	}
	return one.who.at(one.what, OfOwner)
}

// leave ends a use. In place of one that was counted the one that has waited longest begins, of those for which
// there is room.
func (u *Usage) leave(one *use) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if one.isOver {
		return
	}
	one.isOver = true
	line := one.line()
	if i := slices.Index(u.lines[line], one); i >= 0 {
		u.dequeue(line, i)
		return
	}
	u.uncount(one.who, one.what)
	for i, next := range u.lines[line] {
		if u.count(next.who, next.what) == nil {
			u.dequeue(line, i)
			close(next.granted)
			return
		}
	}
}

// dequeue removes a use that waits. The caller holds the lock, here and below.
func (u *Usage) dequeue(line place, i int) {
	one := u.lines[line][i]
	queue, _ := one.what.waits()
	u.uncount(one.who, queue)
	if u.lines[line] = slices.Delete(u.lines[line], i, i+1); len(u.lines[line]) == 0 {
		delete(u.lines, line)
	}
}

// count counts one more use at each place, or at none if one of them is at its limit.
func (u *Usage) count(who User, what What) *Exceeded {
	for _, row := range u.rows[what] {
		if over := u.isOver(who, row); over != nil {
			return over
		}
	}
	for _, row := range u.rows[what] {
		u.counts[who.at(what, row.Scope)]++
	}
	return nil
}

// isOver returns the rejection of a use by one limit. A client has its PageShare of a page. A quarter of an owner's
// requests is kept for clients that have few for a page: a page that does not answer costs
// itself, and no other page or client.
func (u *Usage) isOver(who User, row Limit) *Exceeded {
	most, used := int(row.Most), u.counts[who.at(row.What, row.Scope)]
	switch {
	case most == 0 || row.Scope == OfTenant && who.Tenant == "":
		return nil
	case row.What == Requests && row.Scope == OfPage:
		most = PageShare(most, u.counts[who.at(Requests, OfClient)])
	case row.What == Requests && row.Scope == OfOwner && u.counts[who.at(Requests, OfPage)] >= MinInFlight:
		used += most / 4
	}
	if used < most {
		return nil
	}
	return exceeded(row.Key, most, row.What.retry())
}

// uncount undoes count.
func (u *Usage) uncount(who User, what What) {
	for _, row := range u.rows[what] {
		u.less(who.at(what, row.Scope))
	}
}

func (u *Usage) less(at place) {
	if left := u.counts[at] - 1; left > 0 {
		u.counts[at] = left
	} else {
		delete(u.counts, at)
	}
}

// Reserve counts one more use of a rate, and returns how long it has to wait to stay within it: most at
// most. If over is not nil, it is rejected.
func (u *Usage) Reserve(who User, what What, most time.Duration) (wait time.Duration, over *Exceeded) {
	wait, over = u.reserve(who, what, most)
	return wait, u.exceed(over)
}

func (u *Usage) reserve(who User, what What, most time.Duration) (wait time.Duration, over *Exceeded) {
	u.mu.Lock()
	defer u.mu.Unlock()
	now := time.Now()
	for _, row := range u.rows[what] {
		if row.Scope == OfTenant && who.Tenant == "" {
			continue
		}
		b := u.bucket(who.at(what, row.Scope), row, now)
		if b == nil {
			return 0, exceeded("clients", maxClients, u.idle)
		}
		reserved := b.ReserveN(now, 1)
		late := reserved.DelayFrom(now)
		if late > most {
			reserved.CancelAt(now)
			return 0, exceeded(row.Key, row.Most, late-most+time.Millisecond) // the bucket rounds
		}
		wait = max(wait, late)
	}
	return wait, nil
}

// bucket returns that of a place, which is new after a while without uses, and makes it the most recent one.
// Those that were not used for the idle time are removed: they are as full as new ones. It is nil if an owner
// has too many.
func (u *Usage) bucket(at place, row Limit, now time.Time) *bucket {
	for oldest := u.recent.Front(); oldest != nil && now.Sub(oldest.Value.(*bucket).used) >= u.idle; oldest = u.recent.Front() {
		old := u.recent.Remove(oldest).(*bucket).at
		delete(u.buckets, old)
		u.less(old.user.at(old.what, OfOwner))
	}
	b := u.buckets[at]
	if b == nil {
		all := at.user.at(at.what, OfOwner)
		if at.scope == OfClient && u.counts[all] >= maxClients {
			return nil
		}
		b = &bucket{Limiter: rate.NewLimiter(row.rate(), row.burst()), at: at}
		b.element = u.recent.PushBack(b)
		u.buckets[at] = b
		u.counts[all]++
	}
	b.used = now
	u.recent.MoveToBack(b.element)
	return b
}
