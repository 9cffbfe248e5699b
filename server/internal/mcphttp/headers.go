package mcphttp

import (
	"cmp"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Names of HTTP headers; MCP 2026-07-28, basic/transports/streamable-http.
const (
	VersionHeader = "Mcp-Protocol-Version" // revision
	SessionHeader = "Mcp-Session-Id"       // classic revisions
	MethodHeader  = "Mcp-Method"           // method of the body
	NameHeader    = "Mcp-Name"             // uri or name in params of the body
)

// codeHeaderMismatch exists over HTTP only.
const codeHeaderMismatch = -32020

// checkHeaders compares the headers of a modern request with the members of the body
// that they repeat. R-295 R-300 R-301 R-303 R-304.
func checkHeaders(h http.Header, x engine.Examination) *jsonrpc.Error {
	if v, ok := header(h, VersionHeader); !ok || v != x.Version {
		return mismatch("MCP-Protocol-Version does not equal the protocolVersion of the body")
	}
	if v, ok := header(h, MethodHeader); !ok || v != x.Method {
		return mismatch("Mcp-Method does not equal the method of the body")
	}
	if x.Of.Repeated {
		if v, ok := header(h, NameHeader); !ok || !matchesHeader(v, x.Name) {
			return mismatch("Mcp-Name does not equal the uri or name of the body")
		}
	}
	return nil
}

func mismatch(message string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: codeHeaderMismatch, Message: message}
}

// header returns the value of a header that must occur exactly once.
func header(h http.Header, name string) (string, bool) {
	values := h.Values(name)
	if len(values) != 1 {
		return "", false
	}
	return strings.Trim(values[0], " \t"), true
}

// matchesHeader reports whether the value of a header represents want: as plain text,
// which go-sdk's client sends even for non-ASCII text, or in Base64.
func matchesHeader(value, want string) bool {
	text, ok := decodeHeader(value)
	return value == want || ok && text == want
}

// isJSON reports whether the body is declared as JSON. A web page needs a CORS preflight
// to send that type to a foreign origin.
func isJSON(h http.Header) bool {
	values := h.Values("Content-Type")
	if len(values) != 1 || h.Get("Content-Encoding") != "" {
		return false
	}
	kind, params, err := mime.ParseMediaType(values[0])
	if err != nil || kind != "application/json" {
		return false
	}
	charset, named := params["charset"]
	return !named || strings.EqualFold(charset, "utf-8")
}

// EventStreamType is the media type of server-sent events.
const EventStreamType = "text/event-stream"

// accepts reports whether the client accepts this media type, by name or wildcard. A
// client without Accept accepts JSON only.
func accepts(h http.Header, kind string) bool {
	family, _, _ := strings.Cut(kind, "/")
	return acceptsAny(h, kind, family+"/*", "*/*")
}

// acceptsStream reports whether the response to a POST may become an event stream. A
// wildcard does not suffice: curl sends */* and expects JSON.
func acceptsStream(h http.Header) bool { return acceptsAny(h, EventStreamType) }

// acceptsAny reports whether the first of ranges that Accept has, the most specific one, has
// another weight than 0 (RFC 9110, section 12.5.1).
func acceptsAny(h http.Header, ranges ...string) bool {
	accepted := map[string]bool{}
	for _, value := range h.Values("Accept") {
		for one := range strings.SplitSeq(value, ",") {
			if name, params, err := mime.ParseMediaType(one); err == nil {
				weight, err := strconv.ParseFloat(cmp.Or(params["q"], "1"), 64)
				accepted[name] = err == nil && weight > 0
			}
		}
	}
	for _, one := range ranges {
		if is, found := accepted[one]; found {
			return is
		}
	}
	return false
}
