package access

import "strings"

// Paths of the gateway, besides /mcp and /mcp/{page}: see [PageOf].
const (
	PagePath    = "/page"  // pages join here
	SocketPath  = "/ws"    // MCP over WebSocket
	MonitorPath = "/watch" // monitors: traffic for the playground
)

// MaxName is the length of a page's name.
const MaxName = 48 // characters

// PageOf returns the name of the page in a path /mcp/{page}, or "" for /mcp. ok is false
// if path is not an MCP endpoint.
func PageOf(path string) (name string, ok bool) {
	if path == "/mcp" {
		return "", true
	}
	name, ok = strings.CutPrefix(path, "/mcp/")
	return name, ok && ValidName(name)
}

// ValidName reports whether name is a page name: it can be a segment of a URL, and stand
// before the `+` of a prefix.
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
