package loopback

import (
	"fmt"
	"net"
	"net/http"
	"strconv"

	"github.com/pagemcp/pagemcp/server/internal/access"
)

// hostNames are the accepted names of this machine. Others that resolve to it, like
// `localhost.`, `127.1` or a rebound name, are rejected.
var hostNames = [...]string{"127.0.0.1", "[::1]", "localhost"}

// NewGuard returns a guard for next on a loopback port, with TLS or without.
func NewGuard(port int, hasTLS bool, next http.Handler) *access.Guard {
	g, scheme, usual := &access.Guard{Next: next}, "http://", 80
	if hasTLS {
		scheme, usual = "https://", 443
	}
	for _, name := range hostNames {
		host := name + ":" + strconv.Itoa(port)
		g.Hosts = append(g.Hosts, host)
		g.OwnOrigins = append(g.OwnOrigins, scheme+host)
		if port == usual { // browsers omit the default port
			g.Hosts = append(g.Hosts, name)
			g.OwnOrigins = append(g.OwnOrigins, scheme+name)
		}
	}
	return g
}

// CheckAddress returns the port of addr, or an error if addr is not on the loopback
// interface. Other addresses would need TLS, which is not supported.
func CheckAddress(addr string) (port int, err error) {
	host, text, err := net.SplitHostPort(addr)
	if err != nil {
		return 0, fmt.Errorf("address %q: want host:port, like 127.0.0.1:8808", addr)
	}
	if ip := net.ParseIP(host); host != "localhost" && host != "127.0.0.1" && (ip == nil || !ip.Equal(net.IPv6loopback)) {
		return 0, fmt.Errorf("address %q: the gateway serves this machine only: use 127.0.0.1:%s", addr, text)
	}
	port, err = strconv.Atoi(text)
	if err != nil || port < 0 || port > 65535 {
		return 0, fmt.Errorf("address %q: the port must be a number from 0 to 65535; 0 picks a free one", addr)
	}
	return port, nil
}
