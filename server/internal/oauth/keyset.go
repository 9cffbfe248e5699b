package oauth

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/pagemcp/pagemcp/server/internal/wait"
)

const (
	refreshInterval = 10 * time.Minute
	unknownInterval = 30 * time.Second // between fetches for unknown keys
	freshTime       = time.Second      // within which the issuer has published no further key
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
	wake    chan struct{} // begin a fetch before the next regular one
	first   chan struct{} // closed when the first fetch has ended
	stopped chan struct{} // closed when Run returns

	// mu is not held across a fetch.
	mu        sync.Mutex
	set       *snapshot     // nil until the first fetch
	lastErr   error         // of the last fetch
	attempted time.Time     // begin of the last fetch
	flight    chan struct{} // closed when the current fetch ends; nil if there is none
}

// NewKeySet returns a key set without keys; Run fetches them.
func NewKeySet(c KeySetConfig) (*KeySet, error) {
	f, err := newFetcher(c)
	if err != nil {
		return nil, err
	}
	return &KeySet{fetcher: f, onFetch: c.OnFetch, wake: wait.NewSignal(), first: make(chan struct{}), stopped: make(chan struct{})}, nil
}

// StaticKeySet returns a key set of the JWK Set in data, which needs no Run.
func StaticKeySet(data []byte) (*KeySet, error) {
	set, err := parseKeys(data)
	if err == nil && len(set.keys) == 0 {
		err = errNoKey()
	}
	if err != nil {
		return nil, err
	}
	return &KeySet{set: set}, nil
}

func errNoKey() error {
	return errors.New("read the key set: it has no key for ES256, ES384, PS256, RS256 or EdDSA; RSA keys need at least 2048 bits")
}

// Run fetches the keys at once, every 10 minutes and when a token names an unknown key.
// It returns when ctx ends, and may be called once.
func (s *KeySet) Run(ctx context.Context) {
	defer close(s.stopped)
	defer s.fetcher.client.CloseIdleConnections()
	for {
		pause := s.refresh(ctx)
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		case <-s.wake:
		}
	}
}

// Load waits until the first fetch has ended, and returns its error, or that of ctx. A set
// without a usable key is an error, too.
func (s *KeySet) Load(ctx context.Context) error {
	select {
	case <-s.first:
		switch set, err := s.current(); {
		case set == nil:
			return err
		case len(set.keys) == 0:
			return errNoKey()
		}
		return nil
	case <-s.stopped:
		return ErrKeysUnavailable
	case <-ctx.Done():
		return ctx.Err()
	}
}

// refresh fetches the keys, releases all requests that wait for them and returns the time
// until the next fetch.
func (s *KeySet) refresh(ctx context.Context) time.Duration {
	s.begin()
	set, err := s.fetcher.fetch(ctx)
	isStopped := ctx.Err() != nil // read before end: callers of Load return then, and may cancel ctx because of err
	pause := s.end(set, err)
	if s.onFetch != nil && !isStopped {
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
	select {
	case <-s.wake: // a token has requested the fetch that begins
	default:
	}
}

func (s *KeySet) end(set *snapshot, err error) (pause time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastErr = err
	if err == nil {
		set.began = s.attempted
		s.set = set
	}
	select {
	case <-s.first:
	default:
		close(s.first)
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
// many tokens with invented keys arrive. While none is due, the key may be a new one of the
// issuer: the error is ErrKeysUnavailable.
func (s *KeySet) find(ctx context.Context, id string, algorithm jose.SignatureAlgorithm) ([]key, *snapshot, error) {
	found, set := s.known(id, algorithm)
	switch {
	case len(found) > 0:
		return found, set, nil
	case set != nil && (set.began.IsZero() || time.Since(set.began) < freshTime):
		return nil, nil, errUnknownKey()
	}
	flight, retry := s.want()
	if flight == nil {
		return nil, nil, &unavailableError{retry}
	}
	select {
	case <-flight:
	case <-s.stopped:
		return nil, nil, ErrKeysUnavailable
	case <-ctx.Done():
		return nil, nil, ErrKeysUnavailable
	}
	set, err := s.current()
	if set == nil {
		return nil, nil, ErrKeysUnavailable
	}
	if found = set.find(id, algorithm); len(found) > 0 {
		return found, set, nil
	}
	if err == nil {
		return nil, nil, errUnknownKey()
	}
	return nil, nil, ErrKeysUnavailable // the issuer may have a new key that could not be fetched
}

// known returns the keys that may have signed a token, and the set that is valid now, which
// may be nil.
func (s *KeySet) known(id string, algorithm jose.SignatureAlgorithm) ([]key, *snapshot) {
	set, _ := s.current()
	if set == nil {
		return nil, nil
	}
	return set.find(id, algorithm), set
}

func errUnknownKey() error {
	return invalid(UnknownKey, "the token is signed by a key that its issuer does not publish")
}

// want begins a fetch for an unknown key if none is under way and one is due. It returns the
// channel of the fetch, or nil and the time until one is due.
func (s *KeySet) want() (flight <-chan struct{}, in time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flight != nil {
		return s.flight, retryAway // it may bring the key
	}
	if s.set == nil { // Run retries without a request
		return nil, retryAway
	}
	if in = time.Until(s.attempted.Add(unknownInterval)); in > 0 {
		return nil, in
	}
	s.flight = make(chan struct{})
	wait.Wake(s.wake)
	return s.flight, 0
}
