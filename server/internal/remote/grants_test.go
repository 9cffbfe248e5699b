package remote_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/remote"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A grantedHop is a page whose user answers by answer, behind a gateway or not.
type grantedHop struct {
	*hop
	answer  chan engine.AccessAnswer
	decide  func() engine.AccessAnswer // instead of answer; nil: none
	gateway *engine.Engine
}

func newGrantedHop(t *testing.T, grants string, gateways int) *grantedHop {
	g := &grantedHop{answer: make(chan engine.AccessAnswer)}
	options := enginetest.Offering
	options.Ask = func(ctx context.Context, q *engine.AccessQuestion) engine.AccessAnswer {
		if g.decide != nil {
			return g.decide()
		}
		select {
		case a := <-g.answer:
			return a
		case <-ctx.Done():
			return engine.AccessAnswer{Reason: "unanswered"}
		}
	}
	g.hop = &hop{T: t, page: engine.New(engine.Info{Name: "page", Version: "1"}, &options), table: engine.NewTable(), wire: &wire{}}
	g.page.Mount("", g.table)
	g.put("notes://cart", "2 apples")
	g.set(grants)
	served := g.page
	for range gateways {
		near, far := jsonrpc.Pipe()
		below := served
		go below.Serve(engine.WithSpeakForOthers(context.Background()), far) // ends with near
		r, plain := remote.New(), enginetest.Offering
		t.Cleanup(r.Close)
		served = engine.New(engine.Info{Name: "gateway", Version: "1"}, &plain)
		if err := r.Reattach(t.Context(), near); err != nil {
			t.Fatal(err)
		}
		served.Mount("", r)
	}
	g.gateway = served
	return g
}

func (g *grantedHop) set(grants string) {
	g.Helper()
	table, err := engine.ParseGrants([]byte(grants))
	if err != nil {
		g.Fatal(err)
	}
	g.page.SetGrants(table)
}

const (
	onlyClaude = `{"default":"ask","grants":[{"assistant":"claude","right":"read","allow":true}]}`
	nobody     = `{"default":"ask","grants":[{"assistant":"claude","right":"read"}]}`
)

// A gateway announces changes of a page only to assistants that may read it: from the decision on, while it holds.
func TestGatewaysAnnounceAsTheGrantsSay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGrantedHop(t, onlyClaude, 1)
		claude, other := enginetest.Speak(t, g.gateway, "claude"), enginetest.Speak(t, g.gateway, "codex")
		listen := `,"notifications":{"resourceSubscriptions":["notes://cart"],"resourcesListChanged":true}`
		claude.Ask("1", "subscriptions/listen", "", listen)
		claude.Wants("acknowledged", `["notes://cart"]`)
		other.Ask("1", "subscriptions/listen", "", listen)
		if got := other.Next(); strings.Contains(got, "cart") || !strings.Contains(got, "acknowledged") {
			t.Errorf("without a grant: %s", got)
		}
		g.table.Changed("notes://cart")
		claude.Wants("updated", "notes://cart")
		began := time.Now()
		g.set(nobody)
		claude.Wants("list_changed")
		other.Ask("2", "ping", "", "")
		other.Wants(`"id":2`) // what it may see is the same
		if waited := time.Since(began); waited > 100*time.Millisecond {
			t.Errorf("the gateway learned of it after %v", waited)
		}
		g.table.Changed("notes://cart")
		synctest.Wait()
		claude.Ask("2", "resources/list", "", "")
		claude.Wants("access:///read") // and no update before
		time.Sleep(time.Second)
		g.set(onlyClaude)
		seen := claude.Next() + claude.Next()
		if !strings.Contains(seen, "list_changed") || !strings.Contains(seen, "updated") {
			t.Errorf("after it was granted again: %s", seen)
		}
		claude.Ask("3", "resources/list", "", "")
		list := claude.Next()
		for !strings.Contains(list, `"id":3`) { // a change of a list may be announced twice
			list = claude.Next()
		}
		if !strings.Contains(list, "notes://cart") {
			t.Errorf("granted again: %s", list)
		}
		claude.Port.Close()
		other.Port.Close()
		time.Sleep(time.Second)
	})
}

