package oauth

import (
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/oauth/oauthtest"
)

// No input makes the validator panic, and none is accepted but the tokens that the issuer
// has signed.
func FuzzValidate(f *testing.F) {
	issuer := oauthtest.New(testIssuer)
	v := validator(f, static(f, issuer), func(c *Config) { c.AcceptTypJWT = true })
	valid := issuer.AccessToken(testMCP, nil)
	parts := strings.Split(valid, ".")
	f.Add(valid)
	f.Add(parts[0] + "." + parts[1] + ".")
	f.Add(b64(`{"alg":"none","typ":"at+jwt"}`) + "." + parts[1] + ".")
	f.Add(oauthtest.HMAC(nil, set{"alg": "HS256", "typ": "JWT"}, issuer.Claims(testMCP, nil)))
	f.Add(oauthtest.NewKey("ES256").Sign(set{"kid": nil}, issuer.Claims(testMCP, nil)))
	f.Add("....")
	f.Fuzz(func(t *testing.T, token string) {
		got, err := v.Validate(t.Context(), token, testMCP)
		if err == nil && token != valid {
			t.Errorf("accepted %q", token)
		}
		if err != nil && (got.Owner != "" || ReasonOf(err) == KeysUnavailable) {
			t.Errorf("%+v, %v", got, err)
		}
	})
}
