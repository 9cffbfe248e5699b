// Package message reads as much of a JSON-RPC message as a gateway needs to route it,
// and makes the errors that are the gateway's own.
package message

import (
	"bytes"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A Head is what has to be known of a message that an engine sends in order to
// route it. The rest may be megabytes and is not looked at.
type Head struct {
	Kind   jsonrpc.Kind
	ID     jsonrpc.ID
	Method string
	Failed bool // a response with an error
}

// HeadOf reads the beginning of msg, which package jsonrpc wrote: it puts id
// before result, and method before params. Anything else is parsed as a whole.
func HeadOf(msg []byte) Head {
	if rest, ok := bytes.CutPrefix(msg, []byte(`{"jsonrpc":"2.0","id":`)); ok {
		if end := tokenEnd(rest); end > 0 {
			id, after := jsonrpc.ID(rest[:end]), rest[end:]
			switch {
			case bytes.HasPrefix(after, []byte(`,"result":`)):
				return Head{Kind: jsonrpc.Response, ID: id}
			case bytes.HasPrefix(after, []byte(`,"error":`)):
				return Head{Kind: jsonrpc.Response, ID: id, Failed: true}
			}
		}
	}
	m, _ := jsonrpc.Parse(msg)
	return Head{Kind: m.Kind, ID: m.ID, Method: m.Method, Failed: m.Error != nil}
}

// tokenEnd returns where the string or number at the beginning of text ends, or
// 0.
func tokenEnd(text []byte) int {
	if len(text) == 0 || text[0] != '"' {
		return max(bytes.IndexByte(text, ','), 0)
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// ErrorOf returns the error of a response, or nil.
func ErrorOf(msg []byte) *jsonrpc.Error {
	m, _ := jsonrpc.Parse(msg)
	return m.Error
}

// Busy is the answer to one request too many. gateway.md §1.
func Busy(what string) *jsonrpc.Error {
	return &jsonrpc.Error{
		Code:    jsonrpc.CodeInternal,
		Message: what,
		Data:    []byte(`{"origin":"gateway","reason":"busy","retry":true}`),
	}
}

// Interrupted is the answer to a request whose way was cut off.
func Interrupted(message string) *jsonrpc.Error {
	return &jsonrpc.Error{
		Code:    jsonrpc.CodeInternal,
		Message: message,
		Data:    []byte(`{"origin":"gateway","reason":"interrupted","retry":false}`),
	}
}

func InvalidRequest(message string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: message}
}

// IsBusy tells whether an error says that the sender should slow down.
func IsBusy(err *jsonrpc.Error) bool {
	return err != nil && err.Code == jsonrpc.CodeInternal && bytes.Contains(err.Data, []byte(`"reason":"busy"`))
}
