package server

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

const tokenLength = 43 // characters; 256 bits as base64url

// token is the bearer token of the user, which is that of every assistant without a name.
// The comparison takes constant time.
type token struct {
	state    *state // of the directory of the file
	name     string // of the file
	disabled bool   // NoToken: every client is accepted
	lenient  bool   // Lenient: keyHeader is accepted

	rotating sync.Mutex // held while the file is replaced
	current  atomic.Pointer[credential]

	mu             sync.Mutex
	failed         []time.Time // times of wrong tokens within limits.LoginWindow
	throttledUntil time.Time   // wrong tokens get 429 until then
}

// A credential is one value of the token. valid ends when another one replaces it.
type credential struct {
	text   string
	hash   [sha256.Size]byte
	valid  context.Context
	revoke context.CancelFunc
}

func newCredential(text string) *credential {
	c := &credential{text: text, hash: sha256.Sum256([]byte(text))}
	c.valid, c.revoke = context.WithCancel(context.Background())
	return c
}

// text returns the token.
func (t *token) text() string { return t.current.Load().text }

// rotate replaces the token by a new one: first in the file, so that no client that reads
// it gets a token that is not valid yet for long. Connections that were authenticated by
// the old one end.
func (t *token) rotate() error {
	t.rotating.Lock()
	defer t.rotating.Unlock()
	fresh := newCredential(randomText(32))
	if err := t.state.write(t.name, []byte(fresh.text+"\n")); err != nil {
		return fmt.Errorf("store the new token: %w", err)
	}
	t.current.Swap(fresh).revoke()
	return nil
}

// loadToken reads the token from a file of the state directory. It creates the file if
// there is none.
func loadToken(s *state, name string) (*token, error) {
	data, err := s.disk.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		data = []byte(randomText(32) + "\n")
		err = s.write(name, data)
	}
	if err != nil {
		return nil, fmt.Errorf("token file: %w", err)
	}
	file := s.path(name)
	if local, ok := s.disk.(osDisk); ok && !local.isPrivate(name) {
		return nil, fmt.Errorf("token file %s can be read by other users: chmod 600 %[1]s", file)
	}
	secret := strings.TrimSpace(string(data))
	if len(secret) < tokenLength {
		return nil, fmt.Errorf("token file %s: want at least %d characters on one line; remove the file to get a new token", file, tokenLength)
	}
	t := &token{state: s, name: name}
	t.current.Store(newCredential(secret))
	return t, nil
}

// loadTokenAt is loadToken for any other file.
func loadTokenAt(file string) (*token, error) {
	dir, name := filepath.Split(file)
	return loadToken(&state{dir: dir, disk: osDisk{filepath.Clean(dir)}, log: slog.New(slog.DiscardHandler)}, name)
}

// keyHeader is for clients that support API keys only.
const keyHeader = "X-Agent-Api-Key"

// presented returns the hash of the token in r; ok is false if there is none, or if the header
// is malformed.
func (t *token) presented(r *http.Request) (hash [sha256.Size]byte, ok bool) {
	values := r.Header.Values("Authorization")
	if keys := r.Header.Values(keyHeader); len(values) == 0 && len(keys) == 1 && t.lenient {
		values = []string{"Bearer " + keys[0]}
	}
	if len(values) == 0 {
		return hash, false
	}
	scheme, secret, _ := strings.Cut(values[0], " ")
	hash = sha256.Sum256([]byte(strings.TrimSpace(secret)))
	return hash, len(values) == 1 && strings.EqualFold(scheme, "Bearer")
}

// accepts returns the credential that a hash is of, or nil.
func (t *token) accepts(hash [sha256.Size]byte) *credential {
	current := t.current.Load()
	if subtle.ConstantTimeCompare(hash[:], current.hash[:]) != 1 {
		return nil
	}
	return current
}

// A verdict is about a request without the right token.
type verdict int

const (
	rejected  verdict = iota // no token, or a wrong one: 401
	throttled                // too many wrong ones: 429
)

// reject returns the response to a request without the right token. That is accepted even if
// there were too many wrong ones, so that they cannot lock the user out. Throttling only
// limits the cost of guessing: 256 bits need no protection by delays.
func (t *token) reject(r *http.Request) *access.Challenge {
	if _, ok := t.presented(r); !ok && len(r.Header.Values("Authorization")) == 0 {
		return rejected.challenge()
	}
	return t.fail(time.Now()).challenge()
}

func (t *token) fail(now time.Time) verdict {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now.Before(t.throttledUntil) {
		return throttled
	}
	recent := t.failed[:0]
	for _, at := range t.failed {
		if now.Sub(at) < limits.LoginWindow {
			recent = append(recent, at)
		}
	}
	t.failed = append(recent, now)
	if len(t.failed) > limits.MaxFailedLogins {
		t.failed, t.throttledUntil = nil, now.Add(limits.LoginPause)
		return throttled
	}
	return rejected
}

// caller returns the caller of a request with the token of the user.
func (t *token) caller(used *credential) access.Caller {
	if t.disabled {
		return access.Caller{Principal: anyonePrincipal}
	}
	return access.Caller{Principal: unnamedPrincipal, Valid: used.valid}
}

// challenge returns the response to a request without the right token.
func (v verdict) challenge() *access.Challenge {
	if v == throttled {
		return &access.Challenge{
			Status: http.StatusTooManyRequests, Text: "too many wrong tokens",
			Header: http.Header{"Retry-After": {"60"}}, // seconds; limits.LoginPause
		}
	}
	return &access.Challenge{
		Status: http.StatusUnauthorized, Text: "the bearer token is missing or wrong; `pagemcp serve` prints where it is",
		Header: http.Header{"Www-Authenticate": {"Bearer"}},
	}
}
