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
	fields := strings.SplitN(parent, "-", 5)
	if len(fields) < 4 || fields[0] == "ff" || fields[0] == "00" && len(fields) > 4 {
		return ""
	}
	for i, size := range [...]int{2, 32, 16, 2} {
		if len(fields[i]) != size || strings.Trim(fields[i], "0123456789abcdef") != "" {
			return ""
		}
	}
	if strings.Trim(fields[1], "0") == "" || strings.Trim(fields[2], "0") == "" {
		return ""
	}
	return fields[1]
}
