package server

import "strings"

// Paths of the gateway. Those of MCP over HTTP are /mcp and /mcp/{page}: see pageOf.
const (
	pageDoor   = "/page"  // where pages join
	socketDoor = "/ws"    // MCP over WebSocket
	watchDoor  = "/watch" // the playground's view of the traffic
)

// maxName is how long a page's name may be.
const maxName = 48 // characters

// pageOf returns the page's name in a path /mcp/{page}, or false if the path is
// not an endpoint.
func pageOf(path string) (name string, ok bool) {
	if path == "/mcp" {
		return "", true
	}
	name, ok = strings.CutPrefix(path, "/mcp/")
	return name, ok && validName(name)
}

// validName tells whether name may stand in a URL of ours and before a `+`.
func validName(name string) bool {
	if name == "" || len(name) > maxName || name[0] < 'a' || name[0] > 'z' {
		return false
	}
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}
