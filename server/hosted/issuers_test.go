package hosted

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/oauth/oauthtest"
)

// A fileNode is a node whose configuration is a file with these members.
type fileNode struct {
	*liveNode
	file   string
	hangup chan os.Signal

	keys               string // file
	assistants, tokens string // further members of assistants and pages.tokens
	origins            string // of pages
	rest               string // further lines
}

const fileLimits = "limits: { pages: 1000, streams: 1000 }\n"

// startFileNode runs a node with a file that configure has written.
func startFileNode(t *testing.T) *fileNode {
	t.Helper()
	base := startNode(t, nil) // for its issuers and keys
	n := &fileNode{
		file: filepath.Join(t.TempDir(), "pagemcpd.yaml"), hangup: make(chan os.Signal, 1),
		keys: base.reload.current.Load().Config.Keys, origins: appOrigin, rest: fileLimits,
	}
	n.liveNode = &liveNode{t: t, auth: base.auth, app: base.app, logs: &lineBuffer{}, audit: &lineBuffer{}}
	n.configure()
	node, err := Open(Options{File: n.file, Version: "test", Log: n.logs, Audit: n.audit, Hangup: n.hangup, abrupt: true})
	if err != nil {
		t.Fatal(err)
	}
	n.run(node)
	return n
}

// configure writes the file.
func (n *fileNode) configure() {
	n.t.Helper()
	text := fmt.Sprintf("publicURL: https://%s\nlisten: 127.0.0.1:0\ntrustedProxies: [127.0.0.1]\nadmin: { listen: 127.0.0.1:0 }\n"+
		"assistants: { issuer: %s%s }\npages: { origins: [%s], tokens: { issuer: %s%s } }\nkeys: %s\n%s",
		testHost, n.auth.URL(), n.assistants, n.origins, n.app.URL(), n.tokens, n.keys, n.rest)
	if err := os.WriteFile(n.file, []byte(text), 0o600); err != nil {
		n.t.Fatal(err)
	}
}

// reload makes the node read a changed file, and waits for a further line of the log.
func (n *fileNode) reload(line string) {
	n.t.Helper()
	n.configure()
	before := strings.Count(n.logs.String(), line)
	n.hangup <- syscall.SIGHUP
	gatewaytest.Eventually(n.t, "the log says "+line, func() bool { return strings.Count(n.logs.String(), line) > before })
}

// serves fails the test if the node does not serve a user, or does not let a page join.
func (n *fileNode) serves(when, page string) {
	n.t.Helper()
	if got := n.ask(n.token("alice", nil), "/mcp", "tools/list", "", ""); got.status != http.StatusOK {
		n.t.Errorf("%s: a token gets %d %s", when, got.status, got.body)
	}
	if err := n.page("alice", page).tryJoin(); err != nil {
		n.t.Errorf("%s: a page: %v", when, err)
	}
	if status, body := n.probe("/readyz"); status != http.StatusOK {
		n.t.Errorf("%s: %d %s", when, status, body)
	}
}

// caller returns what ends with the streams of a user.
func (n *fileNode) caller() context.Context {
	n.t.Helper()
	r, err := http.NewRequest("POST", "https://"+testHost+"/mcp", nil)
	if err != nil {
		n.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+n.token("alice", nil))
	caller, challenge := assistants{&n.issuers, n.users}.Authenticate(r)
	if challenge != nil {
		n.t.Fatal(challenge.Text)
	}
	return caller.Valid
}

// A reload during an outage of both issuers keeps the keys that are known, whatever it
// changes about assistants and pages.
func TestReloadsKeepKeysThroughOutages(t *testing.T) {
	t.Parallel()
	n := startFileNode(t)
	n.serves("before", "1")
	stream := n.caller()
	n.auth.SetOutage(oauthtest.Errors)
	n.app.SetOutage(oauthtest.Errors)
	n.assistants, n.tokens = ", acceptTypJWT: true, defaultScopes: [resources:read]", ""
	n.reload("configuration reloaded")
	n.serves("after a reload", "2")
	if stream.Err() == nil {
		t.Error("a stream goes on by settings that are replaced")
	}
	stream = n.caller()
	n.assistants, n.tokens = ", acceptTypJWT: true, defaultScopes: [resources:read], origins: [https://assistant.example]", ""
	n.reload("configuration reloaded")
	if stream.Err() != nil {
		t.Error("a reload that changes nothing about tokens ends streams")
	}
}

