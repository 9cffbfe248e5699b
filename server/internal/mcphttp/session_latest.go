package mcphttp

import "time"

// latestChanges are the changes of the subscriptions of a session in the last while, as this
// node knows them. Nodes compare them after events may have been lost: without them it could
// not be told whether a subscription that only one of them knows is new or has ended.
type latestChanges struct {
	byURI map[string]latestChange
}

type latestChange struct {
	at           time.Time
	unsubscribed bool
}

const (
	latestTime   = time.Minute // longer than a node may be away from the others and still serve
	maxLatest    = 64          // changes of one session; further ones replace the oldest
	maxLatestURI = 2 << 10     // bytes
)

func (l *latestChanges) subscribe(uri string) { l.put(uri, latestChange{at: time.Now()}) }

func (l *latestChanges) unsubscribe(uri string) {
	l.put(uri, latestChange{at: time.Now(), unsubscribed: true})
}

func (l *latestChanges) put(uri string, c latestChange) {
	if len(uri) > maxLatestURI {
		return
	}
	if l.byURI == nil {
		l.byURI = map[string]latestChange{}
	}
	l.byURI[uri] = c
	oldest := uri
	for other, o := range l.byURI {
		switch {
		case c.at.Sub(o.at) > latestTime:
			delete(l.byURI, other)
		case o.at.Before(l.byURI[oldest].at):
			oldest = other
		}
	}
	if len(l.byURI) > maxLatest {
		delete(l.byURI, oldest)
	}
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
	for uri, c := range l.byURI {
		age := time.Since(c.at)
		switch {
		case age > latestTime:
		case c.unsubscribed:
			unsubscribed[uri] = age.Milliseconds()
		default:
			subscribed[uri] = age.Milliseconds()
		}
	}
	return subscribed, unsubscribed
}

// hear takes over a change that another node reports, so many ms after it, if it is later
// than the one that this node knows.
func (l *latestChanges) hear(uri string, age int64, unsubscribed bool) {
	if age < 0 || age > latestTime.Milliseconds() {
		return
	}
	at := time.Now().Add(-time.Duration(age) * time.Millisecond)
	if own, found := l.byURI[uri]; !found || own.at.Before(at) {
		l.put(uri, latestChange{at, unsubscribed})
	}
}

// isNew reports whether the client's latest change was to subscribe.
func (l *latestChanges) isNew(uri string) bool {
	own, found := l.byURI[uri]
	return found && !own.unsubscribed && time.Since(own.at) <= latestTime
}

// isGone reports whether the client's latest change was to unsubscribe.
func (l *latestChanges) isGone(uri string) bool {
	own, found := l.byURI[uri]
	return found && own.unsubscribed && time.Since(own.at) <= latestTime
}
