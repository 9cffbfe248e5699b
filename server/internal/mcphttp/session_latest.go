package mcphttp

import "time"

// latestChanges are the changes of the subscriptions of a session in the last while, as this
// node knows them. Nodes compare them after events may have been lost: without them it could
// not be told whether a subscription that only one of them knows is new or has ended.
type latestChanges struct {
	byURI map[string]latestChange

	// all keeps the changes until it is reset: those of a session that was restored without
	// what is stored, to which they will be added.
	all bool
}

type latestChange struct {
	at           time.Time
	unsubscribed bool
}

const (
	latestTime   = time.Minute // longer than a node may be away from the others and still serve
	maxLatest    = 64          // changes of one session; further ones replace the oldest. Subscriptions do not count while all are kept: the session has their URIs
	maxLatestURI = 2 << 10     // bytes
)

func (l *latestChanges) subscribe(uri string) { l.put(uri, latestChange{at: time.Now()}) }

func (l *latestChanges) unsubscribe(uri string) {
	l.put(uri, latestChange{at: time.Now(), unsubscribed: true})
}

func (l *latestChanges) put(uri string, c latestChange) {
	if l.byURI == nil {
		l.byURI = map[string]latestChange{}
	}
	delete(l.byURI, uri)
	if l.counts(c) && len(uri) > maxLatestURI {
		return
	}
	l.byURI[uri] = c
	oldest, count := uri, 0
	for other, o := range l.byURI {
		switch {
		case !l.isCurrent(o, c.at):
			delete(l.byURI, other)
		case l.counts(o):
			if count++; count == 1 || o.at.Before(l.byURI[oldest].at) {
				oldest = other
			}
		}
	}
	if count > maxLatest {
		delete(l.byURI, oldest)
	}
}

// counts reports whether a change uses memory of its own.
func (l *latestChanges) counts(c latestChange) bool { return !l.all || c.unsubscribed }

// isCurrent reports whether a change is to be known at a time.
func (l *latestChanges) isCurrent(c latestChange, at time.Time) bool {
	return l.all || at.Sub(c.at) <= latestTime
}

// times returns when the client has subscribed and unsubscribed: Unix time in ms.
func (l *latestChanges) times() (subscribed, unsubscribed map[string]int64) {
	subscribed, unsubscribed = l.ages()
	for _, ages := range []map[string]int64{subscribed, unsubscribed} {
		for uri := range ages {
			ages[uri] = l.byURI[uri].at.UnixMilli()
		}
	}
	return subscribed, unsubscribed
}

// ages returns how many ms ago the client has subscribed and unsubscribed.
func (l *latestChanges) ages() (subscribed, unsubscribed map[string]int64) {
	subscribed, unsubscribed = map[string]int64{}, map[string]int64{}
	now := time.Now()
	for uri, c := range l.byURI {
		age := now.Sub(c.at).Milliseconds()
		switch {
		case !l.isCurrent(c, now):
		case c.unsubscribed:
			unsubscribed[uri] = age
		default:
			subscribed[uri] = age
		}
	}
	return subscribed, unsubscribed
}

// hear takes over a change that another node reports, age after it, unless this node knows a
// later one: then it returns false.
func (l *latestChanges) hear(uri string, age time.Duration, unsubscribed bool) bool {
	if age < 0 || age > latestTime {
		return false
	}
	at := time.Now().Add(-age)
	if own, found := l.byURI[uri]; found && own.at.After(at) {
		return false
	}
	l.put(uri, latestChange{at, unsubscribed})
	return true
}

// isNew reports whether the client's latest change was to subscribe.
func (l *latestChanges) isNew(uri string) bool {
	own, found := l.byURI[uri]
	return found && !own.unsubscribed && l.isCurrent(own, time.Now())
}

// isGone reports whether the client's latest change was to unsubscribe.
func (l *latestChanges) isGone(uri string) bool {
	own, found := l.byURI[uri]
	return found && own.unsubscribed && l.isCurrent(own, time.Now())
}
