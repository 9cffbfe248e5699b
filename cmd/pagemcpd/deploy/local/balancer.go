package main

import (
	"context"
	"io"
	"net"
	"sync"
	"time"
)

// Health checks, as the guide recommends.
const (
	checkEvery  = 2 * time.Second
	maxFailures = 3
)

// A balancer passes TCP connections on to the ready node with the fewest of them, and cuts
// those of a node that does not answer. It is not sticky.
type balancer struct {
	listener net.Listener
	backends []*backend
}

// A backend is one node.
type backend struct {
	address, probe string

	mu     sync.Mutex
	ready  bool
	silent int                   // probes without an answer, in a row
	open   map[net.Conn]struct{} // connections of clients
}

func listenBalancer(address string, backends []*backend) (*balancer, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	for _, b := range backends {
		b.open = map[net.Conn]struct{}{}
	}
	return &balancer{listener, backends}, nil
}

func (b *balancer) close() { b.listener.Close() }

// run serves until close, and checks the nodes until ctx ends.
func (b *balancer) run(ctx context.Context) {
	for _, one := range b.backends {
		go one.check(ctx) // ends with ctx
	}
	b.accept()
}

// accept serves connections until close.
func (b *balancer) accept() {
	for {
		client, err := b.listener.Accept()
		if err != nil {
			return
		}
		go b.serve(client) // ends with the connection
	}
}

// serve connects a client with a node, or with another one if it does not answer.
func (b *balancer) serve(client net.Conn) {
	defer client.Close()
	tried := map[*backend]bool{}
	for {
		to := b.pick(tried)
		if to == nil {
			return
		}
		tried[to] = true
		node, err := net.DialTimeout("tcp", to.address, time.Second)
		if err != nil {
			continue
		}
		defer node.Close()
		defer to.remove(client)
		if to.add(client) {
			pass(client, node)
		}
		return
	}
}

// pick returns the ready node with the fewest connections that was not tried, or nil.
func (b *balancer) pick(tried map[*backend]bool) (best *backend) {
	least := 0
	for _, one := range b.backends {
		if open, ready := one.state(); ready && !tried[one] && (best == nil || open < least) {
			best, least = one, open
		}
	}
	return best
}

// pass copies bytes in both directions until one side closes.
func pass(a, b net.Conn) {
	done := make(chan struct{}, 2)
	one := func(to, from net.Conn) {
		io.Copy(to, from)
		done <- struct{}{}
	}
	go one(a, b) // both end when serve closes the connections
	go one(b, a)
	<-done
}

func (b *backend) state() (open int, ready bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.open), b.ready
}

// add registers a connection; false if the node was given up meanwhile.
func (b *backend) add(client net.Conn) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open[client] = struct{}{}
	return b.silent < maxFailures
}

func (b *backend) remove(client net.Conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.open, client)
}

// check probes the node until ctx ends.
func (b *backend) check(ctx context.Context) {
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	for {
		b.note(probe(ctx, b.probe))
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// note records a probe. A node that is not ready gets no new connections, and keeps those
// that it has: it may drain. After three probes without an answer they are cut.
func (b *backend) note(answered, ready bool) {
	for _, client := range b.result(answered, ready) {
		client.Close()
	}
}

// result returns the connections to cut.
func (b *backend) result(answered, ready bool) (cut []net.Conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ready = ready
	if answered {
		b.silent = 0
		return nil
	}
	if b.silent++; b.silent < maxFailures {
		return nil
	}
	for client := range b.open {
		cut = append(cut, client)
	}
	return cut
}
