package engine

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// One row for each kind of entry: what the table decides about a right, and about a tool that is
// decided about by itself.
func TestGrantsDecide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // whose clock begins at a known time
		now := time.Now().UnixMilli()
		later, before := ms(now+1000), ms(now)
		for _, row := range []struct {
			table, who string
			right      grantRight
			tool       string
			want       decision
			reason     string
		}{
			{`"default":"open"`, "a", grantRead, "", allowed, "open"},
			{`"default":"open"`, "a", grantAct, "burn", undecided, ""},
			{`"default":"ask"`, "a", grantRead, "", undecided, ""},
			{`"default":"ask","grants":[{"assistant":"a","right":"read","allow":true}]`, "a", grantRead, "", allowed, "grant"},
			{`"default":"ask","grants":[{"assistant":"a","right":"read","allow":true}]`, "a", grantAct, "", undecided, ""},
			{`"default":"ask","grants":[{"assistant":"a","right":"read","allow":true}]`, "b", grantRead, "", undecided, ""},
			{`"default":"ask","grants":[{"assistant":"a","right":"read","allow":true,"until":` + later + `}]`, "a", grantRead, "", allowed, "grant"},
			{`"default":"ask","grants":[{"assistant":"a","right":"read","allow":true,"until":` + before + `}]`, "a", grantRead, "", undecided, ""},
			{`"default":"ask","grants":[{"assistant":"a","right":"read","until":` + later + `}]`, "a", grantRead, "", denied, "declined"},
			{`"default":"ask","grants":[{"assistant":"a","right":"read","until":` + before + `}]`, "a", grantRead, "", undecided, ""},
			{`"default":"open","grants":[{"assistant":"a","right":"read"}]`, "a", grantRead, "", denied, "declined"},
			// Clients without a name share one.
			{`"default":"ask","grants":[{"assistant":"unnamed","right":"read","allow":true}]`, "token", grantRead, "", allowed, "grant"},
			{`"default":"ask","grants":[{"assistant":"unnamed","right":"read","allow":true}]`, "stdio", grantRead, "", allowed, "grant"},
			{`"default":"ask","grants":[{"assistant":"unnamed","right":"read","allow":true}]`, "", grantRead, "", allowed, "grant"},
			// A tool that is decided about by itself needs a grant of its own.
			{`"default":"ask","grants":[{"assistant":"a","right":"act","allow":true}]`, "a", grantAct, "burn", undecided, ""},
			{`"default":"ask","grants":[{"assistant":"a","right":"act","tool":"burn","allow":true}]`, "a", grantAct, "burn", allowed, "grant"},
			{`"default":"ask","grants":[{"assistant":"a","right":"act","tool":"burn","allow":true}]`, "a", grantAct, "", undecided, ""},
			{`"default":"ask","grants":[{"assistant":"a","right":"act","tool":"burn"}]`, "a", grantAct, "burn", denied, "declined"},
			{`"default":"ask","grants":[{"assistant":"a","right":"act"},{"assistant":"a","right":"act","tool":"burn","allow":true}]`, "a", grantAct, "burn", denied, "declined"},
			// A pause is stronger than a grant.
			{`"default":"open","pausedUntil":` + later, "a", grantRead, "", denied, "paused"},
			{`"default":"ask","pausedUntil":` + later + `,"grants":[{"assistant":"a","right":"read","allow":true}]`, "a", grantRead, "", denied, "paused"},
			{`"default":"open","pausedUntil":` + before, "a", grantRead, "", allowed, "open"},
			// A function of the app decides about each request, unless the user has denied it.
			{`"default":"ask","policy":true,"grants":[{"assistant":"a","right":"read","allow":true}]`, "a", grantRead, "", undecided, ""},
			{`"default":"ask","policy":true,"grants":[{"assistant":"a","right":"read"}]`, "a", grantRead, "", denied, "declined"},
			{`"default":"ask","policy":true,"grants":[{"assistant":"a","right":"list","allow":true}]`, "a", grantList, "", allowed, "grant"},
			// Where the page is asked about lists, grants hold.
			{`"default":"ask","asksLists":true,"grants":[{"assistant":"a","right":"read","allow":true}]`, "a", grantRead, "", allowed, "grant"},
			{`"default":"ask","asksLists":true,"grants":[{"assistant":"a","right":"read","allow":true}]`, "b", grantRead, "", undecided, ""},
		} {
			text := row.table
			if !strings.Contains(text, "grants") {
				text += `,"grants":[]`
			}
			g, err := ParseGrants([]byte("{" + text + "}"))
			if err != nil {
				t.Errorf("%s: %v", row.table, err)
				continue
			}
			if got, reason := g.decide(Principal(row.who), row.right, row.tool); got != row.want || reason != row.reason {
				t.Errorf("%s: %d of %q, tool %q: %d %q, want %d %q", row.table, row.right, row.who, row.tool, got, reason, row.want, row.reason)
			}
			// What a gateway gets decides the same about reads.
			readers, err := ParseReaders(g.appendReaders(nil))
			if err != nil {
				t.Fatalf("%s: for the gateway: %v", row.table, err)
			}
			d, _ := g.decide(Principal(row.who), grantRead, "")
			if _, may := readers.Reason(Principal(row.who)); may != (d == allowed) {
				t.Errorf("%s: a gateway says %t about %q, the page %d", row.table, may, row.who, d)
			}
		}
	})
}

