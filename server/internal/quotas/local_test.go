package quotas

import (
	"fmt"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// Requests of one assistant do not use up the limit of others, although all share a
// token; and the total is limited, whatever clientInfo they send.
func TestLimitsArePerAssistant(t *testing.T) {
	for _, listen := range []bool{true, false} {
		use, other := access.UseRequest, access.UseListen
		if listen {
			use, other = other, use
		}
		most, all := limits.MaxInFlight, limits.MaxAllInFlight
		if listen {
			most, all = limits.MaxStreams, limits.MaxAllStreams
		}
		l := New(Local(Limits{}), nil)
		var leaves []func()
		enter := func(caller string) bool {
			leave, over := l.Acquire(atOnce, access.Client{Principal: "token"}, caller, use)
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
		if _, over := l.Acquire(atOnce, access.Client{Principal: "token"}, "a", other); over != nil {
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
		if left := remembered(l, ofClient); left != 1 { // that of the other kind
			t.Errorf("listen %v: %d assistants are remembered", listen, left)
		}
	}
}

// A page whose requests stay unanswered uses up its own share; an assistant with many such
// pages has some requests left for each other page.
func TestSharesArePerPage(t *testing.T) {
	l := New(Local(Limits{RequestsPerPage: 8}), nil)
	fill := func(page string) (n int, release func()) {
		for {
			leave, over := l.Acquire(atOnce, access.Client{Principal: "token", Page: page}, "a", access.UseRequest)
			if over != nil {
				return n, release
			}
			n, release = n+1, leave
		}
	}
	for _, x := range []struct {
		page string
		want int
	}{{"one", 8}, {"two", 8}, {"", 8}, {"three", 8}, {"four", 4}, {"five", 4}, {"one", 0}} {
		if n, _ := fill(x.page); n != x.want {
			t.Errorf("page %q: %d requests in flight, want %d", x.page, n, x.want)
		}
	}
	_, release := fill("six")
	release()
	if n, _ := fill("six"); n != 1 {
		t.Errorf("after the end of one: %d more", n)
	}
	for i := range 100 { // names of pages are the client's
		leave, over := l.Acquire(atOnce, access.Client{Principal: "token", Page: fmt.Sprint("invented", i)}, "a", access.UseRequest)
		if over != nil {
			t.Fatal(over)
		}
		leave()
		leave()
	}
	if left := remembered(l, ofPage); left != 7 {
		t.Errorf("%d pages are remembered", left)
	}
}