// A change right after a decision is announced according to that decision. After a decision about another assistant it is
// announced, too.
func TestChangesAreAnnouncedByTheNewestDecisions(t *testing.T) {
	const aboutCodex = `{"default":"ask","grants":[{"assistant":"claude","right":"read","allow":true},{"assistant":"codex","right":"read"}]}`
	for decision, updates := range map[string]int{nobody: 0, aboutCodex: 1} {
		synctest.Test(t, func(t *testing.T) {
			g := newGrantedHop(t, onlyClaude, 1)
			claude := enginetest.Speak(t, g.gateway, "claude")
			claude.Ask("1", "subscriptions/listen", "", `,"notifications":{"resourceSubscriptions":["notes://cart"]}`)
			claude.Wants("acknowledged", `["notes://cart"]`)
			time.Sleep(time.Second)
			g.set(decision)
			g.table.Changed("notes://cart")
			time.Sleep(time.Second)
			claude.Ask("2", "ping", "", "")
			got := ""
			for !strings.Contains(got, `"id":2`) {
				got += claude.Next()
			}
			if n := strings.Count(got, "resources/updated"); n != updates {
				t.Errorf("after %s: %d updates, want %d: %s", decision, n, updates, got)
			}
			claude.Port.Close()
			time.Sleep(time.Second)
		})
	}
}

// An assistant whose denial is lifted hears that it may list again, also where a function of the app decides that.
func TestALiftedDenialIsAnnounced(t *testing.T) {
	const denied = `{"default":"ask","policy":true,"grants":[{"assistant":"claude","right":"read"}]}`
	for gateways := range 2 {
		synctest.Test(t, func(t *testing.T) {
			g := newGrantedHop(t, denied, gateways)
			g.decide = func() engine.AccessAnswer { return engine.AccessAnswer{Allow: true, Reason: "policy"} }
			claude := enginetest.Speak(t, g.gateway, "claude")
			claude.Ask("1", "subscriptions/listen", "", `,"notifications":{"resourcesListChanged":true}`)
			claude.Wants("acknowledged")
			time.Sleep(time.Second)
			g.set(`{"default":"ask","policy":true,"grants":[]}`)
			claude.Wants("list_changed")
			claude.Port.Close()
		})
	}
}

// The first request of an assistant may be a listen: a function of the app decides about it, at the page before it is
// acknowledged, and behind gateways afterwards.
func TestAFunctionOfTheAppDecidesAboutListens(t *testing.T) {
	const undecided = `{"default":"ask","policy":true,"grants":[]}`
	decided := func(allow string) string {
		return `{"default":"ask","policy":true,"grants":[{"assistant":"claude","right":"list","allow":` + allow + `}]}`
	}
	for gateways := range 2 {
		for _, allow := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				g := newGrantedHop(t, undecided, gateways)
				g.decide = func() engine.AccessAnswer {
					g.set(decided(strconv.FormatBool(allow)))
					return engine.AccessAnswer{Allow: allow, Reason: "policy"}
				}
				claude := enginetest.Speak(t, g.gateway, "claude")
				claude.Ask("1", "subscriptions/listen", "", `,"notifications":{"resourceSubscriptions":["notes://cart"]}`)
				claude.Wants("acknowledged")
				g.table.Changed("notes://cart")
				if allow {
					claude.Wants("updated", "notes://cart")
				}
				time.Sleep(2 * time.Second) // the gateway has the decision
				g.table.Changed("notes://cart")
				if allow {
					claude.Wants("updated", "notes://cart")
				}
				claude.Ask("2", "ping", "", "")
				for got := claude.Next(); !strings.Contains(got, `"id":2`); got = claude.Next() {
					if !allow { // else the decision is announced, too
						t.Errorf("it hears of %s", got)
					}
				}
				claude.Port.Close()
				time.Sleep(time.Second)
			})
		}
	}
}

