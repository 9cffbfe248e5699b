// Package gatewaytest has what tests of gateways share: messages of both eras, a client over
// HTTP and WebSockets, event streams, and parts of a page without a browser.
package gatewaytest

import (
	"strings"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Parts of requests.
const (
	Envelope = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	V2026    = "MCP-Protocol-Version: 2026-07-28"
	Streams  = "Accept: application/json, text/event-stream" // of clients that take event streams

	Initialize  = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	Initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

	sessionHeader = "Mcp-Session-Id"
)

// Modern returns a request of 2026-07-28. params are JSON members, or "".
func Modern(id, method, params string) string {
	if params != "" {
		params = "," + params
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + Envelope + params + `}}`
}

// Classic returns a request of the older revisions.
func Classic(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params + `}}`
}

// HeadersOf returns the header lines that repeat what is in a request of 2026-07-28.
func HeadersOf(method, params string) []string {
	lines := []string{V2026, "Mcp-Method: " + method}
	if !engine.MethodOf(method).Repeated {
		return lines
	}
	for _, member := range []string{"uri", "name"} {
		if name, ok := jsonrpc.Text(jsonrpc.Member([]byte("{"+params+"}"), member)); ok {
			return append(lines, "Mcp-Name: "+name)
		}
	}
	return lines
}

// As returns an initialize with other capabilities.
func As(capabilities string) string {
	return strings.Replace(Initialize, `"capabilities":{}`, `"capabilities":`+capabilities, 1)
}
