package hosted

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/keys"
)

// A reload changes who may join and how much is allowed, without a restart. A file that is
// not valid changes nothing.
func TestReloadWhileServing(t *testing.T) {
	t.Parallel()
	base := startNode(t, nil) // for its issuers and keys
	file := filepath.Join(t.TempDir(), "pagemcpd.yaml")
	browser := "" // origin of an assistant
	write := func(origins, extra string) {
		text := "publicURL: https://" + testHost + "\nlisten: 127.0.0.1:0\ntrustedProxies: [127.0.0.1]\nadmin: { listen: 127.0.0.1:0 }\n" +
			"assistants: { issuer: " + base.auth.URL() + ", origins: [" + browser + "] }\npages: { origins: [" + origins + "], tokens: { issuer: " + base.app.URL() + " } }\n" +
			"keys: " + base.reload.current.Load().Config.Keys + "\n" + extra
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const other = "https://other.example"
	write(appOrigin, "limits: { pages: 1000, streams: 1000 }\n")
	hangup := make(chan os.Signal, 1)
	logs := &lineBuffer{}
	node, err := Open(Options{File: file, Version: "test", Log: logs, Audit: io.Discard, Hangup: hangup, abrupt: true})
	if err != nil {
		t.Fatal(err)
	}
	n := &liveNode{Node: node, t: t, auth: base.auth, app: base.app, logs: logs}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- node.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	eventually(t, "the node is ready", func() bool { status, _ := n.probe("/readyz"); return status == 200 })
	reload := func(what, line string) {
		t.Helper()
		before := strings.Count(logs.String(), line)
		hangup <- syscall.SIGHUP
		eventually(t, what, func() bool { return strings.Count(logs.String(), line) > before })
	}

	page := n.page("alice", "1").note("notes://a", "text").join()
	foreign := n.page("alice", "2").note("notes://a", "text")
	foreign.origin = other
	if status, _ := foreign.dial(); status != 403 {
		t.Errorf("before: %d", status)
	}

	write(appOrigin, "limits: { pages: none }\n")
	reload("an invalid file is rejected", "the old one stays in use")
	if err := n.page("alice", "3").tryJoin(); err != nil {
		t.Errorf("after an invalid file: %v", err)
	}

	write(other, "limits: { pages: 1000, streams: 1000, pagesPerOwner: 1 }\nlog: { level: debug }\n")
	reload("the new origin is applied", "configuration reloaded")
	page.awaitEnd("a page whose origin is gone is closed")
	if status, _ := n.page("alice", "1").dial(); status != 403 {
		t.Errorf("an origin that is gone: %d", status)
	}
	eventually(t, "the new origin joins", func() bool { return foreign.tryJoin() == nil })
	over := n.page("alice", "4")
	over.origin = other
	if code, _ := over.joinFails(); code != closeLimit {
		t.Errorf("over the new limit: %d", code)
	}

	const assistant = "https://assistant.example"
	preflight := func() int {
		return n.send("OPTIONS", "/mcp", "", "Origin: "+assistant, "Access-Control-Request-Method: POST").status
	}
	if status := preflight(); status != 403 {
		t.Errorf("an origin of assistants that is not listed: %d", status)
	}
	verifiers := n.issuers.Load().assistants
	browser = assistant
	write(other, "limits: { pages: 1000, streams: 1000 }\n")
	reload("an origin of assistants is added", "configuration reloaded")
	if status := preflight(); status != 204 {
		t.Errorf("an origin of assistants that was added: %d", status)
	}
	if n.issuers.Load().assistants != verifiers {
		t.Error("the streams of all assistants were ended")
	}
	browser = ""
	write(other, "limits: { pages: 1000, streams: 1000, joins: 7 }\n")
	reload("an origin of assistants is removed", "configuration reloaded")
	if status := preflight(); status != 403 {
		t.Errorf("an origin of assistants that is gone: %d", status)
	}

	write(other, "listen: 127.0.0.1:1\nlimits: { pages: 1000, streams: 1000 }\n")
	// a second key `listen` is an error, so the old configuration stays
	reload("a duplicate key is rejected", "the old one stays in use")
}

// A session whose key is removed ends at once, also while it is awake: a reload that removes the
// key says that the ids under it are not trusted any more.
func TestSessionsEndWithTheirKey(t *testing.T) {
	t.Parallel()
	base := startNode(t, nil) // for its issuers
	dir := t.TempDir()
	keyFile, file := filepath.Join(dir, "keys"), filepath.Join(dir, "pagemcpd.yaml")
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	first, second := keys.New()+"\n", keys.New()+"\n"
	write(keyFile, first+second)
	write(file, "publicURL: https://"+testHost+"\nlisten: 127.0.0.1:0\ntrustedProxies: [127.0.0.1]\nadmin: { listen: 127.0.0.1:0 }\nassistants: { issuer: "+base.auth.URL()+" }\n"+
		"pages: { origins: ["+appOrigin+"], tokens: { issuer: "+base.app.URL()+" } }\nkeys: "+keyFile+"\nlimits: { pages: 1000, streams: 1000 }\n")
	hangup, logs := make(chan os.Signal, 1), &lineBuffer{}
	node, err := Open(Options{File: file, Version: "test", Log: logs, Audit: io.Discard, Hangup: hangup, abrupt: true})
	if err != nil {
		t.Fatal(err)
	}
	n := &liveNode{Node: node, t: t, auth: base.auth, app: base.app, logs: logs}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- node.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	eventually(t, "the node is ready", func() bool { status, _ := n.probe("/readyz"); return status == 200 })
	token := "Authorization: Bearer " + n.token("alice", nil)
	begun := n.send("POST", "/mcp", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`, token)
	ping := func() int {
		return n.send("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, token, "Mcp-Session-Id: "+begun.header.Get("Mcp-Session-Id")).status
	}
	if got := ping(); got != 200 {
		t.Fatalf("%d, then a ping: %d", begun.status, got)
	}
	for i, step := range []struct {
		name, keys string
		want       int
	}{{"the key is the second one", second + first, 200}, {"the key is removed", second, 404}} {
		write(keyFile, step.keys)
		hangup <- syscall.SIGHUP
		eventually(t, step.name, func() bool { return strings.Count(logs.String(), "configuration reloaded") > i })
		if got := ping(); got != step.want {
			t.Errorf("%s: %d, want %d", step.name, got, step.want)
		}
	}
}
