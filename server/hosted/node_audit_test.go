package hosted

import (
	"strings"
	"testing"

	json "github.com/go-json-experiment/json"
)

// The audit log says who did what, and contains neither contents nor tokens.
func TestAuditOfANode(t *testing.T) {
	n := startNode(t, func(c *Config) { c.Assistants.TenantClaim = "org_id" })
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