func ms(n int64) string { return string(jsonrpc.IDOf(n)) }

// Tables that are not valid are rejected as a whole.
func TestGrantsAreChecked(t *testing.T) {
	many := strings.Repeat(`{"assistant":"a","right":"read"},`, maxGrants)
	for _, text := range []string{
		``, `[]`, `{}`, `{"default":"all","grants":[]}`, `{"default":"ask"}`, `{"default":"ask","grants":{}}`,
		`{"default":"ask","grants":[{"right":"read"}]}`, `{"default":"ask","grants":[{"assistant":"a"}]}`, `{"default":"ask","grants":[1]}`,
		`{"default":"ask","grants":[` + many + `{"assistant":"a","right":"read"}]}`,
	} {
		if g, err := ParseGrants([]byte(text)); err == nil {
			t.Errorf("%.80s is accepted: %+v", text, g)
		}
	}
}

// An entry with a URI withholds this resource, and what is below it, from one assistant.
func TestGrantsWithholdResources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now().UnixMilli()
		g, err := ParseGrants([]byte(`{"default":"open","grants":[{"assistant":"a","right":"read","uri":"tab:///1"},
			{"assistant":"a","right":"read","uri":"tab:///3","until":` + ms(now) + `},{"assistant":"unnamed","right":"read","uri":"tab:///"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range []struct {
			who Principal
			uri string
			may bool
		}{
			{"a", "tab:///1", false}, {"a", "tab:///1/text", false}, {"a", "tab:///1/text/2", false}, {"a", "tab:///%31", false}, {"a", "tab:///1%2Ftext", false},
			{"a", "tab:///12", true}, {"a", "tab:///", true}, {"a", "", true}, {"a", "tab:///3", true},
			{"b", "tab:///1", true}, {"token", "tab:///1", false}, {"token", "tab:///", false}, {"token", "page:///1", true},
		} {
			if g.MayWatch(row.who, row.uri) != row.may {
				t.Errorf("%s, %q: may is not %v", row.who, row.uri, row.may)
			}
		}
		if !(*Grants)(nil).MayWatch("a", "tab:///1") {
			t.Error("without grants everything is allowed")
		}
		g, _ = ParseGrants([]byte(`{"default":"ask","grants":[{"assistant":"a","right":"read","uri":"tab:///1"}]}`))
		if g.MayWatch("a", "tab:///2") {
			t.Error("a resource is allowed that is not withheld, and not granted")
		}
	})
	for _, entry := range []string{
		`{"assistant":"a","right":"read","uri":"tab:///1","allow":true}`, `{"assistant":"a","right":"act","uri":"tab:///1"}`,
		`{"assistant":"a","right":"read","tool":"look","uri":"tab:///1"}`,
	} {
		if _, err := ParseGrants([]byte(`{"default":"ask","grants":[` + entry + `]}`)); err == nil {
			t.Errorf("%s is taken", entry)
		}
	}
}
