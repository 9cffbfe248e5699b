package hosted

import (
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/mcphttp"
)

// countedPeers are other nodes that cannot be reached, and are counted.
type countedPeers struct{ Peers }

func (countedPeers) ID() string                           { return "node" }
func (countedPeers) SessionEvents() mcphttp.SessionEvents { return nil }
func (countedPeers) SessionValues() gateway.SessionValues { return nil }
func (countedPeers) Ready() error                         { return errors.New("away") }
func (countedPeers) Close()                               {}
func (countedPeers) Stats() gateway.PeerStats             { return gateway.PeerStats{Disconnects: 3, Members: 2} }

// A node of a cluster shows it in its metrics; a single one has no such series.
func TestMetricsHaveTheClusterIfThereIsOne(t *testing.T) {
	dir := testFiles(t)
	keys := filepath.Join(dir, "keys.json")
	config := Config{
		PublicURL: "http://127.0.0.1:8443", Listen: "127.0.0.1:0", Admin: Admin{"127.0.0.1:0"}, Keys: filepath.Join(dir, "pagemcp.keys"),
		Assistants: Assistants{Issuer: "https://auth.app.example", JWKS: keys},
		Pages:      Pages{Origins: []string{"https://app.example"}, Tokens: Tokens{"https://app.example", keys}},
		Limits:     Limits{Pages: 100, Streams: 100},
	}
	for _, cluster := range []*Cluster{nil, {Name: "prod", NATS: NATS{URLs: []string{"nats://127.0.0.1:4222"}}}} {
		config.Cluster = cluster
		n, err := Open(Options{Config: config, Log: io.Discard, Audit: io.Discard, Connect: func(Cluster, PeerSettings) (Peers, error) { return countedPeers{}, nil }})
		if err != nil {
			t.Fatal(err)
		}
		text := scrape(t, n.metrics)
		n.release()
		if cluster != nil {
			wantSeries(t, text, "pagemcp_nats_connected 0", "pagemcp_nats_disconnects_total 3", "pagemcp_cluster_members 2")
		} else if strings.Contains(text, "pagemcp_nats_connected") {
			t.Error("a single node shows a cluster")
		}
	}
}
