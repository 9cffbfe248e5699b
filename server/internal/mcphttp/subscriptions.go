package mcphttp

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// Subscriptions are the resources that the client of a session has subscribed to, and those
// that it has unsubscribed from in the last while, by URI. Processes that serve the session,
// and what they have stored, may know different ones: of a URI the later change holds. nil is
// empty.
type Subscriptions map[string]Subscription

// A Subscription is the latest change of one URI.
type Subscription struct {
	At   time.Time // when it was made, by the clock of the node that made it; zero: long ago
	Gone bool      // unsubscribed
}

const (
	latestTime = time.Minute // longer than a node may be away from the others and still serve
	maxGone    = 64          // URIs of one session that are remembered as gone; further ones replace the oldest
	maxGoneURI = 2 << 10     // bytes
)

// MarshalJSON returns the stored form: Unix time in ms, negative if unsubscribed.
func (s Subscription) MarshalJSON() ([]byte, error) {
	at := int64(0)
	if !s.At.IsZero() {
		at = s.At.UnixMilli()
	}
	if s.Gone {
		at = -at
	}
	return strconv.AppendInt(nil, at, 10), nil
}

// UnmarshalJSON reverses MarshalJSON.
func (s *Subscription) UnmarshalJSON(text []byte) error {
	at, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return err
	}
	*s = Subscription{Gone: at < 0}
	if at != 0 {
		s.At = time.UnixMilli(max(at, -at))
	}
	return nil
}

// Has reports whether the client is subscribed to uri.
func (s Subscriptions) Has(uri string) bool {
	change, found := s[uri]
	return found && !change.Gone
}

// spelled returns how the client has spelled a URI that it is subscribed to, or the URI.
func (s Subscriptions) spelled(uri string) string {
	if s.Has(uri) {
		return uri
	}
	canonical := engine.CanonicalURI(uri)
	for other, change := range s {
		if !change.Gone && engine.CanonicalURI(other) == canonical {
			return other
		}
	}
	return uri
}

// asOld returns the subscriptions as those that were made long ago: any later change holds.
func (s Subscriptions) asOld() Subscriptions {
	old := Subscriptions{}
	for _, uri := range s.URIs() {
		old[uri] = Subscription{}
	}
	return old
}

// URIs returns what the client is subscribed to, in the order of the changes.
func (s Subscriptions) URIs() []string {
	var uris []string
	for uri, change := range s {
		if !change.Gone {
			uris = append(uris, uri)
		}
	}
	slices.SortFunc(uris, func(a, b string) int {
		if before := s[a].At.Compare(s[b].At); before != 0 {
			return before
		}
		if a < b {
			return -1
		}
		return 1
	})
	return uris
}

// isGone reports whether the client has unsubscribed from uri in the last while.
func (s Subscriptions) isGone(uri string) bool { return s[uri].Gone }

// put records a change. keepAll: what is gone is remembered until forget.
func (s *Subscriptions) put(uri string, change Subscription, keepAll bool) {
	if *s == nil {
		*s = Subscriptions{}
	}
	delete(*s, uri)
	if change.Gone && len(uri) > maxGoneURI {
		return
	}
	(*s)[uri] = change
	if !change.Gone {
		return
	}
	if !keepAll {
		s.forget(change.At)
	}
	oldest, count := uri, 0
	for other, c := range *s {
		if c.Gone {
			if count++; c.At.Before((*s)[oldest].At) {
				oldest = other
			}
		}
	}
	if count > maxGone {
		delete(*s, oldest)
	}
}

// forget forgets what was gone more than latestTime before now: other nodes know it by then.
func (s Subscriptions) forget(now time.Time) {
	maps.DeleteFunc(s, func(_ string, c Subscription) bool { return c.Gone && now.Sub(c.At) > latestTime })
}

// hear takes over a change that another node reports, age after it, unless a later one is
// known: then it returns false.
func (s *Subscriptions) hear(uri string, age time.Duration, gone, keepAll bool) bool {
	if age < 0 || age > latestTime {
		return false
	}
	at := time.Now().Add(-age)
	if own, found := (*s)[uri]; found && own.At.After(at) {
		return false
	}
	s.put(uri, Subscription{at, gone}, keepAll)
	return true
}

// ages returns the form for other nodes, whose clocks differ: how many ms ago each change was,
// bitwise complemented if unsubscribed.
func (s Subscriptions) ages() map[string]int64 {
	ages := make(map[string]int64, len(s))
	now := time.Now()
	for uri, change := range s {
		age := now.Sub(change.At).Milliseconds() // of the zero time: the longest duration
		if change.Gone {
			age = ^age
		}
		ages[uri] = age
	}
	return ages
}

// ageOf reverses ages for one URI.
func ageOf(value int64) (age time.Duration, gone bool) {
	if gone = value < 0; gone {
		value = ^value
	}
	return time.Duration(min(value, int64(24*time.Hour/time.Millisecond))) * time.Millisecond, gone
}

// size returns the memory of the URIs, approximately, in bytes.
func (s Subscriptions) size() int {
	size := 0
	for uri := range s {
		size += subscriptionOverhead + len(uri)
	}
	return size
}

// subscriptionOverhead is memory besides the text, in bytes.
const subscriptionOverhead = 64

// shortened returns s with at most limit bytes of subscriptions: the latest ones are left out.
func (s Subscriptions) shortened(limit int) Subscriptions {
	if s.size() <= limit {
		return s
	}
	s = maps.Clone(s)
	size := 0
	for _, uri := range s.URIs() {
		if size += subscriptionOverhead + len(uri); size > limit {
			delete(s, uri)
		}
	}
	return s
}

// mergeSubscriptions returns the changes of two states of one session. later is the state of which a change
// more than latestTime old includes all that earlier has; changes of all times count if a
// state was restored without what is stored.
func mergeSubscriptions(later, earlier Changes) Subscriptions {
	merged := Subscriptions{}
	since := later.At.Add(-latestTime)
	for i, from := range [...]Changes{later, earlier} {
		for uri, change := range from.Subscriptions {
			isCurrent := from.Partial && !change.At.IsZero() || change.At.After(since)
			if !isCurrent && (i == 1 || change.Gone) {
				continue
			}
			own, found := merged[uri]
			if !found || change.At.After(own.At) || change.At.Equal(own.At) && change.Gone {
				merged[uri] = change
			}
		}
	}
	return merged
}
