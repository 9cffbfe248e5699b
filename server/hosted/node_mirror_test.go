package hosted

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/remote/remotetest"
)

// published makes a page whose values a node may keep.
func (p *livePage) published() *livePage {
	p.publishes = &remotetest.Publisher{Publishes: func(string) bool { return true }}
	return p
}

// Pages of two tenants with the same subject, id, name and URIs share the mirror of a node: each gets its own values, and a
// change or the end of one does not concern the other.
func TestTenantsShareNoKeptValue(t *testing.T) {
	t.Parallel()
	n := startNode(t, func(c *config.Config) { c.Assistants.TenantClaim = "org_id" })
	page := func(tenant string) *livePage {
		p := n.page("alice", "tab").note("notes://a", "value of "+tenant)
		p.claims = map[string]any{"org_id": tenant}
		return p.published().join()
	}
	pages := map[string]*livePage{"red": page("red"), "blue": page("blue")}
	read := func(tenant string) string {
		return n.read(n.token("alice", map[string]any{"org_id": tenant}), "/mcp", pages[tenant].joined.Joined+"+notes://a").body
	}
	check := func(when string, reads map[string]int) {
		t.Helper()
		for range 3 {
			for tenant := range pages {
				if got := read(tenant); !strings.Contains(got, `"text":"value of `+tenant+`"`) {
					t.Errorf("%s, %s reads %s", when, tenant, got)
				}
			}
		}
		for tenant, want := range reads {
			if got := pages[tenant].publishes.Reads(); got != want {
				t.Errorf("%s, the page of %s has answered %d reads, want %d", when, tenant, got, want)
			}
		}
	}
	check("both kept", map[string]int{"red": 1, "blue": 1})
	pages["red"].publishes.Change("", "")
	eventually(t, "the node has dropped the values of red", func() bool {
		read("red")
		return pages["red"].publishes.Reads() > 1
	})
	check("after red has dropped all", map[string]int{"red": 2, "blue": 1})
}

// A node keeps nothing of a page that has left.
func TestANodeKeepsNothingOfPagesThatHaveLeft(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	t.Parallel() // the first read waits 10 s for the page
	n := startNode(t, nil)
	p := n.page("ada", "p").note("notes://a", "secret").note("notes://b", "secret").published().join()
	token := n.token("ada", nil)
	uris := []string{"notes://a", "notes://b"}
	for _, uri := range append(uris, uris...) {
		if got := n.read(token, "/mcp/"+p.joined.Joined, uri).body; !strings.Contains(got, "secret") {
			t.Fatalf("%s: %s", uri, got)
		}
	}
	if got := p.publishes.Reads(); got != 2 {
		t.Fatalf("the page has answered %d reads: nothing was kept", got)
	}
	p.conn.CloseNow()
	eventually(t, "the node knows that the page has left", func() bool { return strings.Contains(n.audit.String(), `"leave"`) })
	for _, uri := range uris {
		if got := n.read(token, "/mcp/"+p.joined.Joined, uri).body; strings.Contains(got, "secret") {
			t.Errorf("%s of a page that has left: %s", uri, got)
		}
	}
}

// What a user decides in one tab holds for what the node has kept of another one that sleeps.
func TestADecisionInOneTabHoldsForATabThatSleeps(t *testing.T) {
	t.Parallel()
	n := startNode(t, nil)
	tab := func(id, allows string) *livePage {
		p := n.page("ada", id).note("notes://a", "secret")
		grants, err := engine.ParseGrants([]byte(`{"default":"open","grants":[{"assistant":"client:reader","right":"read","allow":` + allows + `}]}`))
		if err != nil {
			t.Fatal(err)
		}
		p.engine.SetGrants(grants)
		return p.published().join()
	}
	asleep := tab("first", "true")
	token := n.token("ada", map[string]any{"client_id": "reader"})
	read := func() string { return n.read(token, "/mcp/"+asleep.joined.Joined, "notes://a").body }
	if got := read(); !strings.Contains(got, "secret") {
		t.Fatal(got)
	}
	asleep.publishes.Sleep(true)
	eventually(t, "nothing is answered without a tab that is awake", func() bool { return strings.Contains(read(), "page-asleep") })
	second := tab("second", "true")
	eventually(t, "a second tab allows it", func() bool { return strings.Contains(read(), "secret") })
	stopped, err := engine.ParseGrants([]byte(`{"default":"open","grants":[{"assistant":"client:reader","right":"read"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	second.engine.SetGrants(stopped)
	eventually(t, "the second tab denies it", func() bool { return strings.Contains(read(), "page-asleep") })
}

// A client that the table of a page allows to read gets values from the node, and loses that as soon as the page has
// revoked it. The page's audit has each read.
func TestAKeptValueIsReadByTheGrantsOfThePage(t *testing.T) {
	t.Parallel()
	n := startNode(t, nil)
	p := n.page("ada", "p").note("notes://a", "secret").published().join()
	set := func(allow bool) {
		grants, err := engine.ParseGrants(fmt.Appendf(nil, `{"default":"ask","asksLists":true,"grants":[{"assistant":"client:reader","right":"read","allow":%v}]}`, allow))
		if err != nil {
			t.Fatal(err)
		}
		p.engine.SetGrants(grants)
	}
	read := func(client string) string {
		return n.read(n.token("ada", map[string]any{"client_id": client}), "/mcp/"+p.joined.Joined, "notes://a").body
	}
	set(true)
	const rounds = 20
	eventually(t, "the node answers by the grants", func() bool {
		before := p.publishes.Reads()
		for range rounds {
			if got := read("reader"); !strings.Contains(got, "secret") {
				t.Fatal(got)
			}
		}
		return p.publishes.Reads() == before
	})
	if got := read("stranger"); strings.Contains(got, "secret") {
		t.Errorf("a client without a grant reads %s", got)
	}
	eventually(t, "the page gets a report of the reads", func() bool {
		return strings.Contains(fmt.Sprint(p.publishes.Served()), `"assistant":"client:reader"`)
	})
	set(false)
	eventually(t, "the value is not read any more", func() bool { return !strings.Contains(read("reader"), "secret") })
	for range rounds {
		if got := read("reader"); !strings.Contains(got, `"reason":"declined"`) {
			t.Errorf("after the grant was revoked: %s", got)
		}
	}
}
