// Package oauthtest is an OAuth 2.1 authorization server for tests: it serves metadata,
// keys, authorization and tokens, on loopback or in memory, and signs any token, valid or
// hostile. Nothing leaves the machine.
package oauthtest

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"time"
)

// An Issuer is an authorization server with one user, who approves everything. It is safe
// for concurrent use.
type Issuer struct {
	server *httptest.Server // nil: in memory

	mu      sync.Mutex
	url     string
	keys    []*Key // published; the last one signs
	outage  Outage
	skew    time.Duration
	claims  map[string]any // of issued access tokens, besides those of the protocol
	life    time.Duration  // of issued access tokens
	user    func(*http.Request) string
	codes   map[string]authorization
	refresh map[string]authorization
	counts  map[string]int // requests by path
	raw     map[string][]byte
}

// An Outage is a way in which an issuer does not answer.
type Outage int

// Outages.
const (
	None       Outage = iota
	Errors            // responds 500
	Hangs             // never responds
	Redirects         // to itself, where the document is
	Oversized         // documents of more than 1 MiB
	OtherOwner        // metadata of another issuer
)

// New returns an issuer that is reached through its method RoundTrip only, so that it can
// be used in a bubble of package synctest. url is its identifier.
func New(url string) *Issuer {
	return &Issuer{
		url: url, keys: []*Key{NewKey("ES256")}, claims: map[string]any{"sub": "alice"},
		life: time.Hour, codes: map[string]authorization{}, refresh: map[string]authorization{}, counts: map[string]int{}, raw: map[string][]byte{},
	}
}

// Start returns an issuer on loopback. Close must be called.
func Start() *Issuer {
	i := New("")
	i.server = httptest.NewServer(i)
	i.url = i.server.URL
	return i
}

// Close ends an issuer of Start.
func (i *Issuer) Close() {
	if i.server != nil {
		i.server.Close()
	}
}

// URL returns the identifier of the issuer.
func (i *Issuer) URL() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.url
}

// SetOutage changes how the issuer answers.
func (i *Issuer) SetOutage(o Outage) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.outage = o
}

// SetSkew makes the clock of the issuer differ from that of the machine.
func (i *Issuer) SetSkew(skew time.Duration) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.skew = skew
}

// SetClaim sets a claim of the access tokens that are issued from now on, such as sub.
// Nil removes it.
func (i *Issuer) SetClaim(name string, value any) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.claims[name] = value
	if value == nil {
		delete(i.claims, name)
	}
}

// SetLifetime sets how long access tokens are valid that are issued from now on: one hour
// by default. Negative: they have expired.
func (i *Issuer) SetLifetime(life time.Duration) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.life = life
}

// SetUser sets who approves a request for authorization: the claim sub of its tokens. By
// default it is that of SetClaim.
func (i *Issuer) SetUser(user func(*http.Request) string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.user = user
}

// SetDocument replaces the response to a path.
func (i *Issuer) SetDocument(path string, data []byte) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.raw[path] = data
}

// Publish replaces the published keys. The last one signs.
func (i *Issuer) Publish(keys ...*Key) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.keys = keys
}

// Rotate withdraws all keys and publishes a new one, which it returns.
func (i *Issuer) Rotate() *Key {
	key := NewKey("ES256")
	i.Publish(key)
	return key
}

// Key returns the key that signs.
func (i *Issuer) Key() *Key {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.keys[len(i.keys)-1]
}

// Requests returns how many requests for path there were.
func (i *Issuer) Requests(path string) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.counts[path]
}

// now returns the time by the clock of the issuer.
func (i *Issuer) now() time.Time {
	i.mu.Lock()
	defer i.mu.Unlock()
	return time.Now().Add(i.skew)
}

// RoundTrip implements http.RoundTripper without a network. A request that hangs ends with
// its context.
func (i *Issuer) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	i.ServeHTTP(w, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	response := w.Result()
	response.Request = r
	return response, nil
}
