package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/oauth/oauthtest"
)

func TestKeysAreRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		issuer := oauthtest.New(testIssuer)
		v := validator(t, running(t, issuer), nil)
		check := func(token string, want Reason) {
			t.Helper()
			_, err := v.Validate(t.Context(), token, testMCP)
			if want == "" && err != nil || want != "" && (err == nil || ReasonOf(err) != want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
		changes := set{"exp": time.Now().Add(24 * time.Hour).Unix()}
		old := issuer.AccessToken(testMCP, changes)
		check(old, "")
		time.Sleep(freshTime)
		issuer.Rotate()
		fresh := issuer.AccessToken(testMCP, changes)
		check(old, "") // not fetched yet
		check(fresh, KeysUnavailable)
		time.Sleep(unknownInterval)
		check(fresh, "") // fetched at once
		check(old, UnknownKey)
		if got := issuer.Requests(oauthtest.KeysPath); got != 2 {
			t.Errorf("%d fetches, want 2", got)
		}
		issuer.Rotate()
		time.Sleep(refreshInterval + unknownInterval)
		check(fresh, UnknownKey) // withdrawn: the cache does not keep it
		check(issuer.AccessToken(testMCP, nil), "")
		if got := issuer.Requests(oauthtest.KeysPath); got != 4 {
			t.Errorf("%d fetches, want 4", got)
		}
	})
}

// Tokens with invented keys cause one fetch in 30 seconds, and leave no memory behind.
func TestFloodsOfUnknownKeysCauseFewFetches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		issuer := oauthtest.New(testIssuer)
		v := validator(t, running(t, issuer), nil)
		foreign := oauthtest.NewKey("ES256")
		before := issuer.Requests(oauthtest.KeysPath)
		for range 10 { // minutes / 3
			time.Sleep(20 * time.Second)
			var group sync.WaitGroup
			for n := range 50 {
				token := foreign.Sign(set{"kid": fmt.Sprint("k", n, time.Now().UnixNano())}, issuer.Claims(testMCP, nil))
				group.Go(func() {
					if _, err := v.Validate(t.Context(), token, testMCP); ReasonOf(err) != UnknownKey && ReasonOf(err) != KeysUnavailable {
						t.Error(err)
					}
				})
			}
			group.Wait()
		}
		if got := issuer.Requests(oauthtest.KeysPath) - before; got < 4 || got > 7 { // 200 s / 30 s
			t.Errorf("%d fetches in 200 s, want at most 7", got)
		}
		if got := v.cache.len(); got != 0 {
			t.Errorf("%d entries in the cache", got)
		}
	})
}

// A token with an invented key has just used the fetch that is due when the issuer rotates
// its keys. A valid token of the new key is not rejected: it is worth another try when the
// next fetch is due.
func TestInventedKeysDoNotRejectNewOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		issuer := oauthtest.New(testIssuer)
		v := validator(t, running(t, issuer), nil)
		invented := oauthtest.NewKey("ES256").Sign(set{"kid": "invented"}, issuer.Claims(testMCP, nil))
		time.Sleep(unknownInterval)
		if _, err := v.Validate(t.Context(), invented, testMCP); ReasonOf(err) != UnknownKey {
			t.Errorf("an invented key: %v", err)
		}
		time.Sleep(freshTime)
		issuer.Rotate()
		fresh := issuer.AccessToken(testMCP, nil)
		_, err := v.Validate(t.Context(), fresh, testMCP)
		if wait := RetryAfter(err); ReasonOf(err) != KeysUnavailable || wait > unknownInterval {
			t.Fatalf("a new key: %v, retry after %v", err, wait)
		}
		time.Sleep(RetryAfter(err))
		if _, err := v.Validate(t.Context(), fresh, testMCP); err != nil {
			t.Errorf("the new key after the time for a retry: %v", err)
		}
	})
}

