package hosted

import (
	"strings"
	"testing"
)

// A user's assistant reads the pages of that user, under derived names, and nothing of
// others.
func TestAssistantsSeeThePagesOfTheirUser(t *testing.T) {
	t.Parallel()
	n := startNode(t, nil)
	alice := n.page("alice", "tab1").note("notes://a", "alice's note").join()
	bob := n.page("bob", "tab1").note("notes://a", "bob's note").join()
	if alice.joined.Joined == bob.joined.Joined || !strings.HasPrefix(alice.joined.Joined, "notes-") {
		t.Errorf("names %q and %q", alice.joined.Joined, bob.joined.Joined)
	}
	if got := alice.joined; got.Ping != 15 || got.Refresh != 3000 || got.Spread != 500 {
		t.Errorf("%+v", got)
	}
	token := n.token("alice", nil)
	if got := n.read(token, "/mcp", alice.joined.Joined+"+notes://a"); got.status != 200 || !strings.Contains(got.body, "alice's note") {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := n.read(token, "/mcp/"+alice.joined.Joined, "notes://a"); got.status != 200 || !strings.Contains(got.body, "alice's note") {
		t.Errorf("%d %s", got.status, got.body)
	}
	list := n.ask(token, "/mcp", "resources/list", "", "")
	if list.status != 200 || !strings.Contains(list.body, alice.joined.Joined+"+notes://a") || strings.Contains(list.body, bob.joined.Joined) {
		t.Errorf("%d %s", list.status, list.body)
	}
	for _, path := range []string{"/mcp", "/mcp/" + bob.joined.Joined} {
		for _, uri := range []string{bob.joined.Joined + "+notes://a", "notes://a"} {
			if got := n.read(token, path, uri); strings.Contains(got.body, "bob's note") || !strings.Contains(got.body, `"error"`) {
				t.Errorf("%s %s: %d %s", path, uri, got.status, got.body)
			}
		}
	}
}

// A name that no page has is away, as after a restart; other URIs do not exist.
func TestUnknownPagesAreAway(t *testing.T) {
	t.Parallel()
	n := startNode(t, nil)
	token := n.token("alice", nil)
	if got := n.read(token, "/mcp", "notes-aaaaaa+notes://a"); !strings.Contains(got.body, "page-away") {
		t.Error(got.body)
	}
	if got := n.read(token, "/mcp", "https://example.com/"); !strings.Contains(got.body, "Resource not found") {
		t.Error(got.body)
	}
}

func TestOnlyOwnHostAndPathsAreServed(t *testing.T) {
	t.Parallel()
	n := startNode(t, nil)
	token := "Authorization: Bearer " + n.token("alice", nil)
	tests := []struct {
		name, method, path string
		headers            []string
		status             int
	}{
		{"another host", "POST", "/mcp", []string{token, "Host: evil.example"}, 403},
		{"an address as host", "POST", "/mcp", []string{token, "Host: " + n.Addr().String()}, 403},
		{"forwarded host", "POST", "/mcp", []string{token, "Host: evil.example", "X-Forwarded-Host: " + testHost}, 403},
		{"a foreign origin", "POST", "/mcp", []string{token, "Origin: https://evil.example"}, 403},
		{"the app's origin", "POST", "/mcp", []string{token, "Origin: " + appOrigin}, 403},
		{"cross-site without origin", "POST", "/mcp", []string{token, "Sec-Fetch-Site: cross-site"}, 403},
		{"MCP over WebSocket", "GET", "/ws", []string{token}, 404},
		{"monitors", "GET", "/watch", []string{token}, 404},
		{"probes", "GET", "/readyz", []string{token}, 404},
		{"metrics", "GET", "/metrics", []string{token}, 404},
		{"the own origin", "POST", "/mcp", []string{token, "Origin: https://" + testHost, "Sec-Fetch-Site: same-origin"}, 400},
		{"the own origin from another site", "POST", "/mcp", []string{token, "Origin: https://" + testHost, "Sec-Fetch-Site: cross-site"}, 403},
		{"the own origin by http", "POST", "/mcp", []string{token, "Origin: http://" + testHost}, 403},
		{"a page of the own origin", "GET", "/page", []string{"Origin: https://" + testHost}, 403},
		{"metadata at another host", "GET", "/.well-known/oauth-protected-resource/mcp", []string{"Host: evil.example"}, 403},
		{"metadata from anywhere", "GET", "/.well-known/oauth-protected-resource/mcp", []string{"Origin: https://claude.example"}, 200},
	}
	for _, test := range tests {
		if got := n.send(test.method, test.path, "{}", test.headers...); got.status != test.status {
			t.Errorf("%s: %d %s", test.name, got.status, got.body)
		}
	}
}

func TestScopesLimitWhatATokenMayDo(t *testing.T) {
	t.Parallel()
	n := startNode(t, nil)
	page := n.page("alice", "tab").note("notes://a", "text").join()
	uri := page.joined.Joined + "+notes://a"
	const member = `"uri":"X"`
	tests := []struct {
		scope, method, name, members string
		status                       int
		want                         string // in the body, or in WWW-Authenticate
	}{
		{"", "server/discover", "", "", 200, `"supportedVersions"`},
		{"", "tools/list", "", "", 200, `read_resource`},
		{"", "resources/list", "", "", 200, `"resources":[]`},
		{"", "resources/templates/list", "", "", 200, `"resourceTemplates":[]`},
		{"", "prompts/list", "", "", 200, `"prompts":[]`},
		{"", "resources/read", uri, member, 403, `scope="resources:read"`},
		{"tools:call", "resources/read", uri, member, 403, `scope="resources:read tools:call"`},
		{"tools:call", "tools/call", "list_resources", `"name":"list_resources"`, 403, `scope="resources:read tools:call"`},
		{"resources:read", "tools/call", "list_resources", `"name":"list_resources"`, 200, uri},
		{"resources:read", "tools/call", "notes-x__act", `"name":"notes-x__act"`, 403, `scope="resources:read tools:call"`},
		{"resources:read", "prompts/get", "p", `"name":"p"`, 403, `scope="resources:read prompts:get"`},
		{"resources:read", "resources/list", "", "", 200, uri},
		{"resources:read", "resources/read", uri, member, 200, `"text"`},
		{"", "subscriptions/listen", "", `"notifications":{"resourceSubscriptions":["X"]}`, 403, `scope="resources:read"`},
		{"", "x-extension/act", "", "", 404, "-32601"}, // no page has it
	}
	for _, test := range tests {
		token := n.token("alice", map[string]any{"scope": test.scope})
		got := n.ask(token, "/mcp", test.method, test.name, strings.ReplaceAll(test.members, "X", uri))
		text := got.body
		if test.status == 403 {
			text = got.header.Get("WWW-Authenticate")
			if !strings.Contains(text, `error="insufficient_scope"`) || !strings.Contains(text, `resource_metadata="https://`+testHost+`/.well-known/oauth-protected-resource/mcp"`) {
				t.Errorf("%q %s: %s", test.scope, test.method, text)
			}
		}
		if got.status != test.status || !strings.Contains(text, test.want) {
			t.Errorf("%q %s %s: %d %s", test.scope, test.method, test.name, got.status, text)
		}
	}
}
