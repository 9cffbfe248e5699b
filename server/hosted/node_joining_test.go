package hosted

import (
	"strconv"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// A page is silent after it has joined: the next ones do not wait for it.
func TestASilentPageTakesNoTurnFromOthers(t *testing.T) {
	t.Parallel()
	n := startNode(t, func(c *config.Config) { c.Limits["joins"] = 1 })
	for i := range 3 {
		silent := n.page("mallory", strconv.Itoa(i))
		if _, err := silent.dial(); err != nil {
			t.Fatal(err)
		}
		if _, err := silent.frame(silent.hello()); err != nil {
			t.Fatal(err)
		}
	}
	n.page("alice", "1").note("notes://a", "text").join()
	if _, metrics := n.probe("/metrics"); !strings.Contains(metrics, `pagemcp_join_wait_seconds_bucket{le="0.5"} 4`) {
		t.Error("joins have waited for silent pages")
	}
}

// A page that waits for its turn has shown its token: strangers cannot take its connection.
func TestAPageThatWaitsForItsTurnIsKnown(t *testing.T) {
	t.Parallel()
	n := startNode(t, func(c *config.Config) { c.Limits["joins"] = 1 })
	release, over := n.usage.Take(t.Context(), limits.User{Owner: "another"}, limits.Joining)
	if over != nil {
		t.Fatal(over)
	}
	joined := make(chan error, 1)
	go func() { joined <- n.page("alice", "1").tryJoin() }()
	gatewaytest.Eventually(t, "the page waits", func() bool {
		_, waiting := n.usage.InUse(limits.Joining, limits.OfNode, limits.User{})
		return waiting == 1
	})
	if got := n.public.Limiter.Unknown(); got != 0 {
		t.Errorf("%d connections of unknown clients", got)
	}
	release()
	if err := <-joined; err != nil {
		t.Error(err)
	}
}

// A tab that is closed while it joins is no fault of the node: the log has no error.
func TestATabThatIsClosedWhileItJoinsIsNoError(t *testing.T) {
	t.Parallel()
	n := startNode(t, nil)
	p := n.page("alice", "1")
	if _, err := p.dial(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.frame(p.hello()); err != nil {
		t.Fatal(err)
	}
	p.conn.CloseNow()
	gatewaytest.Eventually(t, "the join has ended", func() bool { return strings.Contains(n.audit.String(), `"outcome":"closed"`) })
	if log := n.logs.String(); strings.Contains(log, `"level":"ERROR"`) {
		t.Error(log)
	}
}
