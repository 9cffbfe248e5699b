package oauth

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/oauth/oauthtest"
)

func b64(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

// Tokens that attackers or faulty issuers make. The RSA key is published beside the EC
// key, so that each confusion of algorithms has a key to work on.
func TestHostileTokensAreRejected(t *testing.T) {
	issuer := oauthtest.New(testIssuer)
	foreign := oauthtest.NewKey("ES256")
	secret := oauthtest.NewKey("RS256")
	issuer.Publish(secret, oauthtest.NewKey("ES256"))
	key := issuer.Key()
	now := time.Now()
	in := func(d time.Duration) int64 { return now.Add(d).Unix() }
	claims := func(changes set) set { return issuer.Claims(testMCP, changes) }
	signed := func(changes set) string { return key.Sign(nil, claims(changes)) }
	with := func(header set) string { return key.Sign(header, claims(nil)) }
	text := func(changes set) string { data, _ := json.Marshal(claims(changes)); return string(data) }
	head := fmt.Sprintf(`{"alg":"ES256","typ":"at+jwt","kid":%q`, key.ID)
	der, err := x509.MarshalPKIXPublicKey(secret.Public())
	if err != nil {
		t.Fatal(err)
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	jwk, _ := json.Marshal(secret.JWK())
	hs256 := set{"alg": "HS256", "typ": "at+jwt", "kid": secret.ID}
	valid := signed(nil)
	parts := strings.Split(valid, ".")

	tests := []struct {
		name, token string
		want        Reason
	}{
		{"alg none", b64(`{"alg":"none","typ":"at+jwt"}`) + "." + b64(text(nil)) + ".", Malformed},
		{"alg none with a signature", b64(`{"alg":"none","typ":"at+jwt"}`) + "." + b64(text(nil)) + ".AAAA", WrongAlgorithm},
		{"alg None", b64(`{"alg":"None","typ":"at+jwt"}`) + "." + b64(text(nil)) + ".AAAA", WrongAlgorithm},
		{"HS256 with the public key as PEM", oauthtest.HMAC(public, hs256, claims(nil)), WrongAlgorithm},
		{"HS256 with the public key as DER", oauthtest.HMAC(der, hs256, claims(nil)), WrongAlgorithm},
		{"HS256 with the public key as JWK", oauthtest.HMAC(jwk, hs256, claims(nil)), WrongAlgorithm},
		{"HS256 with an empty secret", oauthtest.HMAC(nil, hs256, claims(nil)), WrongAlgorithm},
		{"PS256 by a key for RS256", secret.Sign(set{"alg": "PS256"}, claims(nil)), UnknownKey},
		{"ES256 by the kid of the RSA key", key.Sign(set{"kid": secret.ID}, claims(nil)), UnknownKey},
		{"no alg", with(set{"alg": nil}), WrongAlgorithm},
		{"signature of another key", foreign.Sign(set{"kid": key.ID}, claims(nil)), BadSignature},
		{"signature of another key, no kid", foreign.Sign(set{"kid": nil}, claims(nil)), BadSignature},
		{"unknown kid", foreign.Sign(nil, claims(nil)), UnknownKey},
		{"other claims under the signature", parts[0] + "." + b64(text(set{"sub": "bob"})) + "." + parts[2], BadSignature},
		{"signature of zeros", parts[0] + "." + parts[1] + "." + base64.RawURLEncoding.EncodeToString(make([]byte, 64)), BadSignature},
		{"no signature", parts[0] + "." + parts[1] + ".", Malformed},
		{"two parts", parts[0] + "." + parts[1], Malformed},
		{"four parts", valid + ".AAAA", Malformed},
		{"JWE", strings.Repeat("AAAA.", 4) + "AAAA", Malformed},
		{"nested JWE", key.SignRaw([]byte(head+`,"cty":"JWT"}`), []byte(strings.Repeat("AAAA.", 4)+"AAAA")), Malformed},
		{"nested JWS", key.SignRaw([]byte(head+`,"cty":"JWT"}`), []byte(valid)), Malformed},
		{"JSON serialization", `{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"` + parts[2] + `"}`, Malformed},
		{"padding", valid + "==", Malformed},
		{"line break", parts[0] + ".\n" + parts[1] + "." + parts[2], Malformed},
		{"blank", " " + valid, Malformed},
		{"standard alphabet", parts[0] + "." + parts[1] + ".++//", Malformed},
		{"trailing bits", parts[0] + "." + parts[1] + ".AB", Malformed},
		{"over 8 KiB", signed(set{"x": strings.Repeat("x", maxToken)}), Malformed},

		{"foreign key in jwk", foreign.Sign(set{"jwk": foreign.JWK(), "kid": foreign.ID}, claims(nil)), UnknownKey},
		{"foreign key in jwk, known kid", foreign.Sign(set{"jwk": foreign.JWK(), "kid": key.ID}, claims(nil)), BadSignature},
		{"foreign keys in jku", foreign.Sign(set{"jku": "https://evil.example/keys"}, claims(nil)), UnknownKey},
		{"foreign keys in x5u", foreign.Sign(set{"x5u": "https://evil.example/cert"}, claims(nil)), UnknownKey},
		{"crit", with(set{"crit": []string{"exp"}, "exp": 1}), Malformed},
		{"empty crit", with(set{"crit": []string{}}), Malformed},
		{"crit null", key.SignRaw([]byte(head+`,"crit":null}`), []byte(text(nil))), Malformed},
		{"b64 false", with(set{"b64": false, "crit": []string{"b64"}}), Malformed},
		{"b64 false without crit", with(set{"b64": false}), Malformed},
		{"two alg", key.SignRaw([]byte(head+`,"alg":"none"}`), []byte(text(nil))), Malformed},
		{"two kid", key.SignRaw([]byte(head+`,"kid":"other"}`), []byte(text(nil))), Malformed},
		{"header no object", key.SignRaw([]byte(`["ES256"]`), []byte(text(nil))), Malformed},
		{"alg no string", with(set{"alg": []string{"ES256"}}), Malformed},
		{"NUL in the header", key.SignRaw([]byte(head+"}\x00"), []byte(text(nil))), Malformed},

		{"typ of ID tokens", with(set{"typ": "JWT"}), WrongType},
		{"no typ", with(set{"typ": nil}), WrongType},
		{"typ of join tokens", with(set{"typ": joinType}), WrongType},
		{"join token", issuer.JoinToken(testPages, testOrigin, nil), WrongType},

		{"another issuer", signed(set{"iss": "https://evil.example"}), WrongIssuer},
		{"issuer with a slash", signed(set{"iss": testIssuer + "/"}), WrongIssuer},
		{"no issuer", signed(set{"iss": nil}), WrongIssuer},
		{"list of issuers", signed(set{"iss": []string{testIssuer}}), WrongIssuer},
		{"another audience", signed(set{"aud": "https://other.example/mcp"}), WrongAudience},
		{"audience is a prefix", signed(set{"aud": testURL}), WrongAudience},
		{"audience with two slashes", signed(set{"aud": testMCP + "//"}), WrongAudience},
		{"audience in capitals", signed(set{"aud": strings.ToUpper(testMCP)}), WrongAudience},
		{"audience of a page", signed(set{"aud": testMCP + "/notes"}), WrongAudience},
		{"no audience", signed(set{"aud": nil}), WrongAudience},
		{"empty audience", signed(set{"aud": []string{}}), WrongAudience},
		{"audience in an object", signed(set{"aud": set{"x": testMCP}}), WrongAudience},
		{"audience in a mixed list", signed(set{"aud": []any{testMCP, 1}}), WrongAudience},

		{"expired", signed(set{"iat": in(-2 * time.Hour), "exp": in(-31 * time.Second)}), Expired},
		{"nbf in the future", signed(set{"nbf": in(45 * time.Second)}), NotYetValid},
		{"iat in the future", signed(set{"iat": in(45 * time.Second)}), NotYetValid},
		{"lifetime of 25 hours", signed(set{"exp": in(25 * time.Hour)}), TooLong},
		{"lifetime of 25 hours, issued long ago", signed(set{"iat": in(-24 * time.Hour), "exp": in(time.Hour)}), TooLong},
		{"no exp", signed(set{"exp": nil}), MissingClaim},
		{"no iat", signed(set{"iat": nil}), MissingClaim},
		{"exp null", key.SignRaw([]byte(head+"}"), []byte(strings.Replace(text(set{"exp": "EXP"}), `"EXP"`, "null", 1))), Malformed},
		{"exp is text", signed(set{"exp": fmt.Sprint(in(time.Hour))}), Malformed},
		{"exp 1e300", signed(set{"exp": 1e300}), Malformed},
		{"exp negative", signed(set{"exp": -1}), Malformed},
		{"iat -1e300", signed(set{"iat": -1e300}), Malformed},
		{"exp infinite", key.SignRaw([]byte(head+"}"), []byte(strings.Replace(text(set{"exp": "EXP"}), `"EXP"`, "1e999", 1))), Malformed},

		{"no sub", signed(set{"sub": nil}), MissingClaim},
		{"empty sub", signed(set{"sub": ""}), MissingClaim},
		{"sub is a number", signed(set{"sub": 1}), MissingClaim},
		{"no client id", signed(set{"client_id": nil}), MissingClaim},
		{"client id is a list", signed(set{"client_id": []string{"a"}}), MissingClaim},
		{"client id with a line break", signed(set{"client_id": "a\nb"}), MissingClaim},
		{"client id with NUL", signed(set{"client_id": "a\x00"}), MissingClaim},
		{"client id of 3 KB", signed(set{"client_id": strings.Repeat("a", 3<<10)}), MissingClaim},
		{"two sub", key.SignRaw([]byte(head+"}"), []byte(strings.TrimSuffix(text(nil), "}")+`,"sub":"bob"}`)), Malformed},
		{"two aud, one escaped", key.SignRaw([]byte(head+"}"), []byte(strings.TrimSuffix(text(nil), "}")+`,"\u0061ud":"x"}`)), Malformed},
		{"claims null", key.SignRaw([]byte(head+"}"), []byte("null")), Malformed},
		{"claims are a list", key.SignRaw([]byte(head+"}"), []byte("[]")), Malformed},
		{"claims twice", key.SignRaw([]byte(head+"}"), []byte(text(nil)+text(nil))), Malformed},
		{"invalid UTF-8", key.SignRaw([]byte(head+"}"), []byte(strings.Replace(text(nil), "alice", "\xff", 1))), Malformed},
		{"deep", key.SignRaw([]byte(head+"}"), []byte(strings.Repeat("[", 4000))), Malformed},
	}
	v := validator(t, static(t, issuer), nil)
	if _, err := v.Validate(t.Context(), valid, testMCP); err != nil {
		t.Fatalf("the valid token: %v", err)
	}
	for _, test := range tests {
		for range 2 { // the second time with whatever the first has left
			got, err := v.Validate(t.Context(), test.token, testMCP)
			if err == nil || ReasonOf(err) != test.want || got.Owner != "" {
				t.Errorf("%s: %+v, %v (%s), want %s", test.name, got, err, ReasonOf(err), test.want)
			}
		}
	}
	if got := v.cache.len(); got != 1 {
		t.Errorf("%d tokens are cached", got)
	}
}

func TestTenantIsRequired(t *testing.T) {
	issuer := oauthtest.New(testIssuer)
	v := validator(t, static(t, issuer), func(c *Config) { c.TenantClaim = "org_id" })
	for name, tenant := range map[string]any{"missing": nil, "empty": "", "number": 1, "list": []string{"acme"}} {
		if _, err := v.Validate(t.Context(), issuer.AccessToken(testMCP, set{"org_id": tenant}), testMCP); ReasonOf(err) != MissingClaim {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A key that a token embeds is ignored: it is neither needed nor harmful.
func TestEmbeddedKeysAreIgnored(t *testing.T) {
	issuer := oauthtest.New(testIssuer)
	v := validator(t, static(t, issuer), nil)
	foreign := oauthtest.NewKey("ES256").JWK()
	for _, header := range []set{{"jku": "https://evil.example/keys"}, {"x5u": "https://evil.example/"}, {"jwk": foreign}} {
		if _, err := v.Validate(t.Context(), issuer.Key().Sign(header, issuer.Claims(testMCP, nil)), testMCP); err != nil {
			t.Errorf("%v: %v", header, err)
		}
	}
}

// Subjects may contain anything; keys of owners do not.
func TestHostileSubjectsHaveSafeKeys(t *testing.T) {
	issuer := oauthtest.New(testIssuer)
	v := validator(t, static(t, issuer), func(c *Config) { c.TenantClaim = "org_id" })
	seen := map[string]string{}
	for _, subject := range []string{"*", ">", "a.b", ".", "..", "../../etc/passwd", "\x00", "a b", "\r\n", "$SYS.>", "auth0|1", strings.Repeat("x", 2<<10), "\u202e"} {
		got, err := v.Validate(t.Context(), issuer.AccessToken(testMCP, set{"sub": subject, "org_id": subject}), testMCP)
		if err != nil {
			t.Errorf("%.20q: %v", subject, err)
			continue
		}
		checkKey(t, string(got.Owner))
		if before, ok := seen[string(got.Owner)]; ok {
			t.Errorf("%.20q has the key of %.20q", subject, before)
		}
		seen[string(got.Owner)] = subject
	}
	if _, err := v.Validate(t.Context(), issuer.AccessToken(testMCP, set{"sub": strings.Repeat("x", 10<<10), "org_id": "a"}), testMCP); ReasonOf(err) != Malformed {
		t.Errorf("a subject of 10 KB: %v", err)
	}
}
