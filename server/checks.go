package server

import (
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/loopback"
)

// CheckOrigin returns an error unless origin is spelled as browsers send it: scheme,
// host, and the port if it is not the default of the scheme; or it is the origin of one
// browser extension. Wildcards and `null` are rejected.
func CheckOrigin(origin string) error { return access.CheckOrigin(origin) }

// CheckLoopback returns the port of addr, or an error if addr is not on the loopback
// interface. Other addresses would need TLS, which is not supported.
func CheckLoopback(addr string) (port int, err error) { return loopback.CheckAddress(addr) }

// A PortTakenError reports that another process listens on the port.
type PortTakenError = loopback.PortTakenError
