// Package embed runs a NATS server in the process of a node, for deployments that want no
// other program beside pagemcpd. It is part of programs that are built with the tag
// embednats (+10 MB); in others Check and Start return [ErrNone].
//
// The server reads a configuration file of NATS, in which only the parts that connect it
// with the servers of the other nodes are allowed. It serves its own node alone: a client
// of it could read the pages of all users.
package embed

import (
	"errors"
	"net"
)

// A Server is a NATS server in this process. It implements cluster.Server.
type Server interface {
	// InProcessConn returns a new connection of a client.
	InProcessConn() (net.Conn, error)

	// PublicKey and Sign are those of the only user, whose nkey is new in each process.
	PublicKey() string
	Sign(nonce []byte) ([]byte, error)

	// Joined returns nil if the server is, or has been, connected with another one, if it
	// has no routes, or if none has answered for 10 s: the first node of a deployment starts
	// alone.
	Joined() error

	// Close ends the server, and waits until it has ended. Call it after its clients have
	// disconnected.
	Close()
}

// Options of Check and Start. File is required.
type Options struct {
	File           string // configuration of NATS
	KV             bool   // JetStream is needed
	AllowPlaintext bool   // routes to other machines may be without TLS
}

// ErrNone is returned by programs without a NATS server.
var ErrNone = errors.New("this program contains no NATS server; build it with `-tags embednats`, or run NATS servers and set cluster.nats.urls")
