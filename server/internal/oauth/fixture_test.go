package oauth

import (
	"context"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/server/internal/oauth/oauthtest"
)

const (
	testIssuer = "https://issuer.example"
	testURL    = "https://mcp.app.example"
	testMCP    = testURL + "/mcp"
	testPages  = "wss://mcp.app.example/page"
	testOrigin = "https://app.example"
)

// static returns the keys that issuer publishes now.
func static(t testing.TB, issuer *oauthtest.Issuer) *KeySet {
	t.Helper()
	keys, err := StaticKeySet(issuer.KeySet())
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// running returns the keys of issuer, which are fetched without a network. It must be
// called in a bubble.
func running(t *testing.T, issuer *oauthtest.Issuer) *KeySet {
	t.Helper()
	keys, err := NewKeySet(KeySetConfig{Issuer: testIssuer, Transport: issuer})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() { cancel(); synctest.Wait() })
	go keys.Run(ctx)
	synctest.Wait()
	return keys
}

func validator(t testing.TB, keys *KeySet, change func(*Config)) *Validator {
	t.Helper()
	c := Config{Issuer: testIssuer, Keys: keys, Audience: []string{testMCP}}
	if change != nil {
		change(&c)
	}
	v, err := NewValidator(c)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func authenticator(t testing.TB, v *Validator, scopes ...string) *Authenticator {
	t.Helper()
	a, err := NewAuthenticator(AuthenticatorConfig{PublicURL: testURL, Validator: v, ChallengeScopes: scopes})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

// post returns the result of authenticating a POST to target with these values of
// Authorization.
func post(a *Authenticator, target string, authorization ...string) (granted Access, status int, header map[string][]string) {
	r := httptest.NewRequest("POST", target, nil)
	r.Header["Authorization"] = authorization
	granted, challenge := a.Access(r)
	if challenge == nil {
		return granted, 200, nil
	}
	return granted, challenge.Status, challenge.Header
}

func (c *cache) len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.recent) + len(c.earlier)
}
