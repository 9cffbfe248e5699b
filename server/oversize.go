package server

import (
	"bytes"
	"regexp"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A tooLargeError is jsonrpc.ErrTooLarge for a message whose id could be read: its
// sender then need not wait for a timeout.
type tooLargeError struct{ id jsonrpc.ID }

func (e *tooLargeError) Error() string { return jsonrpc.ErrTooLarge.Error() }
func (e *tooLargeError) Unwrap() error { return jsonrpc.ErrTooLarge }

// refusal is the answer, or nil if there is no id: then the engine answers without.
func (e *tooLargeError) refusal() []byte {
	if e.id == "" {
		return nil
	}
	return jsonrpc.AppendError(nil, e.id, invalidRequest("The message is larger than 1 MiB"))
}

// A tail keeps the end of what is written to it.
type tail struct{ bytes []byte }

const tailSize = 1 << 10 // bytes: an id and what may stand after it

func (t *tail) Write(data []byte) (int, error) {
	t.bytes = append(t.bytes, data[max(0, len(data)-tailSize):]...)
	if len(t.bytes) > 2*tailSize {
		t.bytes = bytes.Clone(t.bytes[len(t.bytes)-tailSize:])
	}
	return len(data), nil
}

// idOfParts finds the id of a request of which only the beginning and the end are
// known: most clients put it in one of these places.
func idOfParts(begin, end []byte) jsonrpc.ID {
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

// lastMembers matches an id that is the last member of the outermost object, or the
// last but "jsonrpc". Quotes inside of a string are escaped, so no string matches.
var lastMembers = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`,\s*"id"\s*:\s*(-?[0-9]+|"[^"\\]{0,256}")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)
})

// validID returns a token that may be an id, else nothing.
func validID(token []byte) jsonrpc.ID {
	m, err := jsonrpc.Parse(append(append([]byte(`{"jsonrpc":"2.0","method":"ping","id":`), token...), '}'))
	if err != nil {
		return ""
	}
	return m.ID
}
