package approvals

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"sync"
	"time"
)

// linkPrefix is what the fragment of a link begins with.
const linkPrefix = "approve="

// linkTime is how long a link may be used. It is written to a file where the arguments of a
// process are visible to others.
const linkTime = 2 * time.Minute

// maxTabs is the number of tabs that may use the page; the oldest one is shut out for another.
const maxTabs = 8

// secrets are those of the one link that may be used, once, and of the tabs that have used one.
type secrets struct {
	mu      sync.Mutex
	link    string // "" if there is none
	expires time.Time
	tabs    []string // oldest first
}

// newSecret returns 256 random bits in hexadecimal digits.
func newSecret() string {
	var bits [32]byte
	rand.Read(bits[:]) // never fails
	return hex.EncodeToString(bits[:])
}

// newLink returns the secret of a new link. The one before it ends.
func (s *secrets) newLink() string {
	link := newSecret()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.link, s.expires = link, time.Now().Add(linkTime)
	return link
}

// useLink returns the secret of a tab for the one of a link, which ends.
func (s *secrets) useLink(link string) (tab string, ok bool) {
	tab = newSecret()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link == "" || time.Now().After(s.expires) || !equal(link, s.link) {
		return "", false
	}
	s.link = ""
	if len(s.tabs) == maxTabs {
		s.tabs = s.tabs[1:]
	}
	s.tabs = append(s.tabs, tab)
	return tab, true
}

// isTab reports whether a secret is that of a tab.
func (s *secrets) isTab(secret string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := false
	for _, tab := range s.tabs {
		found = equal(secret, tab) || found
	}
	return found
}

// equal compares secrets in constant time.
func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
