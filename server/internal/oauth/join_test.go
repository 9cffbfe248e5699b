package oauth

import (
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/oauth/oauthtest"
)

func TestJoinTokens(t *testing.T) {
	issuer := oauthtest.New(testIssuer)
	issuer.SetClaim("org_id", "acme")
	v, err := NewJoinValidator(JoinConfig{Issuer: testIssuer, Keys: static(t, issuer), PageURL: testPages, TenantClaim: "org_id"})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	join := func(changes set) string { return issuer.JoinToken(testPages, testOrigin, changes) }
	claims := func(token set) set {
		c := issuer.Claims(testPages, token)
		c["origin"] = testOrigin
		c["exp"] = now.Add(time.Minute).Unix()
		return c
	}
	tests := []struct {
		name, token, origin string
		want                Reason
	}{
		{name: "valid", token: join(nil)},
		{name: "300 seconds", token: join(set{"exp": now.Add(299 * time.Second).Unix()})},
		{name: "typ in full", token: issuer.Key().Sign(set{"typ": "application/" + joinType}, claims(nil))},
		{name: "301 seconds", token: join(set{"iat": now.Unix(), "exp": now.Unix() + 301}), want: TooLong},
		{name: "another origin", token: join(nil), origin: "https://evil.example", want: WrongOrigin},
		{name: "no origin", token: join(nil), origin: "-", want: WrongOrigin},
		{name: "no claim origin", token: join(set{"origin": nil}), want: MissingClaim},
		{name: "neither origin", token: join(set{"origin": nil}), origin: "-", want: MissingClaim},
		{name: "origin in capitals", token: join(set{"origin": strings.ToUpper(testOrigin)}), want: WrongOrigin},
		{name: "access token", token: issuer.AccessToken(testMCP, set{"origin": testOrigin}), want: WrongType},
		{name: "access token for pages", token: issuer.AccessToken(testPages, set{"origin": testOrigin}), want: WrongType},
		{name: "typ JWT", token: issuer.Key().Sign(set{"typ": "JWT"}, claims(nil)), want: WrongType},
		{name: "audience of assistants", token: join(set{"aud": testMCP}), want: WrongAudience},
		{name: "audience by https", token: join(set{"aud": "https://mcp.app.example/page"}), want: WrongAudience},
		{name: "another issuer", token: join(set{"iss": "https://evil.example"}), want: WrongIssuer},
		{name: "expired", token: join(set{"iat": now.Add(-2 * time.Minute).Unix(), "exp": now.Add(-31 * time.Second).Unix()}), want: Expired},
		{name: "future", token: join(set{"iat": now.Add(45 * time.Second).Unix()}), want: NotYetValid},
		{name: "no iat", token: join(set{"iat": nil}), want: MissingClaim},
		{name: "no exp", token: join(set{"exp": nil}), want: MissingClaim},
		{name: "no sub", token: join(set{"sub": nil}), want: MissingClaim},
		{name: "no tenant", token: join(set{"org_id": nil}), want: MissingClaim},
		{name: "HS256", token: oauthtest.HMAC(nil, set{"alg": "HS256", "typ": joinType}, claims(nil)), want: WrongAlgorithm},
		{name: "foreign key", token: oauthtest.NewKey("ES256").Sign(set{"typ": joinType}, claims(nil)), want: UnknownKey},
		{name: "empty", token: "", want: Malformed},
		{name: "over 8 KiB", token: join(set{"x": strings.Repeat("x", maxToken)}), want: Malformed},
	}
	for _, test := range tests {
		origin := map[string]string{"": testOrigin, "-": ""}[test.origin]
		if test.origin != "" && test.origin != "-" {
			origin = test.origin
		}
		got, err := v.Validate(t.Context(), test.token, origin)
		if test.want == "" && (err != nil || got.Owner != OwnerKey("acme", "alice") || got.Origin != testOrigin) {
			t.Errorf("%s: %+v, %v", test.name, got, err)
		}
		if test.want != "" && (err == nil || ReasonOf(err) != test.want || got.Owner != "") {
			t.Errorf("%s: %+v, %v, want %s", test.name, got, err, test.want)
		}
	}
}

// A join token is no access token, even if its audience fits and every typ of access
// tokens is accepted.
func TestJoinTokensAreNoAccessTokens(t *testing.T) {
	issuer := oauthtest.New(testIssuer)
	v := validator(t, static(t, issuer), func(c *Config) { c.AcceptTypJWT = true })
	for _, audience := range []any{testPages, testMCP, []string{testPages, testMCP}} {
		token := issuer.JoinToken(testPages, testOrigin, set{"aud": audience, "client_id": "a"})
		if _, err := v.Validate(t.Context(), token, testMCP); ReasonOf(err) != WrongType {
			t.Errorf("%v: %v", audience, err)
		}
	}
	if _, err := NewJoinValidator(JoinConfig{Issuer: testIssuer, Keys: static(t, issuer), PageURL: testMCP}); err == nil {
		t.Error("the URL of assistants is accepted as that of pages")
	}
}
