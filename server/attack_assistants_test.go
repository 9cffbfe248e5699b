package server

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
)

// A name comes from a token, or from a process of this user: not from what an assistant says of
// itself, nor from a header beside a token.
func TestAssistantsCannotTakeAName(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	assistantPage(t, g, "notes", false)
	reader := mustAdd(t, g, NewToken{Name: "reader", ReadOnly: true})
	mustAdd(t, g, NewToken{Name: "claude"})
	hop := asHeader + ": claude"
	for _, x := range []struct {
		what, token, header, want string // the name for the audit log
	}{
		{"the token of the user", g.testToken(), "X-None: 1", "token"},
		{"the token of the user with the header of the socket", g.testToken(), hop, "token"},
		{"a named token", reader, "X-None: 1", "reader"},
		{"a named token that claims another name", reader, hop, "reader"},
	} {
		s, err := dialAs(t, g, x.token, x.header)
		if err != nil {
			t.Fatalf("%s: %v", x.what, err)
		}
		got := bySocket(t, s).ask("tools/call", `"name":"notes__act","arguments":{}`)
		if acted := strings.Contains(got, "act of notes"); acted == (x.want == "reader") {
			t.Errorf("%s: %s", x.what, got)
		}
		if reads := connectedReads(t, g); reads[0].Assistant != assistantName(x.want) {
			t.Errorf("%s: the status says %q, want %q", x.what, reads[0].Assistant, assistantName(x.want))
		}
	}

	// By HTTP the header gives no name, and clientInfo none anywhere.
	says := strings.Replace(gatewaytest.Modern("1", "tools/call", `"name":"notes__act","arguments":{}`), `"_meta":{`, `"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"claude","version":"1"},`, 1)
	lines := []string{gatewaytest.V2026, "Mcp-Method: tools/call", "Mcp-Name: notes__act", hop}
	if _, got := caller(t, g).As(reader).Post("/mcp", says, lines...); !strings.Contains(got, `"reason":"read-only"`) {
		t.Errorf("a read-only assistant that calls itself claude: %s", got)
	}
	if _, got := caller(t, g).Post("/mcp", says, lines...); !strings.Contains(got, "act of notes") {
		t.Errorf("an unnamed assistant that calls itself claude: %s", got)
	}
	status, err := connect(t, g).Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(status.Assistants, func(a AssistantStatus) bool { return a.Name == "unnamed" })
	if at < 0 || status.Assistants[at].Calls != "claude" {
		t.Errorf("assistants: %+v", status.Assistants)
	}
	g.Close(context.Background())
	audit, err := os.ReadFile(filepath.Join(g.state.dir, "audit.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{`"who":"token","client":"claude"`, `"who":"reader","client":"claude"`} {
		if !strings.Contains(string(audit), line) {
			t.Errorf("the audit log has no %s:\n%s", line, audit)
		}
	}
}

func connectedReads(t *testing.T, g *Gateway) []Read {
	t.Helper()
	status := g.status()
	if len(status.Reads) == 0 {
		t.Fatal("nothing was recorded")
	}
	return status.Reads
}

// The endpoints of other pages are closed to an assistant by every HTTP method and spelling, and
// do not tell whether there is such a page.
func TestNamedTokensOpenTheirEndpointsOnly(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{Lenient: true})
	assistantPage(t, g, "notes", false)
	assistantPage(t, g, "mail", false)
	token := mustAdd(t, g, NewToken{Name: "noter", Apps: []string{"notes"}})
	send := func(method, path string) (int, string) {
		answer, body := caller(t, g).Do(t.Context(), method, path, gatewaytest.Modern("1", "resources/list", ""), gatewaytest.V2026, "Mcp-Method: resources/list")
		if answer.StatusCode >= 400 && method == "POST" {
			t.Errorf("the token of the user at %s: %d %s", path, answer.StatusCode, body)
		}
		lines := []string{gatewaytest.V2026, "Mcp-Method: resources/list", gatewaytest.Streams}
		if method != "POST" {
			lines = append(lines, "Mcp-Session-Id: x")
		}
		answer, body = caller(t, g).As(token).Do(t.Context(), method, path, gatewaytest.Modern("1", "resources/list", ""), lines...)
		return answer.StatusCode, body
	}
	for _, path := range []string{"/mcp/mail", "/mail/mcp", "/mcp/none"} {
		for _, method := range []string{"POST", "GET", "DELETE"} {
			if status, body := send(method, path); status != 403 || !strings.Contains(body, "is not for the page") {
				t.Errorf("%s %s: %d %s", method, path, status, body)
			}
		}
	}
	for _, path := range []string{"/mcp/notes", "/notes/mcp", "/mcp/notes-2"} {
		if status, body := send("POST", path); status != 200 {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}
