//go:build embednats

package embed

import (
	"fmt"
	"log/slog"
	"net"
	"sync/atomic"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
)

const (
	startTime = 30 * time.Second // for JetStream to read its store
	joinTime  = 10 * time.Second // for the servers of the other nodes to answer
)

type embedded struct {
	*server.Server
	key     nkeys.KeyPair // of the only user
	public  string        // its public key
	expects bool          // has routes
	started time.Time
	joined  atomic.Bool
}

// Start runs a NATS server until Close. It returns when the server can be used; the error
// is that of Check, or of an address or a store that cannot be used.
func Start(o Options, log *slog.Logger) (Server, error) {
	options, err := o.load()
	if err != nil {
		return nil, err
	}
	e := &embedded{expects: len(options.Routes) > 0, started: time.Now()}
	if e.key, err = nkeys.CreateUser(); err != nil {
		return nil, err
	}
	if e.public, err = e.key.PublicKey(); err != nil {
		return nil, err
	}
	options.Nkeys = []*server.NkeyUser{{Nkey: e.public, AllowedConnectionTypes: map[string]struct{}{jwt.ConnectionTypeInProcess: {}}}}
	if e.Server, err = server.NewServer(options); err != nil {
		return nil, fmt.Errorf("%s: %w", o.File, err)
	}
	lines := &logger{log: log, fatal: make(chan string, 1)}
	e.SetLoggerV2(lines, false, false, false)
	e.Server.Start()
	if err := e.await(lines.fatal); err != nil {
		e.Close()
		return nil, fmt.Errorf("%s: %w", o.File, err)
	}
	return e, nil
}

// await returns when clients can connect, or when the server has given up.
func (e *embedded) await(fatal <-chan string) error {
	ready := make(chan bool, 1)
	go func() { ready <- e.ReadyForConnections(startTime) }() // ends after startTime
	select {
	case text := <-fatal:
		return fmt.Errorf("the NATS server does not start: %s", text)
	case ok := <-ready:
		if !ok {
			return fmt.Errorf("the NATS server is not ready after %v", startTime)
		}
	}
	select {
	case text := <-fatal: // another part of it works
		return fmt.Errorf("the NATS server does not start: %s", text)
	default:
		return nil
	}
}

// PublicKey implements Server.
func (e *embedded) PublicKey() string { return e.public }

// Sign implements Server.
func (e *embedded) Sign(nonce []byte) ([]byte, error) { return e.key.Sign(nonce) }

// InProcessConn implements Server.
func (e *embedded) InProcessConn() (net.Conn, error) { return e.Server.InProcessConn() }

// Joined implements Server.
func (e *embedded) Joined() error {
	switch {
	case !e.expects, e.joined.Load():
	case e.NumRoutes() > 0, time.Since(e.started) >= joinTime:
		e.joined.Store(true)
	default:
		return fmt.Errorf("no NATS server of another node has answered yet")
	}
	return nil
}

// Close implements Server.
func (e *embedded) Close() {
	e.Shutdown()
	e.WaitForShutdown()
}
