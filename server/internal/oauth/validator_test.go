package oauth

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/oauth/oauthtest"
)

type set = map[string]any

func TestValidTokens(t *testing.T) {
	now := time.Now()
	tests := []struct {
		name     string
		config   func(*Config)
		header   set
		claims   set
		endpoint string
		want     Access
	}{
		{name: "all claims", want: Access{Owner: OwnerKey("", "alice"), Subject: "alice", ClientID: "assistant", Scopes: AllScopes()}},
		{name: "media type in full", header: set{"typ": "application/at+jwt"}},
		{name: "typ JWT where it is accepted", config: func(c *Config) { c.AcceptTypJWT = true }, header: set{"typ": "JWT"}},
		{name: "one of several audiences", claims: set{"aud": []string{"https://other.example", testMCP}}},
		{name: "audience with a trailing slash", claims: set{"aud": testMCP + "/"}},
		{name: "audience of one endpoint", claims: set{"aud": testMCP + "/notes"}, endpoint: testMCP + "/notes"},
		{name: "expired within the leeway", claims: set{"exp": now.Add(-20 * time.Second).Unix()}},
		{name: "issued in 20 seconds", claims: set{"iat": now.Add(20 * time.Second).Unix(), "nbf": now.Add(20 * time.Second).Unix()}},
		{name: "dates with fractions", claims: set{"exp": float64(now.Unix()) + 60.5}},
		{name: "scp as a list", claims: set{"scope": nil, "scp": []string{"tools:call", "other"}}, want: Access{Scopes: []string{callTools}}},
		{name: "scp as a string", claims: set{"scope": nil, "scp": "prompts:get tools:call"}, want: Access{Scopes: []string{getPrompts, callTools}}},
		{name: "no scope", claims: set{"scope": "openid"}, want: Access{Scopes: []string{}}},
		{
			name: "default scopes", config: func(c *Config) { c.DefaultScopes = []string{readResources} },
			claims: set{"scope": "openid"}, want: Access{Scopes: []string{readResources}},
		},
		{
			name: "default scopes do not add to others", config: func(c *Config) { c.DefaultScopes = AllScopes() },
			claims: set{"scope": getPrompts}, want: Access{Scopes: []string{getPrompts}},
		},
		{
			name: "mapped scopes", config: func(c *Config) { c.Scopes = ScopeNames{readResources: "api://pages/read"} },
			claims: set{"scope": "api://pages/read"}, want: Access{Scopes: []string{readResources}},
		},
		{name: "azp", claims: set{"client_id": nil, "azp": "a"}, want: Access{ClientID: "a"}},
		{name: "cid", claims: set{"client_id": nil, "cid": "b"}, want: Access{ClientID: "b"}},
		{name: "appid", claims: set{"client_id": nil, "appid": "c"}, want: Access{ClientID: "c"}},
		{
			name: "tenant", config: func(c *Config) { c.TenantClaim = "org_id" },
			claims: set{"org_id": "acme"}, want: Access{Tenant: "acme", Owner: OwnerKey("acme", "alice")},
		},
		{
			name: "another claim names the user", config: func(c *Config) { c.SubjectClaim = "uid" },
			claims: set{"uid": "42"}, want: Access{Subject: "42", Owner: OwnerKey("", "42")},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			issuer := oauthtest.New(testIssuer)
			v := validator(t, static(t, issuer), test.config)
			endpoint := test.endpoint
			if endpoint == "" {
				endpoint = testMCP
			}
			token := issuer.Key().Sign(test.header, issuer.Claims(testMCP, test.claims))
			for _, source := range []string{"signature", "cache"} {
				got, err := v.Validate(t.Context(), token, endpoint)
				if err != nil {
					t.Fatalf("by %s: %v", source, err)
				}
				for _, field := range []struct{ name, got, want string }{
					{"owner", string(got.Owner), string(test.want.Owner)}, {"tenant", got.Tenant, test.want.Tenant},
					{"subject", got.Subject, test.want.Subject}, {"client", got.ClientID, test.want.ClientID},
				} {
					if field.want != "" && field.got != field.want {
						t.Errorf("by %s: %s %q, want %q", source, field.name, field.got, field.want)
					}
				}
				if want := test.want.Scopes; want != nil && strings.Join(got.Scopes, " ") != strings.Join(want, " ") {
					t.Errorf("by %s: scopes %q, want %q", source, got.Scopes, want)
				}
			}
		})
	}
}

