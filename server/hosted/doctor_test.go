package hosted

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/hosted/doctor"
)

// roundTrip is an [http.RoundTripper].
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// outside returns a client that reaches the node by its public URL, as through a balancer.
func (n *liveNode) outside() *http.Client {
	return &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.URL.Host == testHost {
			r = r.Clone(r.Context())
			r.Host, r.URL.Scheme, r.URL.Host = testHost, "http", n.Addr().String()
			r.Header.Set("X-Forwarded-For", "192.0.2.1")
		}
		return http.DefaultTransport.RoundTrip(r)
	})}
}

// What the doctor finds is what keeps an assistant from connecting, and nothing else.
func TestDoctor(t *testing.T) {
	t.Parallel()
	n := startNode(t, nil)
	n.page("alice", "tab").note("notes://a", "the text").join()
	const endpoint = "https://" + testHost + "/mcp"
	metadata := func(members string) func() {
		return func() {
			text := `{"issuer":"` + n.auth.URL() + `","authorization_endpoint":"https://a.example/a","token_endpoint":"https://a.example/t"` + members + `}`
			n.auth.SetDocument("/.well-known/oauth-authorization-server", []byte(text))
		}
	}
	for _, one := range []struct {
		about, as, url, token string
		before                func()
		fails, goods          []string
	}{
		{about: "an assistant of this machine", as: "vscode", url: endpoint, token: n.token("alice", nil),
			goods: []string{"401 with", "PKCE", "register itself", "without a secret", "a session has begun", "the stream opens", "tools", "list_resources answers"}},
		{about: "an assistant of the internet", as: "claude.ai", url: endpoint, token: n.token("alice", nil),
			fails: []string{"the authorization server " + n.auth.URL() + " cannot be reached"}, goods: []string{"list_resources answers"}},
		{about: "without a token", as: "chatgpt", url: endpoint,
			fails: []string{"cannot be reached"}, goods: []string{"needs an access token"}},
		{about: "one page", as: "vscode", url: endpoint + "/notes", goods: []string{"the metadata is that of this endpoint"}},
		{about: "a token of another audience", as: "vscode", url: endpoint, token: n.token("alice", map[string]any{"aud": "https://other.example/mcp"}),
			fails: []string{"https://other.example/mcp"}},
		{about: "no endpoint", as: "vscode", url: "https://" + testHost + "/", fails: []string{"status 404, want 401"}},
		{about: "no PKCE, no registration, no public clients", as: "vscode", url: endpoint, before: metadata(`,"token_endpoint_auth_methods_supported":["client_secret_basic"]`),
			fails: []string{"turn PKCE on", "register a client by hand", "lacks none"}},
		{about: "client ids that are URLs", as: "vscode", url: endpoint, before: metadata(`,"code_challenge_methods_supported":["S256"],"client_id_metadata_document_supported":true`),
			goods: []string{"register itself"}},
		{about: "metadata of another server", as: "vscode", url: endpoint, before: func() {
			n.auth.SetDocument("/.well-known/oauth-authorization-server", []byte(`{"issuer":"https://other.example"}`))
		}, fails: []string{"https://other.example", "lacks authorization_endpoint", "PKCE", "by hand"}},
		{about: "no metadata", as: "vscode", url: endpoint, before: func() {
			n.auth.SetDocument("/.well-known/oauth-authorization-server", []byte("<html>"))
			n.auth.SetDocument("/.well-known/openid-configuration", []byte("<html>"))
		}, fails: []string{"has no metadata"}},
	} {
		if one.before != nil {
			one.before()
		}
		var goods, fails []string
		err := doctor.Examine(t.Context(), one.as, one.url, one.token, n.outside(), func(ok bool, text string) {
			if ok {
				goods = append(goods, text)
			} else {
				fails = append(fails, text)
			}
			if one.token != "" && strings.Contains(text, one.token) {
				t.Errorf("%s: the token is printed: %s", one.about, text)
			}
		})
		if err != nil {
			t.Errorf("%s: %v", one.about, err)
		}
		if len(fails) != len(one.fails) {
			t.Errorf("%s: fails:\n%s", one.about, strings.Join(fails, "\n"))
		}
		for _, want := range one.fails {
			if !strings.Contains(strings.Join(fails, "\n"), want) {
				t.Errorf("%s: nothing about %q fails:\n%s", one.about, want, strings.Join(fails, "\n"))
			}
		}
		for _, want := range one.goods {
			if !strings.Contains(strings.Join(goods, "\n"), want) {
				t.Errorf("%s: nothing about %q:\n%s", one.about, want, strings.Join(goods, "\n"))
			}
		}
	}
}

// The URL of an endpoint is known by its form, and another public URL than the configured one is named.
func TestDoctorNamesTheOtherURL(t *testing.T) {
	t.Parallel()
	n := startNode(t, func(c *config.Config) { c.PublicURL = "https://" + testHost })
	for _, url := range []string{"", "mcp.app.example/mcp", "http://mcp.app.example/mcp", "ftp://localhost/mcp", "https://a:b@mcp.app.example/mcp", "https://mcp.app.example/mcp?a"} {
		if err := doctor.Examine(t.Context(), "vscode", url, "", n.outside(), func(bool, string) { t.Errorf("%q: examined", url) }); err == nil {
			t.Errorf("%q is taken", url)
		}
	}
	if err := doctor.Examine(t.Context(), "nobody", "https://"+testHost+"/mcp", "", n.outside(), nil); err == nil || !strings.Contains(err.Error(), "claude.ai") {
		t.Errorf("an unknown assistant: %v", err)
	}
}
