package hosted

import (
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
)

// A reload changes who may join and how much is allowed, without a restart. A file that is
// not valid changes nothing.
func TestReloadWhileServing(t *testing.T) {
	t.Parallel()
	n := startFileNode(t)
	const other, reloaded, rejected = "https://other.example", "configuration reloaded", "the old one stays in use"
	page := n.page("alice", "1").note("notes://a", "text").join()
	foreign := n.page("alice", "2").note("notes://a", "text")
	foreign.origin = other
	if status, _ := foreign.dial(); status != 403 {
		t.Errorf("before: %d", status)
	}

	n.rest = "limits: { pages: none }\n"
	n.reload(rejected)
	if err := n.page("alice", "3").tryJoin(); err != nil {
		t.Errorf("after an invalid file: %v", err)
	}

	n.origins, n.rest = other, "limits: { pages: 1000, streams: 1000, pagesPerOwner: 1 }\nlog: { level: debug }\n"
	n.reload(reloaded)
	page.awaitEnd("a page whose origin is gone is closed")
	if status, _ := n.page("alice", "1").dial(); status != 403 {
		t.Errorf("an origin that is gone: %d", status)
	}
	gatewaytest.Eventually(t, "the new origin joins", func() bool { return foreign.tryJoin() == nil })
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
	n.assistants, n.rest = ", origins: ["+assistant+"]", fileLimits
	n.reload(reloaded)
	if status := preflight(); status != 204 {
		t.Errorf("an origin of assistants that was added: %d", status)
	}
	if n.issuers.Load().assistants != verifiers {
		t.Error("the streams of all assistants were ended")
	}
	n.assistants = ""
	n.reload(reloaded)
	if status := preflight(); status != 403 {
		t.Errorf("an origin of assistants that is gone: %d", status)
	}

	n.rest = "listen: 127.0.0.1:1\n" + fileLimits // a key twice
	n.reload(rejected)
}
