package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/wait"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A network delivers messages between nodes in memory, in the order of one publisher, as
// NATS does.
type network struct {
	mu      sync.Mutex
	inboxes map[string]*inbox // by node

	// drops says which messages are lost. It may be nil.
	drops func(to, subject string, payload []byte) bool
	away  bool // publishing fails
}

func newNetwork() *network { return &network{inboxes: map[string]*inbox{}} }

// An inbox delivers the messages of one node, one after the other.
type inbox struct {
	links *links

	mu      sync.Mutex
	queue   []func()
	changed chan struct{}
	frozen  bool
}

var errAwayInTest = errors.New("the network is away")

// node adds a node whose pages are served by serve.
func (n *network) node(t *testing.T, serve func(page string, p jsonrpc.Port)) *links {
	id := newID()
	s := newLinks(id, newSubjects("test"), &networkCarrier{n, id})
	s.serve = func(_, page string, _ int64) (func(context.Context, jsonrpc.Port), error) {
		if serve == nil {
			return nil, errAbsent
		}
		return func(_ context.Context, p jsonrpc.Port) { serve(page, p) }, nil
	}
	in := &inbox{links: s, changed: make(chan struct{}, 1)}
	n.add(id, in)
	ctx, cancel := context.WithCancel(context.Background())
	go in.run(ctx)
	t.Cleanup(func() {
		s.close()
		cancel()
	})
	return s
}

func (n *network) add(id string, in *inbox) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.inboxes[id] = in
}

func (n *network) freeze(node string) {
	in := n.inbox(node)
	in.mu.Lock()
	defer in.mu.Unlock()
	in.frozen = true
}

func (n *network) inbox(node string) *inbox {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.inboxes[node]
}

func (n *network) remove(node string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.inboxes, node)
}

func (in *inbox) run(ctx context.Context) {
	for {
		for _, deliver := range in.take() {
			deliver()
		}
		select {
		case <-in.changed:
		case <-ctx.Done():
			return
		}
	}
}

func (in *inbox) take() []func() {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.frozen {
		return nil
	}
	queue := in.queue
	in.queue = nil
	return queue
}

func (in *inbox) put(deliver func()) {
	defer wait.Wake(in.changed)
	in.mu.Lock()
	defer in.mu.Unlock()
	in.queue = append(in.queue, deliver)
}

type networkCarrier struct {
	network *network
	node    string
}

func (c *networkCarrier) MaxPayload() int64 { return 1 << 20 }

func (c *networkCarrier) Publish(subject, reply string, payload []byte) error {
	to, _, _ := strings.Cut(strings.TrimPrefix(subject, "pagemcp.1.test.n."), ".")
	c.network.mu.Lock()
	away, drops := c.network.away, c.network.drops
	c.network.mu.Unlock()
	switch in := c.network.inbox(to); {
	case away:
		return errAwayInTest
	case drops != nil && drops(to, subject, payload):
	case in == nil && reply != "": // NATS says so to the reply subject
		back := c.network.inbox(c.node)
		back.put(func() { back.links.deliver(reply, "", nil, true) })
	case in != nil:
		payload := bytes.Clone(payload)
		in.put(func() { in.deliver(subject, reply, payload) })
	}
	return nil
}

func (in *inbox) deliver(subject, reply string, payload []byte) {
	if !strings.HasSuffix(subject, ".ctl") {
		in.links.deliver(subject, reply, payload, false)
		return
	}
	var c control
	if err := json.Unmarshal(payload, &c); err != nil {
		panic(err)
	}
	in.links.heard(c.Node)
	if c.Open != nil {
		in.links.open(*c.Open, reply)
	}
}
