package oauth

import (
	"context"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/oauth/oauthtest"
)

func TestChallenges(t *testing.T) {
	issuer := oauthtest.New(testIssuer)
	a := authenticator(t, validator(t, static(t, issuer), nil))
	valid := "Bearer " + issuer.AccessToken(testMCP, nil)
	const document = `resource_metadata="https://mcp.app.example/.well-known/oauth-protected-resource`
	const scopes = `scope="resources:read prompts:get tools:call"`
	query := "?access_token=" + strings.TrimPrefix(valid, "Bearer ")
	tests := []struct {
		name, target string
		values       []string
		status       int
		want         string // of WWW-Authenticate
	}{
		{"valid", "/mcp", []string{valid}, 200, ""},
		{"scheme in capitals", "/mcp", []string{"BEARER" + strings.TrimPrefix(valid, "Bearer")}, 200, ""},
		{"no token", "/mcp", nil, 401, `Bearer ` + document + `/mcp", ` + scopes},
		{"no token, page", "/mcp/notes", nil, 401, `Bearer ` + document + `/mcp/notes", ` + scopes},
		{"no endpoint", "/x%22,%20y", nil, 401, `Bearer ` + document + `/mcp", ` + scopes},
		{"another scheme", "/mcp", []string{"Basic eA=="}, 401, `Bearer ` + document + `/mcp", ` + scopes},
		{
			"not a JWT", "/mcp", []string{"Bearer abc"}, 401,
			`Bearer error="invalid_token", error_description="the token is not a JWS in compact form", ` + document + `/mcp", ` + scopes,
		},
		{
			"expired", "/mcp", []string{"Bearer " + issuer.AccessToken(testMCP, set{"exp": 1, "iat": 0})}, 401,
			`Bearer error="invalid_token", error_description="the token has expired", ` + document + `/mcp", ` + scopes,
		},
		{
			"another audience", "/mcp", []string{"Bearer " + issuer.AccessToken(testMCP, set{"aud": testMCP + "\", scope=\"ü\r\n"})}, 401,
			`Bearer error="invalid_token", error_description="the token is for ` + testMCP + `?, scope=????, and this endpoint is ` + testMCP + `", ` + document + `/mcp", ` + scopes,
		},
		{"two headers", "/mcp", []string{valid, valid}, 400, "invalid_request"},
		{"two headers, one empty", "/mcp", []string{"", valid}, 400, "invalid_request"},
		{"two in one header", "/mcp", []string{valid + ", " + valid}, 400, "invalid_request"},
		{"over 8 KiB", "/mcp", []string{"Bearer " + strings.Repeat("a", maxToken+1)}, 400, "invalid_request"},
		{"empty", "/mcp", []string{"Bearer "}, 400, "invalid_request"},
		{"scheme alone", "/mcp", []string{"Bearer"}, 400, "invalid_request"},
		{"quotes", "/mcp", []string{`Bearer "abc"`}, 400, "invalid_request"},
		{"in the query", "/mcp" + query, nil, 400, "invalid_request"},
		{"in the query and in the header", "/mcp" + query, []string{valid}, 400, "invalid_request"},
		{"escaped in the query", "/mcp?%61ccess_token=x", []string{valid}, 400, "invalid_request"},
		{"after a semicolon", "/mcp?a=b;Access_Token=x", []string{valid}, 400, "invalid_request"},
		{"another parameter", "/mcp?x=access_token", []string{valid}, 200, ""},
	}
	for _, test := range tests {
		granted, status, header := post(a, test.target, test.values...)
		got := http.Header(header).Get("Www-Authenticate")
		if status != test.status || !strings.Contains(got, test.want) || strings.HasPrefix(test.want, "Bearer") && got != test.want {
			t.Errorf("%s: %d %s\nwant %d %s", test.name, status, got, test.status, test.want)
		}
		if test.status == 400 && !strings.Contains(got, document) || (granted.Owner != "") != (status == 200) {
			t.Errorf("%s: %d %s %+v", test.name, status, got, granted)
		}
	}
}

func TestScopesInChallenges(t *testing.T) {
	issuer := oauthtest.New(testIssuer)
	v := validator(t, static(t, issuer), func(c *Config) { c.Scopes = ScopeNames{callTools: "api://x/call"} })
	a := authenticator(t, v, readResources)
	_, _, header := post(a, "/mcp")
	if got := header["Www-Authenticate"][0]; !strings.HasSuffix(got, `scope="resources:read"`) {
		t.Error(got)
	}
	refused := a.insufficientScope("/mcp/notes", readResources, callTools)
	const want = `Bearer error="insufficient_scope", error_description="the request needs the scope resources:read api://x/call", ` +
		`resource_metadata="https://mcp.app.example/.well-known/oauth-protected-resource/mcp/notes", scope="resources:read api://x/call"`
	if got := refused.Header.Get("Www-Authenticate"); refused.Status != 403 || got != want {
		t.Errorf("%d %s", refused.Status, got)
	}
}

func TestMissingKeysAreNoFaultOfTheToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		issuer := oauthtest.New(testIssuer)
		issuer.SetOutage(oauthtest.Errors)
		a := authenticator(t, validator(t, running(t, issuer), nil))
		_, status, header := post(a, "/mcp", "Bearer "+issuer.AccessToken(testMCP, nil))
		if want := map[string][]string{"Retry-After": {"5"}}; status != 503 || !reflect.DeepEqual(header, want) {
			t.Errorf("%d %v", status, header)
		}
	})
}

// A caller is valid until its token is no longer accepted.
func TestCallersEndWithTheirTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		issuer := oauthtest.New(testIssuer)
		a := authenticator(t, validator(t, static(t, issuer), nil))
		expires := time.Now().Add(5 * time.Minute)
		token := issuer.AccessToken(testMCP, set{"exp": expires.Unix()})
		call := func() access.Caller {
			t.Helper()
			r := httptest.NewRequest("POST", "/mcp", nil)
			r.Header.Set("Authorization", "Bearer "+token)
			caller, _, challenge := a.Identify(r)
			if challenge != nil {
				t.Fatal(challenge.Text)
			}
			return caller
		}
		caller := call()
		if caller.Principal != "client:assistant" || caller.Owner != OwnerKey("", "alice") {
			t.Errorf("%+v", caller)
		}
		before := runtime.NumGoroutine()
		for range 10_000 {
			bound, release := call().Bind(t.Context())
			if bound.Err() != nil {
				t.Fatal(bound.Err())
			}
			release()
		}
		if got := runtime.NumGoroutine(); got > before {
			t.Errorf("%d goroutines, %d before", got, before)
		}
		bound, release := caller.Bind(t.Context())
		defer release()
		<-bound.Done()
		if end := time.Now(); !end.Equal(expires.Add(leeway)) || context.Cause(bound) != access.ErrRevoked {
			t.Errorf("ended at %v by %v, want %v", end, context.Cause(bound), expires.Add(leeway))
		}
		if _, status, _ := post(a, "/mcp", "Bearer "+token); status != 401 {
			t.Errorf("status %d after the end", status)
		}
	})
}

// Close ends callers, as when the configuration changes.
func TestCloseEndsCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		issuer := oauthtest.New(testIssuer)
		a := authenticator(t, validator(t, static(t, issuer), nil))
		r := httptest.NewRequest("POST", "/mcp", nil)
		r.Header.Set("Authorization", "Bearer "+issuer.AccessToken(testMCP, nil))
		caller, _, challenge := a.Identify(r)
		if challenge != nil {
			t.Fatal(challenge.Text)
		}
		bound, release := caller.Bind(t.Context())
		defer release()
		a.Close()
		synctest.Wait()
		if context.Cause(bound) != access.ErrRevoked {
			t.Errorf("ended by %v", context.Cause(bound))
		}
	})
}

func TestCacheIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, keys := newCache(), &snapshot{}
		one := Access{Expires: time.Now().Add(20 * time.Second)}
		c.put([32]byte{1}, keys, one)
		if _, ok := c.get([32]byte{1}, keys); !ok {
			t.Error("not cached")
		}
		if _, ok := c.get([32]byte{1}, &snapshot{}); ok {
			t.Error("cached for other keys")
		}
		time.Sleep(20 * time.Second)
		if _, ok := c.get([32]byte{1}, keys); ok {
			t.Error("cached beyond exp")
		}
		c.put([32]byte{2}, keys, Access{Expires: time.Now().Add(time.Hour)})
		time.Sleep(cacheTime)
		if _, ok := c.get([32]byte{2}, keys); ok {
			t.Error("cached for over 60 s")
		}
		for n := range 3 * cacheSize {
			c.put([32]byte{byte(n), byte(n >> 8), byte(n >> 16), 1}, keys, Access{Expires: time.Now().Add(time.Hour)})
		}
		if got := c.len(); got > cacheSize {
			t.Errorf("%d entries, want at most %d", got, cacheSize)
		}
	})
}

func TestPublicURLIsChecked(t *testing.T) {
	v := validator(t, static(t, oauthtest.New(testIssuer)), nil)
	for address, want := range map[string]bool{
		testURL: true, testURL + "/": true, "http://127.0.0.1:8080": true,
		"http://mcp.app.example": false, testURL + "/x": false, testURL + "/?x": false, "": false,
	} {
		a, err := NewAuthenticator(AuthenticatorConfig{PublicURL: address, Validator: v})
		if (err == nil) != want {
			t.Errorf("%q: %v", address, err)
		}
		if err == nil {
			a.Close()
		}
	}
}
