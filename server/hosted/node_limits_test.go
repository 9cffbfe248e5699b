package hosted

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/oauth/oauthtest"
	"github.com/pagemcp/pagemcp/server/internal/socket"
)

// joinFails returns how a join was refused.
func (p *livePage) joinFails() (code websocket.StatusCode, reason string) {
	p.node.t.Helper()
	if _, err := p.dial(); err != nil {
		p.node.t.Fatal(err)
	}
	_, err := p.frame(p.hello())
	return p.closed(err)
}

// The last page over the limit of an owner is refused with a time to wait. Others are not
// affected, and a reload of a page counts once.
func TestPagesPerOwnerAreLimited(t *testing.T) {
	t.Parallel()
	n := startNode(t, func(c *config.Config) { c.Limits["pagesPerOwner"] = 2 })
	first := n.page("alice", "1").note("notes://a", "text").join()
	n.page("alice", "2").note("notes://a", "text").join()
	code, reason := n.page("alice", "3").joinFails()
	if wait, err := strconv.Atoi(reason); code != closeLimit || err != nil || wait < 1_000 {
		t.Errorf("%d %q", code, reason)
	}
	n.page("bob", "1").note("notes://a", "text").join()
	again := n.page("alice", "1").note("notes://a", "text")
	if err := again.tryJoin(); err != nil {
		t.Error(err)
	}
	first.awaitEnd("the older socket of a page is closed")
	first.conn.CloseNow()
	again.conn.CloseNow()
	gatewaytest.Eventually(t, "there is room again", func() bool { return n.page("alice", "4").tryJoin() == nil })
}

// Streams of an owner are limited: 429 with Retry-After.
func TestStreamsPerOwnerAreLimited(t *testing.T) {
	t.Parallel()
	n := startNode(t, func(c *config.Config) { c.Limits["streamsPerOwner"] = 2 })
	token := n.token("alice", nil)
	for range 2 {
		n.listen(token)
	}
	got := n.ask(token, "/mcp", "subscriptions/listen", "", `"notifications":{"resourcesListChanged":true}`)
	if seconds, err := strconv.Atoi(got.header.Get("Retry-After")); got.status != http.StatusTooManyRequests || err != nil || seconds < 1 || !strings.Contains(got.body, "streamsPerOwner") {
		t.Errorf("%d %v %s", got.status, got.header, got.body)
	}
	n.listen(n.token("bob", nil))
}

// listen opens a subscription until the test ends.
func (n *liveNode) listen(token string) *gatewaytest.Stream {
	n.t.Helper()
	return n.client(token).Listen(context.Background(), "/mcp", `"resourcesListChanged":true`)
}

