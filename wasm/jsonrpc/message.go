package jsonrpc

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxDepth is how deep arrays and objects may be nested in a message: far more
// than MCP needs, far less than what exhausts a stack.
const MaxDepth = 128 // levels

// MethodCancelled is the notification that cancels a request: the one method that this package
// sends by itself. MCP 2026-07-28, basic/patterns/cancellation.
const MethodCancelled = "notifications/cancelled"

// Kind is the kind of a message.
type Kind uint8

const (
	Request Kind = iota + 1
	Notification
	Response
)

// A Message is one JSON-RPC message. Params, Result and Error.Data are JSON text
// that shares memory with what was parsed.
type Message struct {
	Kind   Kind
	ID     ID     // of a Request or Response; empty in a Response to an unreadable request
	Method string // of a Request or Notification
	Params []byte // JSON object, or nil
	Result []byte // of a Response without Error
	Error  *Error // of a Response without Result
}

// Parse reads one message. If it is not valid, the error is what to answer: with
// Message.ID if that could be read, and not at all if Message.Kind is
// Notification or Response. Errors have the codes of JSON-RPC 2.0 alone.
//
// Refused although JSON allows it: names that occur twice, names of JSON-RPC in
// another case or with a NUL in them, nesting deeper than [MaxDepth]. Whoever
// checked the message before might have read it differently.
func Parse(data []byte) (Message, *Error) {
	if Deeper(data, MaxDepth) {
		return Message{}, &Error{Code: CodeParse, Message: "JSON is nested deeper than 128 levels"}
	}
	var msg Message
	var version, id, method, params, result, failure []byte
	err := members(data, func(name, value []byte) *Error {
		switch string(name) {
		case "jsonrpc":
			version = value
		case "id":
			id = value
		case "method":
			method = value
		case "params":
			params = value
		case "result":
			result = value
		case "error":
			failure = value
		default:
			return checkName(string(name))
		}
		return nil
	})
	if validID(id) {
		msg.ID = ID(id)
	}
	if err != nil && err.Code == CodeParse {
		return Message{}, err // what was read before the error is not reliable
	}
	switch isText := len(method) > 0 && method[0] == '"'; {
	case isText && id == nil:
		msg.Kind = Notification
	case method == nil && (result != nil || failure != nil):
		msg.Kind = Response
	default:
		msg.Kind = Request
	}
	switch {
	case err != nil:
		return msg, err
	case string(version) != `"2.0"`:
		return msg, invalid(`jsonrpc must be "2.0"`)
	case id != nil && msg.ID == "":
		return msg, invalid("id must be a string or an integer")
	case msg.Kind == Response:
		return msg, msg.answer(result, failure)
	case method == nil:
		return msg, invalid("method is missing")
	case method[0] != '"':
		return msg, invalid("method must be a string")
	case result != nil || failure != nil:
		return msg, invalid("a message is a request or a response, not both")
	}
	msg.Method = unquote(method)
	if isNull(params) {
		params = nil
	}
	if params != nil && params[0] != '{' {
		return msg, &Error{Code: CodeInvalidParams, Message: "params must be an object"}
	}
	msg.Params = params
	return msg, nil
}

// isNull reports whether a member is null: many programs write an optional member that is absent so.
func isNull(value []byte) bool { return string(value) == "null" }

// answer fills in the members of a response.
func (msg *Message) answer(result, failure []byte) *Error {
	switch {
	case result != nil && isNull(failure):
		failure = nil
	case failure != nil && isNull(result):
		result = nil
	}
	if result != nil && failure != nil {
		return invalid("a response has either a result or an error")
	}
	msg.Result = result
	if failure == nil {
		return nil
	}
	if failure[0] != '{' {
		return invalid("error must be an object")
	}
	msg.Error = &Error{}
	return members(failure, func(name, value []byte) *Error {
		switch string(name) {
		case "code":
			code, ok := Int(value)
			if !ok {
				return invalid("error.code must be an integer")
			}
			msg.Error.Code = code
		case "message":
			if value[0] != '"' {
				return invalid("error.message must be a string")
			}
			msg.Error.Message = unquote(value)
		case "data":
			msg.Error.Data = value
		}
		return nil
	})
}

