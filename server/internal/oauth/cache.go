package oauth

import (
	"crypto/sha256"
	"sync"
	"time"
)

const (
	cacheTime = 60 * time.Second
	cacheSize = 10_000 // tokens; with the largest claims 60 MB
)

// A cache holds the results of valid tokens by their hash, so that a request costs a
// lookup instead of a signature. Rejected tokens are not in it: they cannot evict valid
// ones. Entries are in two generations; a full or old generation replaces the one before,
// so no request pays for a sweep.
type cache struct {
	mu              sync.Mutex
	recent, earlier map[[sha256.Size]byte]cached
	began           time.Time // of recent
}

type cached struct {
	access Access
	set    *snapshot // that verified it: another set may lack the key
	until  time.Time
}

func newCache() *cache { return &cache{recent: map[[sha256.Size]byte]cached{}} }

func (c *cache) get(hash [sha256.Size]byte, set *snapshot) (Access, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.recent[hash]
	if !ok {
		found, ok = c.earlier[hash]
	}
	if !ok || found.set != set || !time.Now().Before(found.until) {
		return Access{}, false
	}
	return found.access, true
}

func (c *cache) put(hash [sha256.Size]byte, set *snapshot, access Access) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	until := now.Add(cacheTime)
	if access.Expires.Before(until) {
		until = access.Expires
	}
	if len(c.recent) >= cacheSize/2 || now.Sub(c.began) > cacheTime {
		c.recent, c.earlier, c.began = map[[sha256.Size]byte]cached{}, c.recent, now
	}
	c.recent[hash] = cached{access, set, until}
}