// Missing keys are no fault of a token: clients retry, and keep it.
func TestMissingKeysAskToRetry(t *testing.T) {
	t.Parallel()
	n := startNode(t, nil)
	n.auth.SetOutage(oauthtest.Errors)
	n.app.SetOutage(oauthtest.Errors)
	fresh, err := Open(Options{Config: n.reload.current.Load().Config, Version: "test", Log: io.Discard, Audit: io.Discard, abrupt: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- fresh.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	other := &liveNode{Node: fresh, t: t, auth: n.auth, app: n.app}
	if got := other.ask(n.token("alice", nil), "/mcp", "tools/list", "", ""); got.status != http.StatusServiceUnavailable || got.header.Get("Retry-After") == "" {
		t.Errorf("%d %v", got.status, got.header)
	}
	if code, reason := other.page("alice", "1").joinFails(); code != closeLimit || reason != "5000" {
		t.Errorf("%d %q", code, reason)
	}
	if status, body := other.probe("/readyz"); status != http.StatusServiceUnavailable || !strings.Contains(body, "keys of the issuers") {
		t.Errorf("%d %s", status, body)
	}
	if status, _ := other.probe("/livez"); status != http.StatusOK {
		t.Errorf("liveness depends on an issuer: %d", status)
	}
}

// Tokens that were valid or will be let the page try again: a clock may be wrong.
func TestJoinTokensOfAnotherTime(t *testing.T) {
	t.Parallel()
	n := startNode(t, nil)
	p := n.page("alice", "1")
	for name, issued := range map[string]int64{"expired": -200, "not valid yet": 100} { // s from now
		p.claims = map[string]any{"iat": time.Now().Unix() + issued, "exp": time.Now().Unix() + issued + 100}
		if code, _ := p.joinFails(); code != closeExpired {
			t.Errorf("%s: %d", name, code)
		}
	}
}

// Frames of other protocols, and what is not a frame at all.
func TestFirstFramesOfPages(t *testing.T) {
	t.Parallel()
	n := startNode(t, nil)
	for name, test := range map[string]struct {
		frame string
		code  websocket.StatusCode
	}{
		"pairing with a secret": {`{"pagemcp":1,"nonce":"AAAA","address":"wss://mcp.app.example/page","secret":"s"}`, socket.CloseRefused},
		"pairing with a key":    {`{"pagemcp":1,"nonce":"AAAA","address":"wss://mcp.app.example/page","key":"k"}`, socket.CloseRefused},
		"another version":       {`{"pagemcp":2}`, socket.CloseVersion},
		"no hello":              {`{"pagemcp":1}`, socket.CloseRefused},
		"no page id":            {`{"pagemcp":1,"hello":{"name":"notes"}}`, socket.CloseRefused},
		"a long page id":        {`{"pagemcp":1,"hello":{"page":"` + strings.Repeat("x", 200) + `"}}`, socket.CloseRefused},
		"a duplicate name":      {`{"pagemcp":1,"pagemcp":1,"hello":{"page":"1"}}`, socket.CloseRefused},
		"MCP":                   {`{"jsonrpc":"2.0","id":1,"method":"ping"}`, socket.CloseRefused},
		"not JSON":              {`hello`, socket.CloseRefused},
		"too large":             {`{"pagemcp":1,"x":"` + strings.Repeat("x", 20<<10) + `"}`, websocket.StatusMessageTooBig},
	} {
		p := n.page("alice", "1")
		if _, err := p.dial(); err != nil {
			t.Fatal(err)
		}
		_, err := p.frame(test.frame)
		if code, _ := p.closed(err); code != test.code {
			t.Errorf("%s: %d, want %d", name, code, test.code)
		}
	}
}

// A page shows one token in its handshake. In frames there is none before it has joined.
func TestHandshakesOfPagesHaveOneToken(t *testing.T) {
	t.Parallel()
	n := startNode(t, nil)
	token := n.page("alice", "1").token()
	shown := tokenProtocol + base64.RawURLEncoding.EncodeToString([]byte(token))
	for name, protocols := range map[string][]string{
		"none":              nil,
		"two":               {shown, shown},
		"an empty one":      {tokenProtocol},
		"one in plain text": {tokenProtocol + token},
		"one with padding":  {tokenProtocol + base64.URLEncoding.EncodeToString([]byte("ab"))},
	} {
		p := n.page("alice", "1")
		if _, err := p.dialWith(protocols...); err != nil {
			t.Fatal(err)
		}
		_, err := p.frame(`{"pagemcp":1,"token":"` + token + `","hello":{"page":"1","name":"notes"}}`)
		if code, _ := p.closed(err); code != socket.CloseRefused {
			t.Errorf("%s: %d, want %d", name, code, socket.CloseRefused)
		}
	}
	if log := n.logs.String() + n.audit.String(); strings.Contains(log, token) || strings.Contains(log, shown) {
		t.Error("the token is in a log")
	}
}

// When memory is short, idle sessions let go of what they use, and stay valid.
func TestIdleSessionsEndWhenMemoryIsShort(t *testing.T) {
	t.Parallel()
	n := startNode(t, nil)
	token := n.token("alice", nil)
	session := n.begin(token)
	gatewaytest.Eventually(t, "the session is idle, and makes room", func() bool { n.core.RelieveMemory(); return n.core.Sessions.Count() == 0 })
	if got := n.send("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Authorization: Bearer "+token, "Mcp-Session-Id: "+session); got.status != 200 {
		t.Errorf("%d %s", got.status, got.body)
	}
}
