package cluster

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// startNATSCluster starts three NATS servers with routes between them.
func startNATSCluster(t *testing.T) (servers []*server.Server, urls []string) {
	t.Helper()
	routes := ""
	for i := range 3 {
		options := server.Options{ServerName: fmt.Sprint("nats", i), Cluster: server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: server.RANDOM_PORT}}
		if routes != "" {
			options.Routes = server.RoutesFromStr(routes)
		}
		s := startNATS(t, options)
		if routes == "" {
			routes = "nats://" + s.ClusterAddr().String()
		}
		servers, urls = append(servers, s), append(urls, s.ClientURL())
	}
	for _, s := range servers {
		eventually(t, "routes of a NATS server", "2", func() string { return fmt.Sprint(s.NumRemotes()) })
	}
	return servers, urls
}

// Nodes at different NATS servers find each other's pages. One server is killed: its
// clients go on at another one, reads wait, and what is watched stays watched.
func TestNATSServerIsLost(t *testing.T) {
	servers, urls := startNATSCluster(t)
	a := startGateway(t, []string{urls[0]})
	b := startGateway(t, []string{urls[1]})
	p := newTab(t, "notes")
	b.join(p)
	client := a.assistant(t)
	client.watch(cart)
	want(t, "across servers", client.read(cart), "notes: first for client:test")
	p.set("second")
	client.update("across servers")
	servers[1].Shutdown()
	servers[1].WaitForShutdown()
	b.await("disconnected", b.disconnected)
	answer := make(chan string, 1)
	go func() { answer <- client.read(cart) }()
	b.await("connected to another server", b.connected) // servers tell their clients of each other
	select {
	case text := <-answer:
		want(t, "the read that waited", text, "notes: second for client:test")
	case <-time.After(testTime):
		t.Fatal("the read is not answered")
	}
	client.update("after the loss")
	p.set("third")
	client.update("after a change")
	want(t, "at last", client.read(cart), "notes: third for client:test")
}
