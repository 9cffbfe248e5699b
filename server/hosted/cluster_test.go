package hosted

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/hosted/config/configtest"
	"github.com/pagemcp/pagemcp/server/hosted/ring/ringtest"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/oauth"
)

// inCluster configures a node of a cluster on loopback.
func inCluster(c *config.Config) {
	c.Cluster = &config.Cluster{Name: "test", Internal: config.Internal{Listen: "127.0.0.1:0"}, NATS: config.NATS{URLs: []string{"nats://127.0.0.1:1"}}}
}

// know returns when all nodes know each other.
func know(t *testing.T, nodes ...*liveNode) {
	t.Helper()
	for _, n := range nodes {
		gatewaytest.Eventually(t, "the nodes know each other", func() bool { return n.cluster.nodes.Count() == len(nodes) })
	}
}

// homedAt returns a user whose home is n, of those from skip on.
func (n *liveNode) homedAt(skip int) string {
	for i := skip; ; i++ {
		if user := fmt.Sprint("user", i); n.cluster.nodes.Home(oauth.OwnerKey("", user)) == nil {
			return user
		}
	}
}

// Pages and assistants reach any node, and the home of their user serves them: its audit log has
// them, with the address of the client.
func TestAnyNodeLeadsToTheHomeOfAUser(t *testing.T) {
	t.Parallel()
	store, _, _ := ringtest.NewStore()
	a := startWith(t, store, inCluster)
	b := a.another(store)
	know(t, a, b)
	user := b.homedAt(0)
	page := a.page(user, "1").note("notes://a", "text").join()
	for _, n := range []*liveNode{a, b} {
		if got := n.read(n.token(user, nil), "/mcp", page.joined.Joined+"+notes://a"); got.status != 200 || !strings.Contains(got.body, `"text"`) {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	header := a.send("POST", "/mcp", gatewaytest.Initialize, "Authorization: Bearer "+a.token(user, nil), "X-Forwarded-For: 203.0.113.7").header
	if len(header.Values("X-Content-Type-Options")) != 1 || header.Get("Mcp-Session-Id") == "" {
		t.Errorf("headers of an answer that was passed on: %v", header)
	}
	if got := a.audit.String(); strings.Contains(got, `"verb":"join"`) || strings.Contains(got, "resources/read") {
		t.Errorf("the other node has served the user: %s", got)
	}
	if got := a.send("POST", "/mcp", gatewaytest.Initialize, "Authorization: Bearer "+page.token()); got.status != http.StatusUnauthorized {
		t.Errorf("an invalid token: %d", got.status)
	}
	for query, want := range map[string]string{"subject=" + user: b.cluster.nodes.ID(), "owner=" + string(oauth.OwnerKey("", user)): b.cluster.nodes.ID(), "subject=" + a.homedAt(0): a.cluster.nodes.ID()} {
		if _, body := a.probe("/whereis?" + query); !strings.Contains(body, "\nhome "+want+" ") {
			t.Errorf("%s: %s, want %s", query, body, want)
		}
	}
}

// A node joins: what belongs to its share of the users leaves the other one, with a time to come
// back, and sessions go on at the new home.
func TestUsersMoveToANodeThatJoins(t *testing.T) {
	t.Parallel()
	store, _, _ := ringtest.NewStore()
	a := startWith(t, store, inCluster)
	var pages []*livePage
	var listens, gets []*gatewaytest.Stream
	var sessions []string
	for i := range 8 {
		page := a.page(fmt.Sprint("user", i), "1").note("notes://a", "text").join()
		token := a.token(page.user, nil)
		session := a.begin(token)
		pages, sessions = append(pages, page), append(sessions, session)
		listens = append(listens, a.listen(token))
		gets = append(gets, a.client(token).Stream(t.Context(), "GET", "/mcp", "", "Mcp-Session-Id: "+session))
	}
	b := a.another(store)
	know(t, a, b)
	moved := 0
	for i, page := range pages {
		if b.cluster.nodes.Home(oauth.OwnerKey("", page.user)) != nil {
			continue
		}
		moved++
		page.awaitEnd("the page of a user who moves is let go")
		text := ""
		for !strings.Contains(text, `"id":1,"result"`) {
			if text = listens[i].Next(); text == "" {
				t.Fatal("the listen has no result")
			}
		}
		for gets[i].Next() != "" { // until the stream of the session ends
		}
		page.join()
		headers := []string{"Authorization: Bearer " + a.token(page.user, nil), "Mcp-Session-Id: " + sessions[i]}
		if got := a.send("POST", "/mcp", gatewaytest.Classic("2", "ping", ""), headers...); got.status != 200 {
			t.Errorf("the session of a user who has moved: %d %s", got.status, got.body)
		}
	}
	for _, page := range pages {
		select {
		case <-page.port.Done():
			t.Errorf("the page of %s, which stays or is back, is closed", page.user)
		default:
		}
	}
	if a.registry.count()+b.registry.count() != len(pages) || b.registry.count() != moved {
		t.Errorf("%d and %d pages, of which %d have moved", a.registry.count(), b.registry.count(), moved)
	}
}

// Nodes have certificates of one authority; connections without such a certificate are closed.
func TestNodesKnowEachOtherByCertificates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := configtest.Peer(t, dir)
	store, _, _ := ringtest.NewStore()
	a := startWith(t, store, func(c *config.Config) {
		inCluster(c)
		c.Cluster.Internal.TLS = config.MutualTLS{CA: cert, Cert: cert, Key: key}
	})
	b := a.another(store)
	know(t, a, b)
	user := b.homedAt(0)
	page := a.page(user, "1").note("notes://a", "text").join()
	if got := a.read(a.token(user, nil), "/mcp", page.joined.Joined+"+notes://a"); got.status != 200 {
		t.Errorf("%d %s", got.status, got.body)
	}
	own := &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}
	foreign := own.Clone()
	foreignCert, foreignKey := configtest.Certificate(t, t.TempDir(), 1, time.Time{}, time.Now().Add(time.Hour))
	pair, err := tls.LoadX509KeyPair(foreignCert, foreignKey)
	if err != nil {
		t.Fatal(err)
	}
	foreign.Certificates = []tls.Certificate{pair}
	for name, client := range map[string]*tls.Config{"without a certificate": own, "with one of another authority": foreign} {
		ctx, cancel := context.WithTimeout(t.Context(), testTime)
		conn, err := (&tls.Dialer{Config: client}).DialContext(ctx, "tcp", b.cluster.inside.Address().String())
		if err == nil { // a client learns of its rejection when it reads
			conn.SetReadDeadline(time.Now().Add(testTime))
			fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: x\r\nPageMCP-Hop: x\r\n\r\n")
			_, err = conn.Read(make([]byte, 1))
			conn.Close()
		}
		cancel()
		if err == nil {
			t.Errorf("a client %s is answered", name)
		}
	}
}

