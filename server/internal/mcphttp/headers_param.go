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

// paramHeader begins the name of a header that mirrors an argument of a tool: one
// whose schema says so by x-mcp-header. All others of that beginning are ignored
// . MCP 2026-07-28, basic/transports/streamable-http.
const paramHeader = "Mcp-Param-"

// forHeaders marks a context in which tools are looked up for the sake of headers,
// which happens for every call.
type forHeaders struct{}

// IsForHeaders tells whether tools are looked up in ctx for the sake of headers alone.
func IsForHeaders(ctx context.Context) bool { return ctx.Value(forHeaders{}) != nil }

// checkParams compares headers with the arguments of tools/call. Which ones there
// are, the tool's present description says; where they differ it is asked for
// once more, since the answer may have been a copy of a page that is slow.
func (r *request) checkParams(x engine.Examination) *jsonrpc.Error {
	if x.Method != "tools/call" {
		return nil
	}
	ctx, cancel := context.WithTimeout(engine.WithPrincipal(r.http.Context(), engine.Principal(r.client.Principal)), limits.AttachTime)
	defer cancel()
	ctx = context.WithValue(ctx, forHeaders{}, true)
	for again := false; ; again = true {
		description, err := r.endpoint.Engine.ToolDescription(ctx, x.Name)
		if err != nil {
			return nil // the engine will say what is wrong
		}
		wrong := checkArguments(r.http.Header, jsonrpc.Member(description, "inputSchema"), x.Arguments)
		if wrong == nil || again {
			return wrong
		}
	}
}

// checkArguments checks what the properties of one object's schema ask for, and
// those of objects in it. arguments is a JSON object, or nil.
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
		return mismatch(name + " stands for an argument that the body does not have")
	case absent:
		return nil
	case !isThere && (value[0] == '{' || value[0] == '['):
		return nil // cannot stand in a header; what the tool thinks of it is its affair
	case !isThere:
		return mismatch(name + " is missing")
	}
	text, ok := decodeHeader(got)
	if !once || !ok {
		return mismatch(name + " cannot be read")
	}
	if !equalsJSON(text, value) {
		return mismatch(name + " does not equal the argument of the body")
	}
	return nil
}

// decoded returns what a header's value stands for: itself, or, in the form
// =?base64?…?=, the text in it. What lacks one end of that form is meant
// as it is.
func decodeHeader(value string) (string, bool) {
	inner, begins := strings.CutPrefix(value, "=?base64?")
	inner, ends := strings.CutSuffix(inner, "?=")
	if !begins || !ends {
		return value, true
	}
	text, err := base64.StdEncoding.Strict().DecodeString(inner)
	return string(text), err == nil && utf8.Valid(text)
}

// equalsJSON tells whether text stands for a JSON value: strings by their
// characters, numbers by what they are worth, the rest as it is written.
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

// number reads a decimal number, exactly; nil if it is none, or one that would take
// much memory to write out, like 1e999999999.
func number(text string) *big.Rat {
	_, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	if len(text) > 64 || len(strings.TrimLeft(exponent, "+-0")) > 3 || strings.Trim(text, "0123456789+-.eE") != "" {
		return nil
	}
	n, _ := new(big.Rat).SetString(text)
	return n
}