// Many requests that need the new key share one fetch.
func TestWaitersShareOneFetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		issuer := oauthtest.New(testIssuer)
		v := validator(t, running(t, issuer), nil)
		time.Sleep(unknownInterval)
		issuer.Rotate()
		issuer.SetOutage(oauthtest.Hangs)
		var group sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		for n := range 20 {
			token := issuer.AccessToken(testMCP, nil)
			group.Go(func() {
				ctx := ctx
				if n > 0 {
					ctx = t.Context()
				}
				if _, err := v.Validate(ctx, token, testMCP); !errors.Is(err, ErrKeysUnavailable) {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		cancel() // the first one gives up; the others wait for the timeout
		began := time.Now()
		group.Wait()
		if waited := time.Since(began); waited != fetchTimeout {
			t.Errorf("waited %v, want %v", waited, fetchTimeout)
		}
		if got := issuer.Requests(oauthtest.KeysPath); got != 2 {
			t.Errorf("%d fetches, want 2", got)
		}
	})
}

func TestOutages(t *testing.T) {
	for name, outage := range map[string]oauthtest.Outage{
		"errors": oauthtest.Errors, "hangs": oauthtest.Hangs, "redirects": oauthtest.Redirects, "oversized": oauthtest.Oversized,
	} {
		t.Run(name+" at start", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				issuer := oauthtest.New(testIssuer)
				issuer.SetOutage(outage)
				keys := running(t, issuer)
				v := validator(t, keys, nil)
				if _, err := v.Validate(t.Context(), issuer.AccessToken(testMCP, nil), testMCP); !errors.Is(err, ErrKeysUnavailable) || keys.Ready() {
					t.Errorf("at start: %v", err)
				}
				issuer.SetOutage(oauthtest.None)
				time.Sleep(startInterval + fetchTimeout)
				if _, err := v.Validate(t.Context(), issuer.AccessToken(testMCP, nil), testMCP); err != nil || !keys.Ready() {
					t.Errorf("after the outage: %v", err)
				}
			})
		})
		if outage == oauthtest.Oversized {
			continue // 3,000 fetches of 1 MiB; the start has shown the same
		}
		t.Run(name+" later", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				issuer := oauthtest.New(testIssuer)
				keys := running(t, issuer)
				v := validator(t, keys, nil)
				issuer.SetOutage(outage)
				time.Sleep(staleAfter - time.Minute)
				if _, err := v.Validate(t.Context(), issuer.AccessToken(testMCP, nil), testMCP); err != nil || !keys.Ready() {
					t.Errorf("after 23:59 h: %v", err)
				}
				foreign := oauthtest.NewKey("ES256").Sign(nil, issuer.Claims(testMCP, nil))
				if _, err := v.Validate(t.Context(), foreign, testMCP); !errors.Is(err, ErrKeysUnavailable) {
					t.Errorf("unknown key, which may be new: %v", err)
				}
				time.Sleep(2 * time.Minute)
				if _, err := v.Validate(t.Context(), issuer.AccessToken(testMCP, nil), testMCP); !errors.Is(err, ErrKeysUnavailable) || keys.Ready() {
					t.Errorf("after 24:01 h: %v", err)
				}
				issuer.SetOutage(oauthtest.None)
				time.Sleep(unknownInterval + fetchTimeout)
				if _, err := v.Validate(t.Context(), issuer.AccessToken(testMCP, nil), testMCP); err != nil || !keys.Ready() {
					t.Errorf("after the outage: %v", err)
				}
			})
		})
	}
}

// Run ends with its context, and releases requests that wait.
func TestRunEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		issuer := oauthtest.New(testIssuer)
		issuer.SetOutage(oauthtest.Hangs)
		keys, err := NewKeySet(KeySetConfig{Issuer: testIssuer, Transport: issuer})
		if err != nil {
			t.Fatal(err)
		}
		v := validator(t, keys, nil)
		token := issuer.AccessToken(testMCP, nil)
		if _, err := v.Validate(t.Context(), token, testMCP); !errors.Is(err, ErrKeysUnavailable) {
			t.Errorf("before Run: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() { keys.Run(ctx) })
		synctest.Wait()
		group.Go(func() {
			if _, err := v.Validate(context.Background(), token, testMCP); !errors.Is(err, ErrKeysUnavailable) {
				t.Errorf("while it ends: %v", err)
			}
		})
		synctest.Wait()
		cancel()
		group.Wait()
		if _, err := v.Validate(context.Background(), token, testMCP); !errors.Is(err, ErrKeysUnavailable) {
			t.Errorf("after Run: %v", err)
		}
	})
}

