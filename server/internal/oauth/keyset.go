package oauth

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	refreshInterval = 10 * time.Minute
	unknownInterval = 30 * time.Second // between fetches for unknown keys
	startInterval   = 5 * time.Second  // between attempts until the first set is loaded
	staleAfter      = 24 * time.Hour   // a set that could not be renewed serves for that long
)

// A KeySetConfig says where the keys of an issuer are.
type KeySetConfig struct {
	Issuer    string            // its metadata name the keys
	URL       string            // of the keys; without it they are found by the metadata
	Transport http.RoundTripper // default: a new http.Transport

	// OnFetch is called after each fetch, by the goroutine of Run: rejected is the number of
	// published keys that cannot be used. May be nil.
	OnFetch func(rejected int, err error)
}

// A KeySet holds the public keys of one issuer and renews them while Run runs. Each set
// replaces the one before as a whole, so a key that the issuer has withdrawn is not
// accepted after the next fetch.
type KeySet struct {
	fetcher *fetcher // used by Run alone
	onFetch func(int, error)
	wake    chan struct{} // one fetch is wanted
	stopped chan struct{} // closed when Run returns

	// mu is not held across a fetch.
	mu        sync.Mutex
	set       *snapshot     // nil until the first fetch
	lastErr   error         // of the last fetch
	attempted time.Time     // begin of the last fetch, or the time when it was wanted
	flight    chan struct{} // closed when the current fetch ends; nil if there is none
	running   bool
}

// NewKeySet returns a key set without keys; Run fetches them.
func NewKeySet(c KeySetConfig) (*KeySet, error) {
	f, err := newFetcher(c)
	if err != nil {
		return nil, err
	}
	return &KeySet{fetcher: f, onFetch: c.OnFetch, wake: make(chan struct{}, 1), stopped: make(chan struct{})}, nil
}

// StaticKeySet returns a key set of the JWK Set in data, which needs no Run.
func StaticKeySet(data []byte) (*KeySet, error) {
	set, err := parseKeys(data)
	if err == nil && len(set.keys) == 0 {
		err = errors.New("read the key set: it has no key for ES256, ES384, PS256, RS256 or EdDSA; RSA keys need at least 2048 bits")
	}
	if err != nil {
		return nil, err
	}
	return &KeySet{set: set}, nil
}

// Run fetches the keys at once, every 10 minutes and when a token names an unknown key.
// It returns when ctx ends, and may be called once.
func (s *KeySet) Run(ctx context.Context) {
	s.setRunning(true)
	defer close(s.stopped)
	defer s.setRunning(false)
	defer s.fetcher.client.CloseIdleConnections()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-s.wake:
			if !s.wanted() { // the fetch of the timer has served it
				continue
			}
		}
		timer.Reset(s.refresh(ctx))
	}
}

func (s *KeySet) setRunning(running bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = running
}

func (s *KeySet) wanted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.flight != nil
}

// refresh fetches the keys, releases all requests that wait for them and returns the time
// until the next fetch.
func (s *KeySet) refresh(ctx context.Context) time.Duration {
	s.begin()
	set, err := s.fetcher.fetch(ctx)
	pause := s.end(set, err)
	if s.onFetch != nil && ctx.Err() == nil {
		rejected := 0
		if set != nil {
			rejected = set.rejected
		}
		s.onFetch(rejected, err)
	}
	return pause
}

func (s *KeySet) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flight == nil {
		s.flight = make(chan struct{})
	}
	s.attempted = time.Now()
}

func (s *KeySet) end(set *snapshot, err error) (pause time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastErr = err
	if err == nil {
		s.set = set
	}
	close(s.flight)
	s.flight = nil
	switch {
	case err == nil:
		return refreshInterval
	case s.set == nil:
		return startInterval
	}
	return unknownInterval
}

// Ready reports whether keys are available: a set was loaded, less than 24 hours ago.
func (s *KeySet) Ready() bool {
	set, _ := s.current()
	return set != nil
}

// current returns the keys that are valid now, or nil, and the error of the last fetch.
func (s *KeySet) current() (*snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.set == nil || !s.set.fetched.IsZero() && time.Since(s.set.fetched) > staleAfter {
		return nil, s.lastErr
	}
	return s.set, s.lastErr
}

// find returns the keys that may have signed a token with this header. It waits for a
// fetch if the key is unknown and a fetch is due. At most one is in 30 seconds, however
// many tokens with invented keys arrive.
func (s *KeySet) find(ctx context.Context, id string, algorithm jose.SignatureAlgorithm) ([]key, *snapshot, error) {
	set, _ := s.current()
	if set != nil {
		if found := set.find(id, algorithm); len(found) > 0 {
			return found, set, nil
		}
	}
	if flight := s.want(); flight != nil {
		select {
		case <-flight:
		case <-s.stopped:
			return nil, nil, ErrKeysUnavailable
		case <-ctx.Done():
			return nil, nil, ErrKeysUnavailable
		}
	}
	set, err := s.current()
	if set == nil {
		return nil, nil, ErrKeysUnavailable
	}
	if found := set.find(id, algorithm); len(found) > 0 {
		return found, set, nil
	}
	if err != nil { // the issuer may have a new key that could not be fetched
		return nil, nil, ErrKeysUnavailable
	}
	return nil, nil, invalid(UnknownKey, "the token is signed by a key that its issuer does not publish")
}

// want returns the channel of the current fetch, or requests one. It returns nil if none
// may begin now.
func (s *KeySet) want() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.running {
		return nil
	}
	if s.flight == nil {
		if s.attempted.IsZero() || time.Since(s.attempted) < unknownInterval {
			return nil
		}
		s.flight, s.attempted = make(chan struct{}), time.Now()
		select {
		case s.wake <- struct{}{}:
		default: // one is on its way
		}
	}
	return s.flight
}
