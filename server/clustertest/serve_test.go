//go:build unix

package clustertest

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

var serve = flag.Bool("serve", false, "TestThreeNodesServe: print the addresses of the nodes, and run them until SIGINT")

// Three nodes with three NATS servers serve the page of a user, wherever it has joined.
//
// With -serve they run until they are interrupted, so that a developer can try what the
// operator's guide says, and kill the processes that are printed.
func TestThreeNodesServe(t *testing.T) {
	d, nodes := threeNodes(t)
	page, err := d.join(nodes[0].addr, "alice", "tab")
	if err != nil {
		t.Fatal(err)
	}
	alice := d.client("alice")
	for i, node := range nodes {
		if got := alice.read(node, page.name+"+notes://a"); !strings.Contains(got, "of alice") {
			t.Errorf("node %d: %s", i, got)
		}
	}
	if !*serve {
		return
	}
	for i, node := range nodes {
		fmt.Printf("node %d   process %d   http://%s/mcp   http://%s/metrics\n", i, node.command.Process.Pid, node.addr, node.admin)
	}
	for i, server := range d.nats {
		fmt.Printf("NATS %d   process %d\n", i, server.command.Process.Pid)
	}
	fmt.Printf("Host: %s\nAuthorization: Bearer %s\n", mcpHost, alice.token)
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	<-interrupted
}
