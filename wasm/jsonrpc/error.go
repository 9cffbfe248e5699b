package jsonrpc

import "github.com/go-json-experiment/json/jsontext"

// Codes of JSON-RPC 2.0, section 5.1. What MCP adds is the engine's affair.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
)

// An Error is the error member of a response.
type Error struct {
	Code    int64
	Message string // one short sentence
	Data    []byte // JSON text, or nil
}

func (e *Error) Error() string { return e.Message }

// Append appends the error object as JSON text.
func (e *Error) Append(dst []byte) []byte {
	dst = append(dst, `{"code":`...)
	dst = appendInt(dst, e.Code)
	dst = append(dst, `,"message":`...)
	dst = AppendString(dst, e.Message)
	if e.Data != nil {
		dst = append(dst, `,"data":`...)
		dst = append(dst, e.Data...)
	}
	return append(dst, '}')
}

// AppendString appends s as a JSON string. Bytes that are not UTF-8 become
// U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // the error only reports such bytes
	return dst
}
