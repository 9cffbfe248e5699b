package hosted

import (
	"context"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A node that drains is not ready, lets its pages go with 4412, ends listens with their
// result, and answers what is in flight.
func TestDrainFailsNoRequest(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test-more")
	}
	t.Parallel()
	n := startNode(t, nil)
	n.options.abrupt = false
	idle := n.page("alice", "1").note("notes://a", "text").join()
	busy := n.page("alice", "2").note("notes://a", "text")
	release, called := make(chan struct{}), make(chan struct{})
	err := busy.table.Put(engine.Entry{
		Kind: engine.Tools, JSON: []byte(`{"name":"work","inputSchema":{"type":"object"}}`),
		Call: func(context.Context, []byte) ([]byte, error) {
			close(called)
			<-release
			return []byte(`{"content":[{"type":"text","text":"done"}]}`), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	busy.join()
	token := n.token("alice", nil)
	listen := n.listen(token)
	answer := make(chan httpAnswer, 1)
	go func() {
		answer <- n.ask(token, "/mcp", "tools/call", busy.joined.Joined+".work", `"name":"`+busy.joined.Joined+`.work"`)
	}()
	<-called
	ended := make(chan struct{})
	go func() { n.stop(); close(ended) }()

	idle.awaitEnd("the idle page is let go")
	if status, body := n.probe("/readyz"); status != 503 || !strings.Contains(body, "draining") {
		t.Errorf("%d %s", status, body)
	}
	select {
	case <-busy.port.Done():
		t.Error("a page that runs a tool is not last")
	default:
	}
	if code, _ := n.page("bob", "1").joinFails(); code != closeDraining {
		t.Errorf("a page joins a node that drains: %d", code)
	}
	close(release)
	if got := <-answer; got.status != 200 || !strings.Contains(got.body, "done") {
		t.Errorf("the tool: %d %s", got.status, got.body)
	}
	busy.awaitEnd("the page of the tool is let go")
	for text := ""; !strings.Contains(text, `"id":1,"result"`); {
		if text = listen.Next(); text == "" {
			t.Fatal("the listen has no result")
		}
	}
	<-ended
}
