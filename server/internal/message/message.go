// Package message reads the part of a JSON-RPC message that a gateway needs for routing,
// and makes the gateway's own errors.
package message

import (
	"bytes"
	"time"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A Head is the part of an engine's message that routing needs. The rest may be
// megabytes and is not parsed.
type Head struct {
	Kind   jsonrpc.Kind
	ID     jsonrpc.ID
	Method string
	Failed bool // a response with an error
}

// HeadOf reads the head of msg without parsing the rest if package jsonrpc wrote msg:
// then id precedes result. Other messages are parsed completely.
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

// tokenEnd returns the end of the string or number at the beginning of text, or 0.
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

// Busy returns the error of a request that exceeds a limit. The sender may retry.
func Busy(what string) *jsonrpc.Error {
	return &jsonrpc.Error{
		Code:    jsonrpc.CodeInternal,
		Message: what,
		Data:    []byte(`{"origin":"gateway","reason":"busy","retry":true}`),
	}
}

// Paused returns the error of a request while the user has paused all assistants.
func Paused(until time.Time) *jsonrpc.Error {
	return &jsonrpc.Error{
		Code:    jsonrpc.CodeInternal,
		Message: "The user has paused assistants until " + until.Local().Format("15:04") + ". Do not try again before, unless the user asks for it",
		Data:    []byte(`{"origin":"gateway","reason":"paused","retry":false}`),
	}
}

// Unreachable returns the error of a request that another process has to serve. The sender may
// retry.
func Unreachable(what string) *jsonrpc.Error {
	return &jsonrpc.Error{
		Code:    jsonrpc.CodeInternal,
		Message: what,
		Data:    []byte(`{"origin":"gateway","reason":"unreachable","retry":true}`),
	}
}

// Interrupted returns the error of a request that was lost before it was answered. It
// may have had effects, so the sender must not retry.
func Interrupted(message string) *jsonrpc.Error {
	return &jsonrpc.Error{
		Code:    jsonrpc.CodeInternal,
		Message: message,
		Data:    []byte(`{"origin":"gateway","reason":"interrupted","retry":false}`),
	}
}

// InvalidRequest returns an error with the code of JSON-RPC 2.0 for invalid requests.
func InvalidRequest(message string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: message}
}

// IsBusy reports whether err is that of Busy.
func IsBusy(err *jsonrpc.Error) bool { return hasReason(err, `"reason":"busy"`) }

// IsUnreachable reports whether err is that of Unreachable.
func IsUnreachable(err *jsonrpc.Error) bool { return hasReason(err, `"reason":"unreachable"`) }

func hasReason(err *jsonrpc.Error, member string) bool {
	return err != nil && err.Code == jsonrpc.CodeInternal && bytes.Contains(err.Data, []byte(member))
}
