package hosted

import (
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/hosted/config/configtest"
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
	t.Parallel()
	dir := configtest.Files(t)
	keys := filepath.Join(dir, "keys.json")
	c := config.Config{
		PublicURL: "http://127.0.0.1:8443", Listen: "127.0.0.1:0", Admin: config.Admin{Listen: "127.0.0.1:0"}, Keys: filepath.Join(dir, "pagemcp.keys"),
		Assistants: config.Assistants{Issuer: "https://auth.app.example", JWKS: keys},
		Pages:      config.Pages{Origins: []string{"https://app.example"}, Tokens: config.Tokens{Issuer: "https://app.example", JWKS: keys}},
		Limits:     config.Limits{Pages: 100, Streams: 100},
	}
	for _, cluster := range []*config.Cluster{nil, {Name: "prod", NATS: config.NATS{URLs: []string{"nats://127.0.0.1:4222"}}}} {
		c.Cluster = cluster
		n, err := Open(Options{Config: c, Log: io.Discard, Audit: io.Discard, Connect: func(config.Cluster, PeerSettings) (Peers, error) { return countedPeers{}, nil }})
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
