package config

import (
	"maps"
	"slices"

	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// maxUnknownConns is the number of connections whose clients are not authenticated: pages
// that have not shown their token yet are among them, all at once after the loss of a node.
const maxUnknownConns = limits.MaxQueued + spareFiles - ownFiles

const (
	spareFiles = 1_000     // at least, for connections of unknown clients, and ownFiles
	ownFiles   = 200       // for listeners, NATS and issuers
	maxLimit   = 1_000_000 // of each limit
)

// ownConns returns the number of connections of pages and streams. One that is passed on to another
// node has two here.
func (c Config) ownConns() int {
	pages, streams := c.pagesAndStreams()
	if c.Cluster != nil {
		return 2 * (pages + streams)
	}
	return pages + streams
}

// CheckFileLimit returns an error if a process with this limit of open files
// (RLIMIT_NOFILE) cannot serve as many pages and streams as c allows.
func (c Config) CheckFileLimit(files uint64) error {
	pages, streams := c.pagesAndStreams()
	if want := c.ownConns() + spareFiles; files < uint64(max(want, 0)) {
		return Refusal("limits", "%d open files are allowed, and %d pages, %d streams and %d others need %d; raise the limit (ulimit -n, LimitNOFILE), or lower limits.pages and limits.streams",
			files, pages, streams, spareFiles, want)
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

// limits returns the table of limits.
func (c Config) limits() limits.Limits {
	l := limits.Hosted()
	for key, most := range c.Limits {
		l.Set(key, float64(most))
	}
	return l
}

func (c Config) pagesAndStreams() (pages, streams int) {
	l := c.limits()
	return l.Of(limits.Pages, limits.OfNode), l.Of(limits.Streams, limits.OfNode)
}

func (c *checker) limits(l map[string]int) {
	known := limits.Hosted().Keys()
	for _, key := range slices.Sorted(maps.Keys(l)) {
		switch most := l[key]; {
		case !slices.Contains(known, key):
			c.refuse("limits", "there is no limit %q; remove it, or correct its name", limitName(key))
		case most < 0 || most > maxLimit:
			c.refuse("limits."+key, "%d is out of range; want 1 to %d, or leave it out for the default", most, maxLimit)
		}
	}
}

// limitName returns the part of a key that an error quotes: a secret may be in its place.
func limitName(key string) string {
	const most = 24 // characters
	return key[:min(len(key), most)]
}
