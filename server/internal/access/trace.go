package access

import (
	"strings"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// TraceOf returns the trace id of a message, 32 hexadecimal digits of traceparent in its
// _meta, or "". See MCP 2026-07-28, basic, _meta; and W3C Trace Context, section 3.2. The
// engine passes traceparent on unchanged, so one id is in the logs of all hops.
//
// Without g.Traces it is "".
func (g *Gate) TraceOf(x engine.Examination) string {
	if !g.Traces {
		return ""
	}
	parent, _ := jsonrpc.Text(jsonrpc.Member(jsonrpc.Member(x.Params, "_meta"), "traceparent"))
	return traceID(parent)
}

// traceID returns the second field of a traceparent of version 00: version, trace id,
// parent id and flags in lower-case hexadecimal digits. A later version may be longer,
// with a `-` after the flags. An id of zeros is not valid.
func traceID(parent string) string {
	const length = len("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	if len(parent) < length || len(parent) > 512 {
		return ""
	}
	version := parent[:2]
	if version == "ff" || version == "00" && len(parent) != length || len(parent) > length && parent[length] != '-' {
		return ""
	}
	for _, field := range [...]struct{ at, size int }{{0, 2}, {3, 32}, {36, 16}, {53, 2}} {
		if strings.Trim(parent[field.at:field.at+field.size], "0123456789abcdef") != "" || field.at > 0 && parent[field.at-1] != '-' {
			return ""
		}
	}
	id, span := parent[3:35], parent[36:52]
	if strings.Trim(id, "0") == "" || strings.Trim(span, "0") == "" {
		return ""
	}
	return id
}
