package hosted

import (
	"context"
	"log/slog"
	"time"

	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
)

// Peers are the other nodes of a deployment: server/cluster connects to them by NATS.
type Peers = gateway.Peers

// PeerSettings are what a connection to the other nodes needs besides the configuration.
type PeerSettings struct {
	Release         string   // version of the program
	Keys            [][]byte // of 32 bytes, derived from the shared keys: the first one seals, all of them open
	Log             *slog.Logger
	Ready           func() bool             // whether the node is ready apart from its peers
	CheckMaxPayload func(bytes int64) error // of the NATS servers
}

// readyCluster is the name of the condition that the other nodes can be reached.
const readyCluster = "cluster"

const (
	isolatedLook  = time.Second      // between two looks at the readiness of the peers
	isolatedPages = 15 * time.Second // in which the pages of an isolated node move
	isolatedRetry = 5 * time.Second  // for a page that tries to join an isolated node
)

// connect connects to the other nodes, if there are any.
func (n *Node) connect(l *config.Loaded) (err error) {
	if l.Config.Cluster == nil {
		return nil
	}
	if n.options.Connect == nil {
		return config.Refusal("cluster", "this program connects to no other nodes; remove the key")
	}
	n.peers, err = n.options.Connect(*l.Config.Cluster, PeerSettings{
		Release: n.options.Version, Keys: l.Keys.Cluster(), Log: n.log.Logger,
		Ready: func() bool { return len(n.ready.Missing(readyCluster)) == 0 }, CheckMaxPayload: l.Config.CheckMaxPayload,
	})
	if err != nil {
		return config.Refusal("cluster", "%v", err)
	}
	return nil
}

// isIsolated reports whether this node must not serve, because it cannot reach the others.
func (n *Node) isIsolated() bool { return n.peers != nil && n.peers.Ready() != nil }

// watchPeers moves the pages of a node that has lost the others: the balancer sends nothing
// more to a node that is not ready, and other nodes could not reach its pages.
func (n *Node) watchPeers(ctx context.Context) {
	if n.peers == nil {
		return
	}
	tick := time.NewTicker(isolatedLook)
	defer tick.Stop()
	wasReady := false
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		err := n.peers.Ready()
		if err != nil && wasReady {
			n.log.Warn("the other nodes cannot be reached; pages move", "error", err.Error())
			movePages(ctx, isolatedPages, n.drainingPages())
		}
		wasReady = err == nil
	}
}
