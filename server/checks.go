package server

import (
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/loopback"
)

// CheckOrigin returns an error unless origin is spelled as browsers send it:
// scheme, host, and the port if it is not the scheme's default; or it is that of
// one browser extension. Wildcards and `null` are no origins.
func CheckOrigin(origin string) error { return access.CheckOrigin(origin) }

// CheckLoopback returns the port of addr, or an error unless addr is on this
// machine's loopback interface. Other binds would need TLS and are not offered.
func CheckLoopback(addr string) (port int, err error) { return loopback.CheckAddress(addr) }

// A PortTakenError says that another process listens on the port.
type PortTakenError = loopback.PortTakenError
