package oauthtest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"github.com/pagemcp/pagemcp/server/internal/testlimit"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// A client signs in by PKCE and renews its token; codes and refresh tokens are valid once.
func TestAuthorizationCode(t *testing.T) {
	issuer := Start()
	defer issuer.Close()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	const verifier, resource, redirect = "0123456789012345678901234567890123456789012", "http://127.0.0.1/mcp", "http://127.0.0.1:1/callback"
	hash := sha256.Sum256([]byte(verifier))
	authorize := func(changes url.Values) url.Values {
		t.Helper()
		q := url.Values{
			"response_type": {"code"}, "client_id": {"c"}, "redirect_uri": {redirect}, "state": {"s"}, "resource": {resource},
			"scope": {"tools:call"}, "code_challenge_method": {"S256"}, "code_challenge": {encode(hash[:])},
		}
		for name, values := range changes {
			q[name] = values
		}
		response, err := client.Get(issuer.URL() + "/authorize?" + q.Encode())
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		to, err := response.Location()
		if err != nil || !strings.HasPrefix(to.String(), redirect) {
			t.Fatal(to, err)
		}
		return to.Query()
	}
	exchange := func(form url.Values) (answer map[string]any) {
		t.Helper()
		response, err := client.PostForm(issuer.URL()+"/token", form)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
			t.Fatal(err)
		}
		return answer
	}
	code := func(code, with string) url.Values {
		return url.Values{
			"grant_type": {"authorization_code"}, "code": {code}, "client_id": {"c"}, "redirect_uri": {redirect},
			"resource": {resource}, "code_verifier": {with},
		}
	}
	for name, changes := range map[string]url.Values{
		"invalid_request": {"code_challenge_method": {"plain"}}, "invalid_target": {"resource": nil}, "unsupported_response_type": {"response_type": {"token"}},
	} {
		if got := authorize(changes); got.Get("error") != name || got.Get("code") != "" {
			t.Errorf("%v: %v", changes, got)
		}
	}
	if got := exchange(code(authorize(nil).Get("code"), "another verifier")); got["error"] != "invalid_grant" {
		t.Error(got)
	}
	approved := authorize(nil)
	if approved.Get("state") != "s" || approved.Get("iss") != issuer.URL() {
		t.Error(approved)
	}
	unknown := code(approved.Get("code"), verifier)
	unknown.Del("client_id")
	if got := exchange(unknown); got["error"] != "invalid_client" {
		t.Errorf("without a client: %v", got)
	}
	first := exchange(code(approved.Get("code"), verifier))
	if first["access_token"] == nil || first["scope"] != "tools:call" || first["token_type"] != "Bearer" {
		t.Fatal(first)
	}
	if got := exchange(code(approved.Get("code"), verifier)); got["error"] != "invalid_grant" {
		t.Errorf("the code again: %v", got)
	}
	renew := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {first["refresh_token"].(string)}, "client_id": {"c"}, "resource": {resource}}
	if got := exchange(renew); got["access_token"] == nil || got["refresh_token"] == first["refresh_token"] {
		t.Errorf("refresh: %v", got)
	}
	if got := exchange(renew); got["error"] != "invalid_grant" {
		t.Errorf("the refresh token again: %v", got)
	}
	issuer.SetUser(func(*http.Request) string { return "bob" })
	issuer.SetLifetime(-time.Minute)
	second := exchange(code(authorize(nil).Get("code"), verifier))
	claims := claimsOf(t, second)
	if exp, iat := claims["exp"].(float64), claims["iat"].(float64); claims["sub"] != "bob" || int64(exp) >= time.Now().Unix() || iat >= exp {
		t.Errorf("a token of bob that has expired: %v", claims)
	}
	issuer.SetLifetime(time.Hour)
	renew.Set("refresh_token", second["refresh_token"].(string))
	renew.Set("resource", "http://127.0.0.1/other")
	if got := exchange(renew); got["error"] != "invalid_target" {
		t.Errorf("refresh for another resource: %v", got)
	}
	second = exchange(code(authorize(nil).Get("code"), verifier))
	renew.Set("refresh_token", second["refresh_token"].(string))
	renew.Del("resource")
	if claims := claimsOf(t, exchange(renew)); claims["sub"] != "bob" || claims["aud"] != resource || int64(claims["exp"].(float64)) < time.Now().Unix() {
		t.Errorf("refresh without a resource: %v", claims)
	}
}

// A client that is not known gets an id; one without a redirect does not.
func TestRegistration(t *testing.T) {
	issuer := Start()
	defer issuer.Close()
	ids := map[any]bool{}
	for _, test := range []struct {
		body   string
		status int
	}{
		{`{"redirect_uris":["http://127.0.0.1:1/callback"],"client_name":"c"}`, http.StatusCreated},
		{`{"redirect_uris":["http://127.0.0.1:1/callback"]}`, http.StatusCreated},
		{`{"redirect_uris":[]}`, http.StatusBadRequest},
		{`{`, http.StatusBadRequest},
	} {
		response, err := testlimit.Client.Post(issuer.URL()+"/register", "application/json", strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		var answer map[string]any
		if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if id := answer["client_id"]; response.StatusCode != test.status || (id != nil) != (test.status == http.StatusCreated) || ids[id] && id != nil {
			t.Errorf("%s: %d %v", test.body, response.StatusCode, answer)
		}
		ids[answer["client_id"]] = true
	}
}

// claimsOf returns the claims of the access token in a response.
func claimsOf(t *testing.T, answer map[string]any) (claims map[string]any) {
	t.Helper()
	token, _ := answer["access_token"].(string)
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("no token: %v", answer)
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(payload, &claims); err != nil {
		t.Fatal(err)
	}
	return claims
}
