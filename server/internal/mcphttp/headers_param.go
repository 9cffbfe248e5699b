package mcphttp

import (
	"context"
	"encoding/base64"
	"math/big"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// paramHeader is the prefix of headers that repeat an argument of a tool whose schema
// requests that by x-mcp-header. Other headers with this prefix are ignored. MCP
// 2026-07-28, basic/transports/streamable-http.
const paramHeader = "Mcp-Param-"

// forHeaders marks a context in which tools are looked up to check headers, which
// happens for every call.
type forHeaders struct{}

// IsForHeaders reports whether tools are looked up in ctx to check headers only.
func IsForHeaders(ctx context.Context) bool { return ctx.Value(forHeaders{}) != nil }

// checkParams compares headers with the arguments of tools/call, according to the tool's
// current schema. On a mismatch it loads the schema once more, since the first one may
// have been cached.
func (r *request) checkParams(x engine.Examination) *jsonrpc.Error {
	if x.Method != engine.MethodCallTool {
		return nil
	}
	ctx, cancel := context.WithTimeout(r.client.With(r.http.Context()), limits.AttachTime)
	defer cancel()
	ctx = context.WithValue(ctx, forHeaders{}, true)
	for again := false; ; again = true {
		description, err := r.endpoint.Engine.ToolDescription(ctx, x.Name)
		if err != nil {
			return nil // the engine responds with the error
		}
		wrong := checkArguments(r.http.Header, jsonrpc.Member(description, "inputSchema"), x.Arguments)
		if wrong == nil || again {
			return wrong
		}
	}
}

// checkArguments checks the properties of a schema, and those of nested objects.
// arguments is a JSON object, or nil.
func checkArguments(h http.Header, schema, arguments []byte) (mismatched *jsonrpc.Error) {
	jsonrpc.Members(jsonrpc.Member(schema, "properties"), func(name string, property []byte) *jsonrpc.Error {
		if property[0] != '{' || mismatched != nil {
			return nil
		}
		value := jsonrpc.Member(arguments, name)
		if header, ok := jsonrpc.Text(jsonrpc.Member(property, "x-mcp-header")); ok && header != "" {
			mismatched = checkArgument(h, paramHeader+header, value)
		}
		if mismatched == nil && jsonrpc.Member(property, "properties") != nil && (value == nil || value[0] == '{') {
			mismatched = checkArguments(h, property, value)
		}
		return nil
	})
	return mismatched
}

// checkArgument compares one header with its argument: JSON, or nil.
func checkArgument(h http.Header, name string, value []byte) *jsonrpc.Error {
	isThere := len(h.Values(name)) > 0
	got, once := header(h, name)
	switch absent := value == nil || string(value) == "null"; {
	case absent && isThere:
		return mismatch(name + " is set, but the body has no such argument")
	case absent:
		return nil
	case !isThere && (value[0] == '{' || value[0] == '['):
		return nil // objects and arrays cannot be sent in a header
	case !isThere:
		return mismatch(name + " is missing")
	}
	text, ok := decodeHeader(got)
	if !once || !ok {
		return mismatch(name + " is not a valid header value")
	}
	if !equalsJSON(text, value) {
		return mismatch(name + " does not equal the argument of the body")
	}
	return nil
}

// decodeHeader returns the text that a header represents: the value itself, or the
// decoded text of =?base64?…?= (R-302). A value with only one end of that form is plain
// text.
func decodeHeader(value string) (string, bool) {
	inner, begins := strings.CutPrefix(value, "=?base64?")
	inner, ends := strings.CutSuffix(inner, "?=")
	if !begins || !ends {
		return value, true
	}
	text, err := base64.StdEncoding.Strict().DecodeString(inner)
	return string(text), err == nil && utf8.Valid(text)
}

// equalsJSON reports whether text represents a JSON value: strings are compared by
// characters, numbers by value, others literally.
func equalsJSON(text string, value []byte) bool {
	switch c := value[0]; {
	case c == '"':
		s, _ := jsonrpc.Text(value)
		return s == text
	case c == '-' || c >= '0' && c <= '9':
		a, b := number(text), number(string(value))
		return text == string(value) || a != nil && b != nil && a.Cmp(b) == 0
	}
	return text == string(value)
}

// number parses a decimal number exactly. It returns nil for anything else, and for
// numbers that would need much memory, like 1e999999999.
func number(text string) *big.Rat {
	_, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	if len(text) > 64 || len(strings.TrimLeft(exponent, "+-0")) > 3 || strings.Trim(text, "0123456789+-.eE") != "" {
		return nil
	}
	n, _ := new(big.Rat).SetString(text)
	return n
}
