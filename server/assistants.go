package server

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
)

const (
	assistantsFile = "assistants.json"

	maxAssistants    = 64  // with a token
	maxRevoked       = 64  // names that stay refused; the oldest are forgotten
	maxSeen          = 256 // names without a token that have connected
	maxAssistantName = 40  // characters
	maxAssistantApps = 32
	maxTokenLifetime = 10 * 365 * 24 * time.Hour

	unnamedAssistant = "unnamed"
	unnamedPrincipal = "token"  // of the token of the user
	stdioPrincipal   = "stdio"  // of a process of this user without a name
	anyonePrincipal  = "anyone" // with NoToken

	stdioEndpoint = "stdio" // of assistants that processes of this user work for
)

// A NamedAssistant is a client that the user has given a name, by a token of its own or by
// `pagemcp stdio --as NAME`. Names of tokens keep their meaning after the token is revoked:
// they are refused until the user adds a token of this name again.
type NamedAssistant struct {
	Name     string    `json:"name"`
	ReadOnly bool      `json:"readOnly,omitzero"` // it may run only tools that say that they change nothing
	Apps     []string  `json:"apps,omitempty"`    // names of the pages that exist for it; empty: all
	Created  time.Time `json:"created"`
	Expires  time.Time `json:"expires,omitzero"`
	Used     time.Time `json:"used,omitzero"`
	Revoked  time.Time `json:"revoked,omitzero"`
}

// IsExpired reports whether the token has expired.
func (a *NamedAssistant) IsExpired(now time.Time) bool {
	return !a.Expires.IsZero() && !now.Before(a.Expires)
}

// Rights returns the rights for people, like "read only, pages notes".
func (a *NamedAssistant) Rights(now time.Time) string {
	rights := []string{"read and act"}
	if a.ReadOnly {
		rights[0] = "read only"
	}
	if len(a.Apps) > 0 {
		rights = append(rights, "pages "+strings.Join(a.Apps, " "))
	}
	switch {
	case !a.Revoked.IsZero():
		rights = []string{"revoked"}
	case a.IsExpired(now):
		rights = []string{"expired"}
	case !a.Expires.IsZero():
		rights = append(rights, "until "+a.Expires.Format("2006-01-02 15:04"))
	}
	return strings.Join(rights, ", ")
}

// A storedAssistant is an entry of the file. The token itself is not in it.
type storedAssistant struct {
	NamedAssistant
	Hash []byte `json:"hash,omitempty"` // SHA-256 of the token; empty after it was revoked
}

func (s *storedAssistant) check() error {
	if err := CheckAssistantName(s.Name); err != nil {
		return err
	}
	if s.Revoked.IsZero() && len(s.Hash) != sha256.Size || !s.Revoked.IsZero() && len(s.Hash) > 0 {
		return fmt.Errorf("the entry of %q is not valid", s.Name)
	}
	return checkApps(s.Apps)
}

// reservedNames are principals of clients without a name, and those that a page gives to clients of its own ports.
var reservedNames = [...]string{unnamedAssistant, unnamedPrincipal, stdioPrincipal, anyonePrincipal, monitorPrincipal, "page", "webmcp"}

// CheckAssistantName returns an error unless name can be that of an assistant.
func CheckAssistantName(name string) error {
	if len(name) > maxAssistantName || !access.ValidName(name) {
		return fmt.Errorf("the name %q is not valid: want lower-case letters, digits and hyphens, beginning with a letter, at most %d", name, maxAssistantName)
	}
	if slices.Contains(reservedNames[:], name) {
		return fmt.Errorf("the name %q is reserved: choose another one", name)
	}
	return nil
}

func checkApps(apps []string) error {
	if len(apps) > maxAssistantApps {
		return fmt.Errorf("%d names of pages: at most %d", len(apps), maxAssistantApps)
	}
	for _, app := range apps {
		if !access.ValidName(app) {
			return fmt.Errorf("%q is not the name of a page: `pagemcp status` shows their names", app)
		}
	}
	return nil
}

// An assistant is one entry in memory.
type assistant struct {
	NamedAssistant                    // without Used
	hash           [sha256.Size]byte  // zero without a token
	valid          context.Context    // ends when the token is revoked or expires
	revoke         context.CancelFunc // ends valid
	expiry         *time.Timer        // nil if it does not expire
	used           atomic.Int64       // Unix time in ns of the last use; 0: never
}

func newAssistant(a NamedAssistant, hash []byte) *assistant {
	one := &assistant{NamedAssistant: a}
	copy(one.hash[:], hash)
	if !a.Used.IsZero() {
		one.used.Store(a.Used.UnixNano())
	}
	one.Used = time.Time{}
	one.valid, one.revoke = context.WithCancel(context.Background())
	switch {
	case !a.Revoked.IsZero():
		one.revoke()
	case !a.Expires.IsZero():
		one.expiry = time.AfterFunc(time.Until(a.Expires), one.revoke)
	}
	return one
}

// close ends valid.
func (one *assistant) close() {
	if one.expiry != nil {
		one.expiry.Stop()
	}
	one.revoke()
}

// hasEnded reports whether the name is refused: its token was revoked or has expired.
func (one *assistant) hasEnded() bool {
	return !one.Revoked.IsZero() || !one.Expires.IsZero() && one.IsExpired(time.Now())
}

func (one *assistant) snapshot() NamedAssistant {
	a := one.NamedAssistant
	if used := one.used.Load(); used != 0 {
		a.Used = time.Unix(0, used).UTC()
	}
	return a
}

// A NewToken tells what AddToken adds.
type NewToken struct {
	Name     string        `json:"name"` // see CheckAssistantName
	ReadOnly bool          `json:"readOnly,omitzero"`
	Apps     []string      `json:"apps,omitempty"`
	Lifetime time.Duration `json:"-"` // 0: until it is revoked
}

func (t *NewToken) check() error {
	if err := CheckAssistantName(t.Name); err != nil {
		return err
	}
	if t.Lifetime < 0 || t.Lifetime > maxTokenLifetime {
		return errors.New("a token expires after at least a second and at most ten years")
	}
	return checkApps(t.Apps)
}

// An AddedToken is the result of AddToken.
type AddedToken struct {
	Assistant NamedAssistant `json:"assistant"`
	Token     string         `json:"token"` // 256 bits as base64url
}

// assistantName returns the name of the assistant with a principal, for people.
func assistantName(principal string) string {
	switch principal {
	case unnamedPrincipal, stdioPrincipal, anyonePrincipal:
		return unnamedAssistant
	}
	return principal
}
