//go:build unix && embednats

package clustertest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/testlimit"
	"github.com/pagemcp/pagemcp/server/internal/testports"
)

// An ownNATS is a node with a NATS server in its process, which starts again with its store.
type ownNATS struct {
	*process
	file, monitor string // of the server: configuration, and address of its figures
}

// startOwn starts three nodes that have a NATS server each, and returns when they are ready.
func (d *deployment) startOwn() (nodes [3]*ownNATS) {
	d.t.Helper()
	ports := testports.Free(d.t, 2*len(nodes))
	routes := fmt.Sprintf(`"nats://127.0.0.1:%d", "nats://127.0.0.1:%d", "nats://127.0.0.1:%d"`, ports[0], ports[1], ports[2])
	for i := range nodes {
		n := &ownNATS{file: filepath.Join(d.dir, fmt.Sprintf("nats%d.conf", i)), monitor: fmt.Sprintf("127.0.0.1:%d", ports[len(nodes)+i])}
		text := fmt.Sprintf("server_name: nats%d\nhttp: %q\njetstream { store_dir: %q, max_file_store: 1GB, max_memory_store: 1MB }\n", i, n.monitor, filepath.Join(d.dir, fmt.Sprint("store", i))) +
			fmt.Sprintf("cluster { name: test, listen: \"127.0.0.1:%d\", routes: [%s], ping_interval: \"2s\", ping_max: 2 }\n", ports[i], routes)
		if err := os.WriteFile(n.file, []byte(text), 0o600); err != nil {
			d.t.Fatal(err)
		}
		n.launch(d) // it waits for another one before it is ready
		nodes[i] = n
	}
	for i, node := range nodes {
		eventually(d.t, fmt.Sprintf("node %d is ready", i), node.isReady)
	}
	return nodes
}

// launch starts the node, for the first time or again.
func (n *ownNATS) launch(d *deployment) {
	d.t.Helper()
	d.embed = n.file
	defer func() { d.embed = "" }()
	n.process = d.launch()
}

// stored returns how many sessions the server has in its store.
func (n *ownNATS) stored() (count int) {
	answer, err := testlimit.Client.Get("http://" + n.monitor + "/jsz?streams=1")
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	var figures struct {
		Messages int `json:"messages"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&figures); err != nil {
		return 0
	}
	return figures.Messages
}

// Nodes that have a NATS server each outlive the loss of one of them with its server, which
// starts again, and then a drain of another one: what is read is answered, and what is watched
// stays watched.
func TestNodesWithTheirOwnNATSOutliveFaults(t *testing.T) {
	needsAll(t)
	d := newDeployment(t)
	d.limits = testLimits
	nodes := d.startOwn()
	b := newBalancer(nodes[0].process, nodes[1].process, nodes[2].process)
	w := d.witness(b)
	eventually(t, "the sessions are stored", func() bool { return nodes[0].stored() >= witnessUsers && nodes[1].stored() >= witnessUsers })

	w.fault("a node is killed with its NATS server")
	began := time.Now()
	nodes[2].kill()
	w.settle()
	t.Logf("settled %v after the kill", since(began))
	nodes[2].launch(d)
	eventually(t, "the node is ready again", nodes[2].isReady)
	eventually(t, "its server has the sessions", func() bool { return nodes[2].stored() >= witnessUsers })
	b.add(nodes[2].process)

	w.fault("a node is drained")
	began = time.Now()
	nodes[1].drain()
	eventually(t, "the tabs have left the node", func() bool {
		for _, tab := range w.tabs {
			if tab.at() == nodes[1].process {
				return false
			}
		}
		return true
	})
	w.settle()
	t.Logf("settled %v after the drain", since(began))
	w.judge()
}
