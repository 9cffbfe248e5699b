package hosted

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/remote/remotetest"
)

var isolationRequests = flag.Int("isolation", 2_000, "number of requests of the isolation test")

// Two tenants with equal subjects, page ids, page names and URIs, whose clients have equal
// ids, send requests at the same time: their own, and ones with names, sessions and cursors
// of the other. No response and no notification contains a byte of the other tenant, whether
// the pages answer all reads or the node keeps what they have published.
func TestTenantsGetNothingOfEachOther(t *testing.T) {
	t.Parallel()
	for name, publishes := range map[string]bool{"computed": false, "published": true} {
		t.Run(name, func(t *testing.T) { testTenants(t, publishes) })
	}
}

func testTenants(t *testing.T, publishes bool) {
	n := startNode(t, func(c *config.Config) {
		c.Assistants.TenantClaim = "org_id"
		c.Limits["readsPerSecond"], c.Limits["callsPerSecond"], c.Limits["sessions"] = 100_000, 100_000, 100_000
	})
	tenants := [2]*tenant{newTenant(n, "red", publishes), newTenant(n, "blue", publishes)}
	for i, one := range tenants {
		one.other = tenants[1-i]
		one.begin()
	}
	var leaks, failures atomic.Int64
	var done sync.WaitGroup
	const workers = 4
	for worker := range workers {
		done.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(worker)))
			for range *isolationRequests / workers {
				one := tenants[random.IntN(2)]
				got, mustHave, listed := one.act(random)
				text := got.body + fmt.Sprint(got.header)
				if one.other.isIn(text) || listed && strings.Contains(got.body, one.other.page.joined.Joined) {
					leaks.Add(1)
					t.Errorf("%s sees the other tenant: %s", one.name, text)
				}
				if mustHave != "" && !strings.Contains(got.body, mustHave) {
					failures.Add(1)
				}
			}
		})
	}
	done.Wait()
	if leaks.Load() > 0 || failures.Load() > 0 {
		t.Errorf("%d of %d requests have foreign bytes, %d failed", leaks.Load(), *isolationRequests, failures.Load())
	}
	for _, one := range tenants {
		n.stop()
		if one.page.publishes != nil {
			reads, sent := one.page.publishes.Reads(), int(one.reads.Load())
			if t.Logf("%s: %d of %d reads reached the page", one.name, reads, sent); reads > sent-100 {
				t.Errorf("%s: the page has answered %d of %d reads: nothing was kept", one.name, reads, sent)
			}
		}
		heard := ""
		for msg := range one.listen.Messages {
			heard += msg
		}
		if one.other.isIn(heard) || strings.Contains(heard, one.other.page.joined.Joined) {
			t.Errorf("%s hears of the other tenant: %s", one.name, heard)
		}
	}
}

// A tenant is one user with one page, and an assistant.
type tenant struct {
	node  *liveNode
	name  string
	other *tenant

	page    *livePage
	reads   atomic.Int32 // of its own page
	token   string
	session string              // of the classic revisions
	listen  *gatewaytest.Stream // until the node ends
}

func newTenant(n *liveNode, name string, publishes bool) *tenant {
	claims := map[string]any{"org_id": name}
	page := n.page("alice", "tab").note("notes://a", "canary of "+name)
	if publishes {
		page.publishes = &remotetest.Publisher{Publishes: func(string) bool { return true }}
	}
	page.claims = claims
	page.join()
	return &tenant{node: n, name: name, page: page, token: n.token("alice", claims)}
}

// begin begins a classic session with a subscription, and a listen.
func (o *tenant) begin() {
	o.session = o.node.begin(o.token)
	o.classic(o.session, "resources/subscribe", o.uri())
	o.listen = o.node.listen(o.token)
}

func (o *tenant) uri() string { return o.page.joined.Joined + "+notes://a" }

// isIn reports whether text contains something that only this tenant may see.
func (o *tenant) isIn(text string) bool {
	return strings.Contains(text, "canary of "+o.name) || strings.Contains(text, "+"+o.name) || o.session != "" && strings.Contains(text, o.session)
}

func (o *tenant) classic(session, method, uri string) httpAnswer {
	return o.node.send("POST", "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"uri":%q}}`, rand.Int32(), method, uri),
		"Authorization: Bearer "+o.token, "Mcp-Session-Id: "+session, "MCP-Protocol-Version: 2025-11-25")
}

// act sends one request. mustHave is in the body of the response if it is one of the
// tenant's own; listed says that it names pages which the request does not.
func (o *tenant) act(random *rand.Rand) (got httpAnswer, mustHave string, listed bool) {
	foreign := o.other.page.joined.Joined
	own := "canary of " + o.name
	defer func() {
		if mustHave == own {
			o.reads.Add(1)
		}
	}()
	switch random.IntN(12) {
	case 0:
		return o.node.ask(o.token, "/mcp", "resources/list", "", ""), o.uri(), true
	case 1:
		return o.node.read(o.token, "/mcp/"+foreign, "notes://a"), "", false
	case 2:
		return o.node.read(o.token, "/mcp", foreign+"+notes://a"), "", false
	case 3:
		return o.classic(o.session, "resources/read", o.uri()), own, false
	case 4:
		return o.classic(o.other.session, "resources/read", o.other.uri()), "", false
	case 5:
		return o.classic(o.session, "resources/read", o.other.uri()), "", false
	case 6:
		return o.node.ask(o.token, "/mcp", "tools/call", "read_resource", fmt.Sprintf(`"name":"read_resource","arguments":{"uri":%q}`, o.other.uri())), "", false
	case 7:
		return o.node.ask(o.token, "/mcp", "tools/call", "list_resources", `"name":"list_resources"`), o.uri(), true
	case 8:
		return o.node.send("DELETE", "/mcp", "", "Authorization: Bearer "+o.token, "Mcp-Session-Id: "+o.other.session), "", false
	case 9:
		if o.page.publishes != nil && random.IntN(4) == 0 {
			o.page.publishes.Change("notes://a", "")
		}
		o.page.table.Changed("notes://a")
		return o.node.ask(o.token, "/mcp/"+foreign, "resources/list", "", ""), "", false
	case 10:
		return o.node.send("GET", "/.well-known/oauth-protected-resource/mcp/"+foreign, ""), "", false
	}
	return o.node.read(o.token, "/mcp", o.uri()), own, false
}
