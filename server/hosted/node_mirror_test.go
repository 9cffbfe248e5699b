package hosted

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/remote/remotetest"
)

// everything is for a Publisher.
func everything(string) bool { return true }

// published makes a page whose values a node may keep.
func (p *livePage) published(publisher *remotetest.Publisher) *livePage {
	p.publishes = publisher
	return p
}

// perClient adds a function that returns for whom it was read and how often, with a ttl of a minute.
func (p *livePage) perClient(uri, of string, public bool) *livePage {
	reads := 0
	err := p.table.Put(engine.Entry{Resource: engine.Resource{URI: uri, Name: uri}, Read: func(ctx context.Context, _ string) ([]engine.Contents, error) {
		reads++ // one after the other
		text := fmt.Sprintf("%s, read %d for %s", of, reads, engine.PrincipalOf(ctx))
		return []engine.Contents{{URI: uri, Text: text, Cache: engine.Cache{TTL: time.Minute, Public: public}}}, nil
	}})
	if err != nil {
		p.node.t.Fatal(err)
	}
	return p
}

// Pages of two tenants with the same subject, id, name and URIs share the mirror of a node: each gets its own values, and a
// change or the end of one does not concern the other. Of results with a ttl, private ones are for one client_id.
func TestTenantsShareNoKeptValue(t *testing.T) {
	n := startNode(t, func(c *config.Config) { c.Assistants.TenantClaim = "org_id" })
	page := func(tenant string) *livePage {
		p := n.page("alice", "tab").note("notes://a", "value of "+tenant)
		p.claims = map[string]any{"org_id": tenant}
		p.perClient("notes://private", tenant, false).perClient("notes://public", tenant, true)
		times := func(uri string) bool { return uri != "notes://a" }
		return p.published(&remotetest.Publisher{Publishes: everything, Times: times}).join()
	}
	pages := map[string]*livePage{"red": page("red"), "blue": page("blue")}
	read := func(tenant, client, uri string) string {
		token := n.token("alice", map[string]any{"org_id": tenant, "client_id": client})
		return n.read(token, "/mcp", pages[tenant].joined.Joined+"+"+uri).body
	}
	check := func(when string, want map[string]string) {
		t.Helper()
		for range 2 {
			for key, text := range want {
				part := strings.Fields(key)
				if got := read(part[0], part[1], part[2]); !strings.Contains(got, `"text":"`+text+`"`) {
					t.Errorf("%s, %s reads %s, want %s", when, key, got, text)
				}
			}
		}
	}
	for _, tenant := range []string{"red", "blue"} { // in this order: the number of the read is in the text
		for _, client := range []string{"claude", "codex"} {
			for _, uri := range []string{"notes://a", "notes://private", "notes://public"} {
				read(tenant, client, uri)
			}
		}
	}
	want := map[string]string{}
	for tenant := range pages {
		for _, client := range []string{"claude", "codex"} {
			want[tenant+" "+client+" notes://a"] = "value of " + tenant
			want[tenant+" "+client+" notes://public"] = tenant + ", read 1 for client:claude"
		}
		want[tenant+" claude notes://private"] = tenant + ", read 1 for client:claude"
		want[tenant+" codex notes://private"] = tenant + ", read 2 for client:codex"
	}
	check("both kept", want)
	for tenant, p := range pages {
		if got := p.publishes.Reads(); got != 4 { // of a and public once, of private by each client
			t.Errorf("the page of %s has answered %d reads", tenant, got)
		}
	}
	pages["red"].publishes.Change("", "")
	eventually(t, "the node has dropped the values of red", func() bool {
		return strings.Contains(read("red", "claude", "notes://public"), "red, read 2")
	})
	for key := range want {
		if strings.HasPrefix(key, "red") {
			delete(want, key)
		}
	}
	check("after red has dropped all", want)
	if got := pages["blue"].publishes.Reads(); got != 4 {
		t.Errorf("the page of blue has answered %d reads", got)
	}
}

// A node keeps nothing of a page that has left.
func TestANodeKeepsNothingOfPagesThatHaveLeft(t *testing.T) {
	t.Parallel() // the first read waits 10 s for the page
	n := startNode(t, nil)
	p := n.page("ada", "p").note("notes://a", "secret").perClient("notes://timed", "secret", true)
	times := func(uri string) bool { return uri != "notes://a" }
	p.published(&remotetest.Publisher{Publishes: everything, Times: times}).join()
	token := n.token("ada", nil)
	uris := []string{"notes://a", "notes://timed"}
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
	n := startNode(t, nil)
	tab := func(id, allows string) *livePage {
		p := n.page("ada", id).note("notes://a", "secret")
		grants, err := engine.ParseGrants([]byte(`{"default":"open","grants":[{"assistant":"client:reader","right":"read","allow":` + allows + `}]}`))
		if err != nil {
			t.Fatal(err)
		}
		p.engine.SetGrants(grants)
		return p.published(&remotetest.Publisher{Publishes: everything}).join()
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
	n := startNode(t, nil)
	p := n.page("ada", "p").note("notes://a", "secret").published(&remotetest.Publisher{Publishes: everything}).join()
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
	began := time.Now()
	for strings.Contains(read("reader"), "secret") {
		if time.Since(began) > 100*time.Millisecond {
			t.Fatal("a value is read 100 ms after its grant was revoked")
		}
	}
	for range rounds {
		if got := read("reader"); !strings.Contains(got, `"reason":"declined"`) {
			t.Errorf("after the grant was revoked: %s", got)
		}
	}
}
