package hosted

import (
	"strings"
	"testing"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/oauth"
	"github.com/pagemcp/pagemcp/server/internal/oauth/oauthtest"
)

// The audit log says who did what, and contains neither contents nor tokens.
func TestAuditOfANode(t *testing.T) {
	t.Parallel()
	n := startNode(t, func(c *config.Config) { c.Assistants.TenantClaim = "org_id" })
	claims := map[string]any{"org_id": "red"}
	page := n.page("alice", "1").note("notes://a", "canary in the text")
	page.claims = claims
	page.join()
	token := n.token("alice", claims)
	n.read(token, "/mcp", page.joined.Joined+"+notes://a")
	n.ask("canary.token.x", "/mcp", "tools/list", "", "")
	n.stop()
	text := n.audit.String()
	if strings.Contains(text, "canary") || strings.Contains(text, token) {
		t.Errorf("contents or tokens are in the audit log:\n%s", text)
	}
	type line struct {
		Who     string `json:"who"`
		Tenant  string `json:"tenant"`
		Subject string `json:"subject"`
		Door    string `json:"door"`
		Verb    string `json:"verb"`
		URI     string `json:"uri"`
		Outcome string `json:"outcome"`
		Address string `json:"address"`
	}
	found := map[string]line{}
	for one := range strings.Lines(text) {
		var l line
		if err := json.Unmarshal([]byte(one), &l); err != nil {
			t.Fatalf("%s: %v", one, err)
		}
		found[l.Verb] = l
	}
	for verb, want := range map[string]line{
		"resources/read": {"client:assistant", "red", "alice", "/mcp", "resources/read", page.joined.Joined + "+notes://a", "ok", ""},
		"join":           {appOrigin, "red", "alice", "/page", "join", page.joined.Joined, "ok", "127.0.0.1"},
		"login":          {"", "", "", "/mcp", "login", "", "401", "127.0.0.1"},
	} {
		if found[verb] != want {
			t.Errorf("%s: %+v, want %+v", verb, found[verb], want)
		}
	}
}

// A rejected token leaves its reason in the audit log, and its owner once its signature is
// valid, so that an operator can tell a user's expired token from an invented one.
func TestAuditSaysWhyTokensAreRejected(t *testing.T) {
	t.Parallel()
	n := startNode(t, nil)
	owner := string(oauth.OwnerKey("", "alice"))
	n.ask(n.token("alice", map[string]any{"aud": "https://other.example/mcp"}), "/mcp", "tools/list", "", "")
	foreign := oauthtest.NewKey("ES256").Sign(map[string]any{"kid": n.auth.Key().JWK()["kid"]}, n.auth.Claims("https://"+testHost+"/mcp", nil))
	n.ask(foreign, "/mcp", "tools/list", "", "")
	expired := n.page("alice", "1")
	expired.claims = map[string]any{"iat": 1_000, "exp": 1_060}
	expired.joinFails()
	type line struct {
		Owner   string `json:"owner"`
		Verb    string `json:"verb"`
		Outcome string `json:"outcome"`
		Reason  string `json:"reason"`
	}
	gatewaytest.Eventually(t, "the join is in the audit log", func() bool { return strings.Contains(n.audit.String(), `"verb":"join"`) })
	n.stop()
	found := map[line]bool{}
	for one := range strings.Lines(n.audit.String()) {
		var l line
		if err := json.Unmarshal([]byte(one), &l); err != nil {
			t.Fatalf("%s: %v", one, err)
		}
		found[l] = true
	}
	for _, want := range []line{
		{owner, "login", "401", "audience"},
		{"", "login", "401", "signature"},
		{owner, "join", "expired", ""},
	} {
		if !found[want] {
			t.Errorf("no entry %+v in\n%s", want, n.audit)
		}
	}
}
