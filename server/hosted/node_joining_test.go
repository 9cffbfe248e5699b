package hosted

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A replayPort delivers a message that was read before.
type replayPort struct {
	jsonrpc.Port
	once  sync.Once
	first []byte
}

func (p *replayPort) Read(ctx context.Context) (msg []byte, err error) {
	p.once.Do(func() { msg = p.first })
	if msg != nil {
		return msg, nil
	}
	return p.Port.Read(ctx)
}

// A read that meets a page between its join and its first answer waits for that answer:
// it may have waited for the page to come from another node.
func TestReadsWaitForAPageThatJoins(t *testing.T) {
	t.Parallel()
	n := startNode(t, nil)
	p := n.page("alice", "tab").note("notes://a", "text")
	if _, err := p.dial(); err != nil {
		t.Fatal(err)
	}
	text, err := p.frame(p.hello(p.token()))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(text), &p.joined); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	_, discover, err := p.conn.Read(ctx) // the page is mounted now
	if err != nil {
		t.Fatal(err)
	}
	paths := map[string]string{"/mcp": p.joined.Joined + "+notes://a", "/mcp/" + p.joined.Joined: "notes://a"}
	answers := make(chan string, len(paths))
	for path, uri := range paths {
		go func() { answers <- n.read(n.token("alice", nil), path, uri).body }()
	}
	eventually(t, "the reads arrive", func() bool {
		requests, _, _ := n.quotas.InUse()
		return requests == len(paths) || len(answers) > 0
	})
	go p.engine.Serve(context.Background(), &replayPort{Port: socket.New(p.conn, limits.MaxMessage+limits.MaxSlack, false), first: discover}) // ends with the socket
	for range paths {
		if got := <-answers; !strings.Contains(got, `"text":"text"`) {
			t.Errorf("read: %s", got)
		}
	}
}

// A page is silent after it has joined: the next ones do not wait for it.
func TestASilentPageTakesNoTurnFromOthers(t *testing.T) {
	t.Parallel()
	n := startNode(t, func(c *config.Config) { c.Limits.Joins = 1 })
	for i := range 3 {
		silent := n.page("mallory", strconv.Itoa(i))
		if _, err := silent.dial(); err != nil {
			t.Fatal(err)
		}
		if _, err := silent.frame(silent.hello(silent.token())); err != nil {
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
	n := startNode(t, nil)
	n.joins.SetMost(0)
	joined := make(chan error, 1)
	go func() { joined <- n.page("alice", "1").tryJoin() }()
	eventually(t, "the page waits", func() bool { _, waiting := n.joins.Counts(); return waiting == 1 })
	if got := n.public.Limiter.Unknown(); got != 0 {
		t.Errorf("%d connections of unknown clients", got)
	}
	n.joins.SetMost(1)
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
	if _, err := p.frame(p.hello(p.token())); err != nil {
		t.Fatal(err)
	}
	p.conn.CloseNow()
	eventually(t, "the join has ended", func() bool { return strings.Contains(n.audit.String(), `"outcome":"closed"`) })
	if log := n.logs.String(); strings.Contains(log, `"level":"ERROR"`) {
		t.Error(log)
	}
}
