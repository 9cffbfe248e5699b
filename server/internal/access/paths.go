package access

import "strings"

// Paths of the gateway. Those of MCP over HTTP are /mcp and /mcp/{page}: see pageOf.
const (
	PagePath    = "/page"  // where pages join
	SocketPath  = "/ws"    // MCP over WebSocket
	MonitorPath = "/watch" // the playground's view of the traffic
)

// MaxName is how long a page's name may be.
const MaxName = 48 // characters

// PageOf returns the page's name in a path /mcp/{page}, or false if the path is
// not an endpoint.
func PageOf(path string) (name string, ok bool) {
	if path == "/mcp" {
		return "", true
	}
	name, ok = strings.CutPrefix(path, "/mcp/")
	return name, ok && ValidName(name)
}

// ValidName tells whether name may stand in a URL of ours and before a `+`.
func ValidName(name string) bool {
	if name == "" || len(name) > MaxName || name[0] < 'a' || name[0] > 'z' {
		return false
	}
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}
