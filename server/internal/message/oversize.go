package message

import (
	"bytes"
	"regexp"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A TooLargeError is jsonrpc.ErrTooLarge for a message whose id could be read, so that
// its sender gets an error response instead of a timeout.
type TooLargeError struct{ ID jsonrpc.ID }

// Error implements error.
func (e *TooLargeError) Error() string { return jsonrpc.ErrTooLarge.Error() }

// Unwrap returns jsonrpc.ErrTooLarge.
func (e *TooLargeError) Unwrap() error { return jsonrpc.ErrTooLarge }

// Refusal returns the error response, or nil if there is no id.
func (e *TooLargeError) Refusal() []byte {
	if e.ID == "" {
		return nil
	}
	return jsonrpc.AppendError(nil, e.ID, InvalidRequest("The message is larger than 1 MiB"))
}

// A Tail is a writer that keeps the last bytes written to it.
type Tail struct{ Bytes []byte }

const tailSize = 1 << 10 // bytes; enough for an id and the members after it

// Write implements io.Writer.
func (t *Tail) Write(data []byte) (int, error) {
	t.Bytes = append(t.Bytes, data[max(0, len(data)-tailSize):]...)
	if len(t.Bytes) > 2*tailSize {
		t.Bytes = bytes.Clone(t.Bytes[len(t.Bytes)-tailSize:])
	}
	return len(data), nil
}

// IDOfParts returns the id of a request of which only the beginning and the end are
// known, or "". It finds an id that is among the first or last members, where most
// clients put it.
func IDOfParts(begin, end []byte) jsonrpc.ID {
	d := jsontext.NewDecoder(bytes.NewReader(begin))
	if start, err := d.ReadToken(); err != nil || start.Kind() != '{' {
		return ""
	}
	for {
		name, err := d.ReadToken()
		if err != nil || name.Kind() != '"' {
			break
		}
		isID := name.String() == "id"
		value, err := d.ReadValue()
		if err != nil {
			break
		}
		if isID {
			return validID(value)
		}
	}
	if m := lastMembers().FindSubmatch(append(bytes.Clone(begin[max(0, len(begin)-tailSize):]), end...)); m != nil {
		return validID(m[1])
	}
	return ""
}

// lastMembers matches an id that is the last member of the outermost object, or the last
// but "jsonrpc". Quotes inside a string are escaped, so text in a string does not match.
var lastMembers = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`,\s*"id"\s*:\s*(-?[0-9]+|"[^"\\]{0,256}")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)
})

// validID returns token if it is a valid id, else "".
func validID(token []byte) jsonrpc.ID {
	m, err := jsonrpc.Parse(jsonrpc.AppendRequest(nil, jsonrpc.ID(token), "x", nil))
	if err != nil {
		return ""
	}
	return m.ID
}
