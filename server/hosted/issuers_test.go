package hosted

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/oauth/oauthtest"
)

// A fileNode is a node whose configuration is a file.
type fileNode struct {
	*liveNode
	base   *liveNode
	file   string
	hangup chan os.Signal
}

// startFileNode runs a node with a file that configure has written.
func startFileNode(t *testing.T) *fileNode {
	t.Helper()
	n := &fileNode{base: startNode(t, nil), file: filepath.Join(t.TempDir(), "pagemcpd.yaml"), hangup: make(chan os.Signal, 1)}
	n.liveNode = &liveNode{t: t, auth: n.base.auth, app: n.base.app, logs: &lineBuffer{}, audit: &lineBuffer{}}
	n.configure("", "")
	node, err := Open(Options{File: n.file, Version: "test", Log: n.logs, Audit: n.audit, Hangup: n.hangup, abrupt: true})
	if err != nil {
		t.Fatal(err)
	}
	n.Node = node
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- node.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	eventually(t, "the node is ready", func() bool { status, _ := n.probe("/readyz"); return status == http.StatusOK })
	return n
}

// configure writes the file with further members of assistants and pages.tokens.
func (n *fileNode) configure(assistants, tokens string) {
	n.t.Helper()
	text := fmt.Sprintf("publicURL: https://%s\nlisten: 127.0.0.1:0\ntrustedProxies: [127.0.0.1]\nadmin: { listen: 127.0.0.1:0 }\n"+
		"assistants: { issuer: %s%s }\npages: { origins: [%s], tokens: { issuer: %s%s } }\nkeys: %s\nlimits: { pages: 1000, streams: 1000 }\n",
		testHost, n.auth.URL(), assistants, appOrigin, n.app.URL(), tokens, n.base.reload.current.Load().Config.Keys)
	if err := os.WriteFile(n.file, []byte(text), 0o600); err != nil {
		n.t.Fatal(err)
	}
}

// awaitLog makes the node read the file, and waits for a further line of the log.
func (n *fileNode) awaitLog(line string) {
	n.t.Helper()
	before := strings.Count(n.logs.String(), line)
	n.hangup <- syscall.SIGHUP
	eventually(n.t, "the log says "+line, func() bool { return strings.Count(n.logs.String(), line) > before })
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

// A reload during an outage of both issuers keeps the keys that are known, whatever it
// changes about assistants and pages.
func TestReloadsKeepKeysThroughOutages(t *testing.T) {
	n := startFileNode(t)
	n.serves("before", "1")
	n.auth.SetOutage(oauthtest.Errors)
	n.app.SetOutage(oauthtest.Errors)
	n.configure(", acceptTypJWT: true, defaultScopes: [resources:read]", "")
	n.awaitLog("configuration reloaded")
	n.serves("after a reload", "2")
}

// The keys of a new issuer are loaded before it is used. Otherwise the change is rejected as
// a whole: tokens, streams and readiness stay, and the log, a metric and /readyz say so.
func TestMistypedIssuersAreRejected(t *testing.T) {
	n := startFileNode(t)
	authenticator := n.issuers.Load().assistants
	for i, change := range []struct{ assistants, tokens, says string }{
		{`, jwks: "http://127.0.0.1:1/keys"`, "", "assistants: the keys of http://127.0.0.1:1/keys cannot be fetched"},
		{"", `, jwks: "http://127.0.0.1:1/keys"`, "pages.tokens: the keys of http://127.0.0.1:1/keys cannot be fetched"},
	} {
		n.configure(change.assistants, change.tokens)
		n.awaitLog(change.says)
		n.serves("a mistyped issuer", fmt.Sprint(i))
		if kind, _, _ := strings.Cut(change.says, ":"); !strings.Contains(n.logs.String(), `"msg":"fetch the keys of `+kind+`"`) {
			t.Errorf("the log has no error of fetching the keys of %s", kind)
		}
		if n.issuers.Load().assistants != authenticator {
			t.Error("the streams of all assistants were ended")
		}
		if _, body := n.probe("/readyz"); !strings.Contains(body, "was rejected") {
			t.Errorf("/readyz: %s", body)
		}
	}
	if _, body := n.probe("/metrics"); !strings.Contains(body, `pagemcp_reloads_total{outcome="failed"} 2`) {
		t.Error("the metric does not count the rejected changes")
	}
	n.configure("", fmt.Sprintf(", jwks: %q", n.app.URL()+oauthtest.KeysPath))
	n.awaitLog("configuration reloaded")
	n.serves("a correct address", "9")
	if n.issuers.Load().assistants != authenticator {
		t.Error("a change of join tokens has ended the streams of all assistants")
	}
	if _, body := n.probe("/readyz"); body != "ready\n" {
		t.Errorf("/readyz: %s", body)
	}
}

// Each change of the readiness is logged.
func TestReadinessIsLogged(t *testing.T) {
	n := startFileNode(t)
	eventually(t, "the log says that the node is ready", func() bool { return strings.Contains(n.logs.String(), `"msg":"ready"`) })
	n.ready.set("test", false)
	eventually(t, "the log says that the node is not ready", func() bool { return strings.Contains(n.logs.String(), `"msg":"not ready","missing":"test"`) })
}

func TestChangeLogLogsChangesOnly(t *testing.T) {
	out := &lineBuffer{}
	c := newChangeLog(slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})))
	for _, text := range []string{"", "refused", "refused", "timeout", "", ""} {
		var err error
		if text != "" {
			err = errors.New(text)
		}
		c.report("fetch keys", err, "from", "x")
	}
	c.report("other", errors.New("refused"))
	want := `level=WARN msg="fetch keys" from=x error=refused
level=WARN msg="fetch keys" from=x error=timeout
level=INFO msg="fetch keys: succeeded again" from=x
level=WARN msg=other error=refused
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}