// The keys of a new issuer are loaded before it is used. Otherwise the change is rejected as
// a whole: tokens, streams and readiness stay, and the log, a metric and /readyz say so.
func TestMistypedIssuersAreRejected(t *testing.T) {
	t.Parallel()
	n := startFileNode(t)
	empty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"keys":[]}`) }))
	defer empty.Close()
	authenticator := n.issuers.Load().assistants
	for i, change := range []struct{ assistants, tokens, says string }{
		{`, jwks: "http://127.0.0.1:1/keys"`, "", "assistants: the keys of http://127.0.0.1:1/keys cannot be fetched"},
		{"", `, jwks: "http://127.0.0.1:1/keys"`, "pages.tokens: the keys of http://127.0.0.1:1/keys cannot be fetched"},
		{fmt.Sprintf(", jwks: %q", empty.URL), "", "assistants: the keys of " + empty.URL + " cannot be fetched; check the issuer and its address: read the key set: it has no key"},
	} {
		n.assistants, n.tokens = change.assistants, change.tokens
		n.reload(change.says)
		n.serves("a mistyped issuer", fmt.Sprint(i))
		// Whoever waits for the keys learns of the error first.
		kind, _, _ := strings.Cut(change.says, ":")
		line := `"msg":"fetch the keys of ` + kind + `"`
		gatewaytest.Eventually(t, "the log says "+line, func() bool { return strings.Contains(n.logs.String(), line) })
		if n.issuers.Load().assistants != authenticator {
			t.Error("the streams of all assistants were ended")
		}
		if _, body := n.probe("/readyz"); !strings.Contains(body, "was rejected") {
			t.Errorf("/readyz: %s", body)
		}
	}
	if _, body := n.probe("/metrics"); !strings.Contains(body, `pagemcp_reloads_total{outcome="failed"} 3`) {
		t.Error("the metric does not count the rejected changes")
	}
	n.assistants, n.tokens = "", fmt.Sprintf(", jwks: %q", n.app.URL()+oauthtest.KeysPath)
	n.reload("configuration reloaded")
	n.serves("a correct address", "9")
	if n.issuers.Load().assistants != authenticator {
		t.Error("a change of join tokens has ended the streams of all assistants")
	}
	if _, body := n.probe("/readyz"); body != "ready\n" {
		t.Errorf("/readyz: %s", body)
	}
}

// A reload fetches the keys of new issuers only, and ends the fetching of those that are not
// used: also of a new one whose keys are not there.
func TestReloadsFetchTheKeysOfNewIssuersOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		issuer := oauthtest.New("https://auth.app.example")
		issuer.SetOutage(oauthtest.Errors)
		m := issuerMaker{newMetrics("test", func() uint64 { return 0 }), slog.New(slog.DiscardHandler), issuer}
		load := func(scopes []string, path string) *config.Loaded {
			c := config.Config{PublicURL: "https://" + testHost, Assistants: config.Assistants{Issuer: issuer.URL(), DefaultScopes: scopes}, Pages: config.Pages{Origins: []string{appOrigin}, Tokens: config.Tokens{Issuer: issuer.URL()}}}
			if path != "" {
				c.Pages.Tokens.JWKS = issuer.URL() + path
			}
			return &config.Loaded{Config: c.WithDefaults()}
		}
		none, some := load(nil, ""), load([]string{"resources:read"}, "")
		first, err := m.first(none)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		second, err := m.next(first, none, some)
		if err != nil {
			t.Fatalf("the keys of the same issuer, which is away since the start, are wanted: %v", err)
		}
		first.closeExcept(second)
		issuer.SetOutage(oauthtest.None)
		time.Sleep(time.Minute)
		if !second.isReady() {
			t.Error("keys that are used still are not fetched any more")
		}
		if _, err := m.next(second, some, load([]string{"resources:read"}, "/mistyped")); err == nil {
			t.Error("there are no keys, and the change is applied")
		}
		attempts := issuer.Requests("/mistyped")
		time.Sleep(time.Hour)
		if got := issuer.Requests("/mistyped"); got != attempts || !second.isReady() {
			t.Errorf("after a rejected change: %d further requests, ready %v", got-attempts, second.isReady())
		}
		issuer.SetDocument("/moved", issuer.KeySet())
		third, err := m.next(second, some, load([]string{"resources:read"}, "/moved"))
		if err != nil || third.assistants != second.assistants {
			t.Errorf("a new address of keys: %v", err)
		}
		second.closeExcept(third)
		third.closeExcept(nil)
	})
}
