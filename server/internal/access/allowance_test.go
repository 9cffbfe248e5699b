package access

import (
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// Requests of one assistant do not use up the limit of others, although all share a
// token; and the total is limited, whatever clientInfo they send.
func TestLimitsArePerAssistant(t *testing.T) {
	for _, listen := range []bool{true, false} {
		use, other := UseRequest, UseListen
		if listen {
			use, other = other, use
		}
		most, all := limits.MaxInFlight, limits.MaxAllInFlight
		if listen {
			most, all = limits.MaxStreams, limits.MaxAllStreams
		}
		l := NewAllowances(Rates{})
		var leaves []func()
		enter := func(caller string) bool {
			leave, over := l.Acquire(Client{Principal: "token"}, caller, use)
			if over == nil {
				leaves = append(leaves, leave)
			}
			return over == nil
		}
		for i := range most {
			if !enter("a") {
				t.Fatalf("listen %v: the first has only %d", listen, i)
			}
		}
		if enter("a") {
			t.Errorf("listen %v: the first has more than %d", listen, most)
		}
		if !enter("b") {
			t.Errorf("listen %v: the second has none", listen)
		}
		if _, over := l.Acquire(Client{Principal: "token"}, "a", other); over != nil {
			t.Errorf("listen %v: the other kind is used up, too", listen)
		}
		for i := 0; len(leaves) < all; i++ {
			if !enter(string(rune(1_000 + i))) {
				t.Fatalf("listen %v: all have only %d", listen, len(leaves))
			}
		}
		if enter("one more") {
			t.Errorf("listen %v: all have more than %d", listen, all)
		}
		for _, leave := range leaves {
			leave()
		}
		if left := len(l.of("token").byCaller); left != 1 { // that of the other kind
			t.Errorf("listen %v: %d callers are remembered", listen, left)
		}
	}
}

// Methods that the project does not know, as those of extensions, take from the rate of
// calls: they may run code of the page.
func TestUnknownMethodsAreLimited(t *testing.T) {
	allowances := NewAllowances(Rates{Calls: 1})
	client := Client{Principal: "token"}
	for _, row := range []struct {
		method string
		free   bool
	}{
		{"tasks/run", false}, {engine.MethodCallTool, false}, {engine.MethodPing, true}, {engine.MethodListResources, true}, {engine.MethodReadResource, true},
	} {
		var limited bool
		for range 100 {
			_, over := allowances.Delay(client, row.method)
			limited = limited || over != nil
		}
		if limited == row.free {
			t.Errorf("100 requests of %s: limited %t", row.method, limited)
		}
	}
}