// What is withheld from an assistant changes without an announcement to it, at the page and behind
// gateways, in a subscription that it has; when it is not withheld any more, one announcement
// follows.
func TestChangesOfWithheldResourcesAreNotAnnounced(t *testing.T) {
	const (
		open     = `{"default":"open","grants":[]}`
		withheld = `{"default":"open","grants":[{"assistant":"codex","right":"read","uri":"notes://cart"}]}`
	)
	for gateways := range 2 {
		synctest.Test(t, func(t *testing.T) {
			g := newGrantedHop(t, open, gateways)
			claude, codex := enginetest.Speak(t, g.gateway, "claude"), enginetest.Speak(t, g.gateway, "codex")
			for _, s := range []enginetest.Speaker{claude, codex} {
				s.Ask("1", "subscriptions/listen", "", `,"notifications":{"resourceSubscriptions":["notes://cart"]}`)
				s.Wants("acknowledged", `["notes://cart"]`)
			}
			g.set(withheld)
			time.Sleep(time.Second)
			g.table.Changed("notes://cart")
			claude.Wants("updated", "notes://cart")
			codex.Ask("2", "ping", "", "")
			codex.Wants(`"id":2`) // and no update before
			codex.Ask("3", "resources/read", "", `,"uri":"notes://cart"`)
			codex.Wants(`"id":3`, "has not shared this with you", `"reason":"declined"`)
			codex.Ask("4", "subscriptions/listen", "", `,"notifications":{"resourceSubscriptions":["notes://cart"]}`)
			if gateways == 0 { // a gateway has a subscription of this assistant already, which hears nothing
				codex.Wants("acknowledged", `"notifications":{}`)
			} else {
				codex.Wants("acknowledged")
			}
			time.Sleep(time.Second)
			g.set(open)
			codex.Wants("updated", "notes://cart")
			claude.Ask("2", "ping", "", "")
			claude.Wants(`"id":2`) // it missed nothing
			claude.Port.Close()
			codex.Port.Close()
			time.Sleep(time.Second)
		})
	}
}

// A question may wait longer than requests do, through gateways, too.
func TestQuestionsWaitThroughGateways(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGrantedHop(t, `{"default":"ask","grants":[]}`, 1)
		s := enginetest.Speak(t, g.gateway, "claude")
		s.Ask("1", "resources/read", "", `,"uri":"notes://cart"`)
		time.Sleep(44 * time.Second)
		g.answer <- engine.AccessAnswer{Allow: true, Reason: "asked"}
		s.Wants(`"id":1`, "2 apples")
		s.Ask("2", "resources/read", "", `,"uri":"notes://cart"`)
		g.answer <- engine.AccessAnswer{Reason: "declined"}
		s.Wants(`"id":2`, "The user declined", `"reason":"declined"`)
		s.Port.Close()
		time.Sleep(time.Second)
	})
}

// A program between an assistant and a gateway, such as pagemcp stdio, does not know the grants. It
// acknowledges what the gateway has acknowledged, and nothing else.
func TestRefusedURIsAreNotAcknowledged(t *testing.T) {
	for _, row := range []struct {
		who engine.Principal
		may bool
	}{{"claude", true}, {"codex", false}} {
		synctest.Test(t, func(t *testing.T) {
			g := newGrantedHop(t, onlyClaude, 1)
			near, far := jsonrpc.Pipe()
			go g.gateway.Serve(engine.WithPrincipal(context.Background(), row.who), far) // ends with near
			r, plain := remote.New(), enginetest.Offering
			t.Cleanup(r.Close)
			program := engine.New(engine.Info{Name: "program", Version: "1"}, &plain)
			if err := r.Reattach(t.Context(), near); err != nil {
				t.Fatal(err)
			}
			program.Mount("", r)
			s := enginetest.Speak(t, program, "stdio")
			s.Ask("1", "subscriptions/listen", "", `,"notifications":{"resourceSubscriptions":["notes://cart"],"resourcesListChanged":true}`)
			if got := s.Next(); !strings.Contains(got, "acknowledged") || strings.Contains(got, "notes://cart") != row.may {
				t.Errorf("%s: %s", row.who, got)
			}
			g.table.Changed("notes://cart")
			synctest.Wait()
			s.Ask("2", "ping", "", "")
			if got := s.Next(); strings.Contains(got, "updated") != row.may {
				t.Errorf("%s: %s", row.who, got)
			}
			s.Port.Close()
			time.Sleep(time.Second)
		})
	}
}
