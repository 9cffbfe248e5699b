//go:build unix

package clustertest

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

var serve = flag.Bool("serve", false, "with -run TestPagesAreReadAtEachNodeAndOutliveOne: print the addresses of the nodes, and run them until SIGINT")

// serveUntilInterrupted prints what a developer needs to try the operator's guide: addresses,
// processes that can be killed, and the token of a user whose page has joined.
func (d *deployment) serveUntilInterrupted(nodes []*process, user *client) {
	for i, node := range nodes {
		fmt.Printf("node %d   process %d   http://%s/mcp   http://%s/metrics\n", i, node.command.Process.Pid, node.addr, node.admin)
	}
	for i, server := range d.nats {
		fmt.Printf("NATS %d   process %d\n", i, server.command.Process.Pid)
	}
	fmt.Printf("Host: %s\nAuthorization: Bearer %s\n", mcpHost, user.token)
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	<-interrupted
}
