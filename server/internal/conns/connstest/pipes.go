// Package connstest connects servers and clients in memory, for tests with virtual time.
package connstest

import (
	"context"
	"io"
	"net"
	"sync"
	"time"
)

// A Listener accepts connections in memory. Make one with NewListener.
type Listener struct {
	accept chan net.Conn
	once   sync.Once
	closed chan struct{}
}

// NewListener returns a Listener.
func NewListener() *Listener {
	return &Listener{accept: make(chan net.Conn), closed: make(chan struct{})}
}

// An addressedConn is one with the address of a peer.
type addressedConn struct {
	net.Conn
	from net.Addr
}

// RemoteAddr implements net.Conn.
func (c addressedConn) RemoteAddr() net.Addr { return c.from }

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.accept:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr implements net.Listener.
func (l *Listener) Addr() net.Addr { return &net.TCPAddr{} }

// Dial returns the client's end of a connection from an address.
func (l *Listener) Dial(from string) net.Conn {
	near, far := net.Pipe()
	l.accept <- addressedConn{near, &net.TCPAddr{IP: net.ParseIP(from), Port: 50_000}}
	return far
}

// Connect is how an http.Transport dials the listener.
func (l *Listener) Connect(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case l.accept <- far:
		return near, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// UntilClosed returns how long a connection stays open, and what it has received.
func UntilClosed(conn net.Conn) (time.Duration, string) {
	begun := time.Now()
	text, _ := io.ReadAll(conn)
	return time.Since(begun), string(text)
}
