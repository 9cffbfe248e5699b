package access

import "strings"

// Paths of the gateway, besides /mcp and /mcp/{page}: see [PageOf].
const (
	PagePath    = "/page"  // pages join here
	SocketPath  = "/ws"    // MCP over WebSocket
	MonitorPath = "/watch" // monitors: traffic for the playground
)

// PlainPath returns the path of the same endpoint for /{page}/mcp, as servers of agents spell
// it, and other paths as they are.
func PlainPath(path string) string {
	name, ok := strings.CutSuffix(path, "/mcp")
	if name = strings.TrimPrefix(name, "/"); ok && ValidName(name) {
		return "/mcp/" + name
	}
	return path
}

// PageOf returns the name of the page in a path /mcp/{page}, or "" for /mcp. ok is false
// if path is not an MCP endpoint.
func PageOf(path string) (name string, ok bool) {
	if path == "/mcp" {
		return "", true
	}
	name, ok = strings.CutPrefix(path, "/mcp/")
	return name, ok && ValidName(name)
}