func TestDiscovery(t *testing.T) {
	const as, oidc = "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"
	document := func(issuer, keys string) []byte {
		data, _ := json.Marshal(set{"issuer": issuer, "jwks_uri": keys})
		return data
	}
	const bad = "{"
	tests := []struct {
		name, issuer string
		documents    map[string][]byte
		ready        bool
	}{
		{name: "RFC 8414", issuer: testIssuer, ready: true},
		{name: "OpenID Connect alone", issuer: testIssuer, documents: map[string][]byte{as: []byte(bad)}, ready: true},
		{name: "path", issuer: testIssuer + "/tenant", documents: map[string][]byte{as + "/tenant": document(testIssuer+"/tenant", testIssuer+"/keys")}, ready: true},
		{
			name: "path, OpenID Connect in its own form", issuer: testIssuer + "/tenant", ready: true,
			documents: map[string][]byte{as + "/tenant": []byte(bad), oidc + "/tenant": []byte(bad)},
		},
		{name: "trailing slash", issuer: testIssuer + "/", ready: true},
		{name: "none", issuer: testIssuer, documents: map[string][]byte{as: []byte(bad), oidc: []byte(bad)}},
		{name: "foreign issuer", issuer: testIssuer, documents: map[string][]byte{as: document("https://evil.example", testIssuer+"/keys"), oidc: []byte(bad)}},
		{name: "issuer with a slash more", issuer: testIssuer, documents: map[string][]byte{as: document(testIssuer+"/", testIssuer+"/keys"), oidc: []byte(bad)}},
		{name: "keys by http", issuer: testIssuer, documents: map[string][]byte{as: document(testIssuer, "http://issuer.example/keys"), oidc: []byte(bad)}},
		{name: "keys on loopback", issuer: testIssuer, documents: map[string][]byte{as: document(testIssuer, "http://127.0.0.1/keys"), oidc: []byte(bad)}},
		{name: "keys in a file", issuer: testIssuer, documents: map[string][]byte{as: document(testIssuer, "file:///etc/passwd"), oidc: []byte(bad)}},
		{name: "no keys", issuer: testIssuer, documents: map[string][]byte{as: document(testIssuer, ""), oidc: []byte(bad)}},
		{name: "two issuers", issuer: testIssuer, documents: map[string][]byte{
			as: []byte(`{"issuer":"https://evil.example","issuer":"` + testIssuer + `","jwks_uri":"` + testIssuer + `/keys"}`), oidc: []byte(bad),
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				issuer := oauthtest.New(test.issuer)
				for path, data := range test.documents {
					issuer.SetDocument(path, data)
				}
				keys, err := NewKeySet(KeySetConfig{Issuer: test.issuer, Transport: issuer})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				go keys.Run(ctx)
				synctest.Wait()
				if keys.Ready() != test.ready {
					_, err := keys.current()
					t.Errorf("ready is %v: %v", keys.Ready(), err)
				}
				cancel()
			})
		})
	}
}

// The keys are still found where they were when the metadata is away.
func TestMetadataMayGoAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		issuer := oauthtest.New(testIssuer)
		v := validator(t, running(t, issuer), nil)
		issuer.SetOutage(oauthtest.OtherOwner)
		issuer.Rotate()
		time.Sleep(refreshInterval + time.Second)
		if _, err := v.Validate(t.Context(), issuer.AccessToken(testMCP, nil), testMCP); err != nil {
			t.Error(err)
		}
	})
}

func TestURLsOfKeysAreChecked(t *testing.T) {
	for address, want := range map[string]bool{
		"https://issuer.example/keys": true, "http://127.0.0.1:8080/keys": true, "http://[::1]/keys": true, "http://localhost/keys": true,
		"http://issuer.example/keys": false, "http://127.0.0.1.example/": false, "http://10.0.0.1/": false, "file:///keys": false,
		"https://": false, "https://user:password@issuer.example/": false, "keys": false, "": false,
	} {
		if _, err := NewKeySet(KeySetConfig{URL: address}); (err == nil) != want {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// Keys that cannot be used are left out; the others of the set are used.
func TestUnsuitableKeysAreRejected(t *testing.T) {
	good := oauthtest.NewKey("ES256")
	rsa := oauthtest.NewKey("RS256")
	private := good.With(set{"d": good.PrivateJWK()["d"]})
	for name, key := range map[string]*oauthtest.Key{
		"for encryption":           good.With(set{"use": "enc"}),
		"for signing only":         good.With(set{"use": nil, "key_ops": []string{"sign"}}),
		"for another algorithm":    good.With(set{"alg": "ES384"}),
		"for HS256":                rsa.With(set{"alg": "HS256"}),
		"for none":                 good.With(set{"alg": "none"}),
		"RSA of 1024 bits":         oauthtest.NewRSAKey(1024),
		"private":                  private,
		"symmetric":                good.With(set{"kty": "oct", "k": "AAAA"}),
		"of an unknown type":       good.With(set{"kty": "XX"}),
		"not on the curve":         good.With(set{"x": good.JWK()["y"]}),
		"with a number as its use": good.With(set{"use": 1}),
	} {
		data, _ := json.Marshal(set{"keys": []any{key.JWK(), good.JWK()}})
		keys, err := parseKeys(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if len(keys.keys) != 1 || keys.rejected != 1 {
			t.Errorf("%s: %d keys, %d rejected", name, len(keys.keys), keys.rejected)
		}
	}
	for name, data := range map[string]string{
		"no members": `{}`, "keys null": `{"keys":null}`, "a list": `[]`, "keys twice": `{"keys":[],"keys":[]}`, "cut": `{"keys":[`,
		"too many": `{"keys":[` + strings.Repeat("{},", maxKeys) + `{}]}`,
	} {
		if _, err := parseKeys([]byte(data)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := StaticKeySet([]byte(`{"keys":[]}`)); err == nil {
		t.Error("a file without keys is accepted")
	}
}
