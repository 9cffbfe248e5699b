package server

import (
	"bytes"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A head is what has to be known of a message that an engine sends in order to
// route it. The rest may be megabytes and is not looked at.
type head struct {
	kind   jsonrpc.Kind
	id     jsonrpc.ID
	method string
	failed bool // a response with an error
}

// headOf reads the beginning of msg, which package jsonrpc wrote: it puts id
// before result, and method before params. Anything else is parsed as a whole.
func headOf(msg []byte) head {
	if rest, ok := bytes.CutPrefix(msg, []byte(`{"jsonrpc":"2.0","id":`)); ok {
		if end := tokenEnd(rest); end > 0 {
			id, after := jsonrpc.ID(rest[:end]), rest[end:]
			switch {
			case bytes.HasPrefix(after, []byte(`,"result":`)):
				return head{kind: jsonrpc.Response, id: id}
			case bytes.HasPrefix(after, []byte(`,"error":`)):
				return head{kind: jsonrpc.Response, id: id, failed: true}
			}
		}
	}
	m, _ := jsonrpc.Parse(msg)
	return head{kind: m.Kind, id: m.ID, method: m.Method, failed: m.Error != nil}
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

// errorOf returns the error of a response, or nil.
func errorOf(msg []byte) *jsonrpc.Error {
	m, _ := jsonrpc.Parse(msg)
	return m.Error
}

// busy is the answer to one request too many. gateway.md §1.
func busy(what string) *jsonrpc.Error {
	return &jsonrpc.Error{
		Code:    jsonrpc.CodeInternal,
		Message: what,
		Data:    []byte(`{"origin":"gateway","reason":"busy","retry":true}`),
	}
}

// interrupted is the answer to a request whose way was cut off.
func interrupted(message string) *jsonrpc.Error {
	return &jsonrpc.Error{
		Code:    jsonrpc.CodeInternal,
		Message: message,
		Data:    []byte(`{"origin":"gateway","reason":"interrupted","retry":false}`),
	}
}

func invalidRequest(message string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: message}
}

// isBusy tells whether an error says that the sender should slow down.
func isBusy(err *jsonrpc.Error) bool {
	return err != nil && err.Code == jsonrpc.CodeInternal && bytes.Contains(err.Data, []byte(`"reason":"busy"`))
}