func TestAlgorithms(t *testing.T) {
	for _, algorithm := range algorithms() {
		issuer := oauthtest.New(testIssuer)
		issuer.Publish(oauthtest.NewKey(string(algorithm)))
		for name, header := range map[string]set{"with kid": nil, "without kid": {"kid": nil}} {
			token := issuer.Key().Sign(header, issuer.Claims(testMCP, nil))
			if _, err := validator(t, static(t, issuer), nil).Validate(t.Context(), token, testMCP); err != nil {
				t.Errorf("%s %s: %v", algorithm, name, err)
			}
		}
	}
}

// Results of the cache do not depend on the endpoint of the request before.
func TestCacheComparesAudiences(t *testing.T) {
	issuer := oauthtest.New(testIssuer)
	v := validator(t, static(t, issuer), nil)
	token := issuer.AccessToken(testMCP+"/notes", nil)
	if _, err := v.Validate(t.Context(), token, testMCP+"/notes"); err != nil {
		t.Fatal(err)
	}
	for _, endpoint := range []string{testMCP, testMCP + "/mail"} {
		if _, err := v.Validate(t.Context(), token, endpoint); ReasonOf(err) != WrongAudience {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
}

func TestValidatorOptionsAreChecked(t *testing.T) {
	keys := static(t, oauthtest.New(testIssuer))
	valid := Config{Issuer: testIssuer, Keys: keys, Audience: []string{testMCP}}
	for name, change := range map[string]func(*Config){
		"no issuer":             func(c *Config) { c.Issuer = "" },
		"no keys":               func(c *Config) { c.Keys = nil },
		"no audience":           func(c *Config) { c.Audience = nil },
		"empty audience":        func(c *Config) { c.Audience = []string{""} },
		"unknown default scope": func(c *Config) { c.DefaultScopes = []string{"admin"} },
		"unknown mapped scope":  func(c *Config) { c.Scopes = ScopeNames{"admin": "x"} },
		"name with a quote":     func(c *Config) { c.Scopes = ScopeNames{callTools: `x"`} },
	} {
		c := valid
		change(&c)
		if _, err := NewValidator(c); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestOwnerKeys(t *testing.T) {
	if got := OwnerKey("", "alice"); len(got) != keyLength {
		t.Errorf("key %q has %d characters", got, len(got))
	}
	seen := map[string][]string{}
	for _, parts := range [][]string{
		{"", ""}, {"a", "b"}, {"ab", ""}, {"", "ab"}, {"b", "a"}, {"*", ">"}, {"a.b", "c"}, {"a", "b.c"}, {"\x00", ""}, {"", "\x00"},
		{"owner", "a"}, {strings.Repeat("x", 10<<10), "y"}, {"ä", "ß"}, {"\r\n", "$SYS"},
	} {
		key := string(OwnerKey(parts[0], parts[1]))
		if before := seen[key]; before != nil {
			t.Errorf("%q and %q have one key", before, parts)
		}
		seen[key] = parts
		checkKey(t, key)
		checkKey(t, PageKey(OwnerKey("t", "s"), parts[0], parts[1]))
	}
	for char := range 256 { // each byte
		text := string([]byte{byte(char)})
		checkKey(t, string(OwnerKey(text, text)))
		checkKey(t, PageKey(OwnerKey(text, text), text, text))
	}
	if reflect.DeepEqual(PageKey("o", "a", "b"), PageKey("o", "ab", "")) {
		t.Error("two pages have one key")
	}
}

// checkKey fails unless key can be a token of a NATS subject, and a file name.
func checkKey(t *testing.T, key string) {
	t.Helper()
	if len(key) != keyLength || strings.Trim(key, "abcdefghijklmnopqrstuvwxyz234567") != "" {
		t.Errorf("key %q: want 26 characters of a-z and 2-7", key)
	}
}