// Without TLS, connections come from the addresses of nodes.
func TestOnlyNodesReachAPlainInternalAddress(t *testing.T) {
	t.Parallel()
	store, _, _ := ringtest.NewStore()
	a := startWith(t, store, inCluster)
	if answer, err := gatewaytest.HTTP.Get("http://" + a.cluster.inside.Address().String() + "/mcp"); err == nil {
		t.Errorf("without other nodes: %s", answer.Status)
		answer.Body.Close()
	}
	know(t, a, a.another(store))
	answer, err := gatewaytest.HTTP.Get("http://" + a.cluster.inside.Address().String() + "/mcp") // from the address of the other one
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusForbidden {
		t.Error(answer.Status)
	}
}

// Limits of a tenant are shared by all nodes.
func TestNodesShareTheLimitsOfTenants(t *testing.T) {
	t.Parallel()
	store, _, _ := ringtest.NewStore()
	a := startWith(t, store, func(c *config.Config) { inCluster(c); c.Limits["pagesPerTenant"] = 101 })
	wants := func(tenant int) {
		t.Helper()
		gatewaytest.Eventually(t, fmt.Sprint("the limit of a tenant is ", tenant), func() bool { return a.usage.Limits().Of(limits.Pages, limits.OfTenant) == tenant })
	}
	wants(101)
	b := a.another(store)
	wants(51)
	b.stop()
	wants(101)
}

// The home of a page closes its connection when the node that it came through drains, with a time to join again.
func TestPagesThatCameThroughADrainingNodeComeBack(t *testing.T) {
	t.Parallel()
	store, _, _ := ringtest.NewStore()
	a := startWith(t, store, inCluster)
	b := a.another(store)
	know(t, a, b)
	user := b.homedAt(0)
	direct := b.page(user, "1").note("notes://a", "text").join()
	through := a.page(user, "2")
	if err := through.tryJoin(); err != nil {
		t.Fatal(err)
	}
	gatewaytest.Eventually(t, "its connection is that of a known client at both nodes", func() bool {
		return a.public.Limiter.Unknown() == 0 && b.cluster.inside.Limiter.Unknown() == 0
	})
	go a.cluster.nodes.Move(t.Context(), 1, time.Second)
	through.awaitEnd("the page is let go")
	select {
	case <-direct.port.Done():
		t.Error("a page that has not come through the node is closed")
	default:
	}
}
