package server

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
)

// A memoryNet carries connections in memory, so that whole gateways run under a
// fake clock.
type memoryNet struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (m *memoryNet) Accept() (net.Conn, error) {
	select {
	case conn := <-m.conns:
		return conn, nil
	case <-m.done:
		return nil, net.ErrClosed
	}
}

func (m *memoryNet) Close() error   { m.once.Do(func() { close(m.done) }); return nil }
func (m *memoryNet) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8808} }

func (m *memoryNet) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	m.conns <- far
	return near, nil
}

// inMemory runs do with a gateway whose clock is fake.
func inMemory(t *testing.T, do func(t *testing.T, g *Gateway, client *http.Client)) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		g, err := New(Options{State: dir, Origins: []string{testOrigin}, Version: "0.0.0-test"})
		if err != nil {
			t.Fatal(err)
		}
		wires := &memoryNet{conns: make(chan net.Conn), done: make(chan struct{})}
		g.port, g.listeners = 8808, []net.Listener{wires}
		served := make(chan error, 1)
		go func() { served <- g.Serve(context.Background()) }()
		transport := &http.Transport{DialContext: wires.dial}
		do(t, g, &http.Client{Transport: transport})
		transport.CloseIdleConnections()
		g.Close(context.Background())
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}
