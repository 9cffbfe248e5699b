//go:build !linux

package loopback

import "net"

// newPeers returns nil: nothing is checked here.
func newPeers(net.Listener) peers { return nil }
