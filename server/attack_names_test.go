package server

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// An origin that joins again and again under names that equal or resemble those of another
// origin's tabs gets none of these names and displaces none; no assistant reads its
// contents under the other's URIs.
func TestOtherOriginsGetNoNameByManyJoins(t *testing.T) {
	t.Parallel()
	const joins, other = 2 * limits.MaxNames, "https://b.example"
	g := startGateway(t, Options{State: "/state", disk: newMemDisk(), Origins: []string{testOrigin, other}, Limits: Limits{PagesPerOrigin: limits.MaxNames - 1}}) // a disk would take most of the time; sockets that close still count
	c := testCaller{t, g}
	tabs := map[string]*testPage{}
	for _, id := range []string{"tab-1", "tab-2"} {
		page := newPage(t, testOrigin, id)
		page.write("notes://a", "of A")
		page.join(g)
		tabs[page.name] = page
	}
	if tabs["notes"] == nil || tabs["notes-2"] == nil {
		t.Fatalf("the first origin's tabs have the names %v", tabs)
	}
	tabs["notes-2"].leave()
	tabs["notes-2"].awaitAway(g)

	requested := []string{
		"notes", "Notes", "NOTES", "notes-2", "notes-3", "notes-02", "ｎｏｔｅｓ", "no\u200btes", "\u2060notes", "notes\u00ad", "\u202enotes", "n\U000e006fotes", "notes\x00",
		"notes+", "notes.", "notes\n", " notes ", "ɴotes", "nοtes", "notes\u0301", "notes--2", "-notes-", "notes-app-example", "notes+notes", "",
	}
	tab := newPage(t, other, "")
	for i := range joins {
		tab.id, tab.app, tab.keyID = fmt.Sprint("flood-", i), requested[i%len(requested)], "" // another key: with one, it would wait for its own pages
		joinSilently(t, g, tab).CloseNow()
		if tabs[tab.name] != nil || isNumbered(tab.name, "notes") || !access.ValidName(tab.name) {
			t.Fatalf("join %d as %q gets %q", i, tab.app, tab.name)
		}
	}
	eventually(t, "forgotten names have no page any more", func() bool {
		g.sweepAt(time.Now())
		_, pages := g.core.Views("").Count()
		return pages <= len(tabs)+limits.MaxNames
	})

	again := newPage(t, testOrigin, "tab-2")
	again.write("notes://a", "of A")
	again.join(g)
	if again.name != "notes-2" {
		t.Errorf("the first origin's second tab comes back as %q", again.name)
	}
	for name := range tabs {
		if _, body := c.read("/mcp", name+"+notes://a"); !strings.Contains(body, `"text":"of A"`) {
			t.Errorf("reading %s: %s", name, body)
		}
	}
}

// joinSilently joins over a real socket and sends no MCP message.
func joinSilently(t *testing.T, g *Gateway, p *testPage) *websocket.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	open := opening{Version: 1, Address: g.PageURL(), Key: p.keyID}
	if p.keyID == "" {
		first := readFragment(t, g.Fragment())
		secret, err := decodeBinary(first.Secret)
		if err != nil {
			t.Fatal(err)
		}
		if p.key, err = deriveKey(secret, g.identity.Gateway, p.origin); err != nil {
			t.Fatal(err)
		}
		open.Secret = first.ID
	}
	conn := p.dial(ctx, open.Address)
	done, err := prove(ctx, conn, open, p.origin, p.key, &gateway.Hello{Page: p.id, Instance: "1", Name: p.app})
	if err != nil {
		t.Fatal(err)
	}
	p.keyID, p.name = done.Key, *done.Joined
	return conn
}