// members reads an unchecked object: it rejects what is no JSON, and what [Parse]
// rejects, at every depth.
func members(data []byte, each func(name, value []byte) *Error) *Error {
	dec := decoder(data)
	defer dec.free()
	open, err := dec.ReadToken()
	if err != nil {
		return syntax(err)
	}
	if open.Kind() != '{' {
		if open.Kind() != '[' { // the rest of an array may be long; it is refused anyway
			if _, err := dec.ReadToken(); err != io.EOF {
				return syntax(err)
			}
		}
		return invalid("a message must be an object")
	}
	var refused *Error
	for dec.PeekKind() != '}' {
		name, err := dec.value(data)
		if err != nil {
			return syntax(err)
		}
		value, err := dec.value(data)
		if err != nil {
			return syntax(err)
		}
		if refused == nil {
			refused = each(nameOf(name), value)
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return syntax(err)
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return syntax(err)
	}
	return refused
}

// A reader is a decoder that can be used again; making one costs more than
// reading a small message.
type reader struct {
	jsontext.Decoder
	text bytes.Buffer
}

var readers sync.Pool // of *reader

func decoder(data []byte) *reader {
	r, ok := readers.Get().(*reader)
	if !ok {
		r = new(reader)
	}
	r.text = *bytes.NewBuffer(data)
	r.Reset(&r.text)
	return r
}

// value reads a value, or the name of a member, and returns its text in data: the decoder's own slice lives until its next call.
func (r *reader) value(data []byte) ([]byte, error) {
	value, err := r.ReadValue()
	end := r.InputOffset()
	return data[end-int64(len(value)) : end : end], err
}

// free returns r to the pool, without the text.
func (r *reader) free() {
	r.text = bytes.Buffer{}
	r.Reset(&r.text)
	readers.Put(r)
}

// syntax returns an error about the text, without repeating any of it.
func syntax(err error) *Error {
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return invalid("a name occurs twice in one object")
	}
	return &Error{Code: CodeParse, Message: "not valid JSON"}
}

func invalid(message string) *Error {
	return &Error{Code: CodeInvalidRequest, Message: message}
}

// checkName refuses names that a careless reader takes for one of JSON-RPC's.
func checkName(name string) *Error {
	if strings.IndexByte(name, 0) >= 0 {
		return invalid("a name contains a NUL character")
	}
	for _, known := range [...]string{"jsonrpc", "id", "method", "params", "result", "error"} {
		if strings.EqualFold(name, known) {
			return invalid("a name of JSON-RPC is written in the wrong case")
		}
	}
	return nil
}

// Deeper reports whether arrays and objects are nested deeper than so many levels. It counts brackets outside strings, and
// need not be right about text that is no JSON, only never recurse.
func Deeper(data []byte, levels int) bool {
	if bytes.Count(data, []byte("{"))+bytes.Count(data, []byte("[")) <= levels {
		return false // Count is fast, and a large text has few brackets
	}
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			length := StringLength(data[i:])
			if length == 0 {
				return false // the string has no end, so nothing is nested in what follows
			}
			i += length - 1
		case '{', '[':
			if depth++; depth > levels {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

// Text returns the value of a JSON string, or false if value is something else.
//
// It is not inlined: it has many callers, and every page pays for code.
//
//go:noinline
func Text(value []byte) (string, bool) {
	if len(value) < 2 || value[0] != '"' {
		return "", false
	}
	return unquote(value), true
}

// unquote is for strings that a decoder has accepted.
func unquote(value []byte) string {
	if bytes.IndexByte(value, '\\') < 0 {
		return string(value[1 : len(value)-1])
	}
	text, _ := jsontext.AppendUnquote(nil, value)
	return string(text)
}

// Int returns the value of an integer literal that fits into 64 bits.
func Int(value []byte) (int64, bool) {
	if !validID(value) || value[0] == '"' || len(value) > 19 {
		return 0, false
	}
	var n int64
	digits, negative := value, value[0] == '-'
	if negative {
		digits = digits[1:]
	}
	for _, c := range digits {
		n = n*10 + int64(c-'0')
		if n < 0 {
			return 0, false
		}
	}
	if negative {
		n = -n
	}
	return n, true
}

// AppendRequest appends a request. params is a JSON object.
func AppendRequest(dst []byte, id ID, method string, params []byte) []byte {
	dst = slices.Grow(dst, len(`{"jsonrpc":"2.0","id":,"method":"","params":}`)+len(id)+len(method)+len(params))
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	return appendCall(dst, method, params)
}

// AppendNotification appends a notification. params is a JSON object, or nil.
func AppendNotification(dst []byte, method string, params []byte) []byte {
	return appendCall(append(dst, `{"jsonrpc":"2.0"`...), method, params)
}

func appendCall(dst []byte, method string, params []byte) []byte {
	dst = append(dst, `,"method":`...)
	dst = AppendString(dst, method)
	if params != nil {
		dst = append(dst, `,"params":`...)
		dst = append(dst, params...)
	}
	return append(dst, '}')
}

// AppendResult appends a response with a result, a JSON object.
func AppendResult(dst []byte, id ID, result []byte) []byte {
	dst = slices.Grow(dst, len(`{"jsonrpc":"2.0","id":,"result":}`)+len(id)+len(result))
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	dst = append(dst, `,"result":`...)
	dst = append(dst, result...)
	return append(dst, '}')
}

// AppendError appends a response with an error. Without an id the member is left
// out.
func AppendError(dst []byte, id ID, err *Error) []byte {
	dst = append(dst, `{"jsonrpc":"2.0"`...)
	if id != "" {
		dst = append(dst, `,"id":`...)
		dst = append(dst, id...)
	}
	dst = append(dst, `,"error":`...)
	dst = err.Append(dst)
	return append(dst, '}')
}
