//go:build unix

package clustertest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// setClock makes the clocks of the nodes that are started next wrong.
func (d *deployment) setClock(by time.Duration) { d.env = []string{clockVariable + "=" + by.String()} }

const (
	withinLeeway  = 25 * time.Second
	beyondLeeway  = 45 * time.Second
	closeExpired  = websocket.StatusCode(4410)
	refusedTokens = `pagemcp_token_refusals_total{kind=%q,reason=%q}`
)

// Clocks of nodes and issuers that differ by less than 30 s harm nothing: pages move to nodes
// with later and with earlier clocks, and the newer document stays. A node or issuer whose
// clock is more than that off rejects tokens and counts why; the other nodes go on.
func TestClocksAreWrong(t *testing.T) {
	needsAll(t)
	d := newDeployment(t)
	d.limits = testLimits
	d.startNATS(1)
	var nodes []*process
	for _, wrong := range []time.Duration{0, withinLeeway, -withinLeeway} {
		d.setClock(wrong)
		nodes = append(nodes, d.start())
	}
	seen := d.witness(newBalancer(nodes...))
	for _, node := range []*process{nodes[1], nodes[2], nodes[0], nodes[2], nodes[1], nodes[0]} {
		seen.fault("documents join a node whose clock differs")
		seen.replace(node)
		seen.settle()
	}
	for _, skew := range []time.Duration{leewayOfNodes, -leewayOfNodes} {
		seen.fault("the clocks of the issuers differ")
		d.auth.SetSkew(skew)
		d.app.SetSkew(skew)
		seen.reload()
		seen.settle()
		if got := d.client("witness0").read(nodes[0], seen.tabs[0].uri()); !strings.Contains(got, "of witness0") {
			t.Errorf("issuers that are %v off: %s", skew, got)
		}
	}
	d.auth.SetSkew(0)
	d.app.SetSkew(0)

	d.setClock(0)
	for _, wrong := range []struct {
		by     time.Duration
		reason string
	}{{2 * time.Hour, "expired"}, {-beyondLeeway, "future"}} {
		seen.fault(fmt.Sprintf("a node is %v off", wrong.by))
		d.setClock(wrong.by)
		node := d.start()
		if got := d.client("alice").list(node); !strings.Contains(got, "token") {
			t.Errorf("an access token at a node that is %v off: %s", wrong.by, got)
		}
		if _, err := d.join(node.addr, "alice", "tab"); websocket.CloseStatus(err) != closeExpired {
			t.Errorf("a join token at a node that is %v off: %v", wrong.by, err)
		}
		for _, kind := range []string{"assistants", "pages"} {
			if count := node.metric(fmt.Sprintf(refusedTokens, kind, wrong.reason)); count != 1 {
				t.Errorf("a node that is %v off counts %v of %s as %s", wrong.by, count, kind, wrong.reason)
			}
		}
	}
	seen.judge()
}

// leewayOfNodes is how far the issuers may be off in a deployment whose nodes are off by
// withinLeeway in both directions.
const leewayOfNodes = 4 * time.Second
