// Package emit writes JSON text by append functions: no reflection, and one allocation a
// document.
package emit

import (
	"unsafe"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A JSON is JSON text that is being written, where speed does not matter: a call
// for each piece takes a third of the code that append takes when it is written
// out, and every page pays for code. Lists and reads, which are hot, append.
type JSON []byte

// Text adds JSON text as it is.
//
//go:noinline
func (o *JSON) Text(s string) { *o = append(*o, s...) }

// Raw is Text, for bytes.
//
//go:noinline
func (o *JSON) Raw(value []byte) { *o = append(*o, value...) }

// Quote adds a JSON string.
//
//go:noinline
func (o *JSON) Quote(s string) { *o = jsonrpc.AppendString(*o, s) }

// Name adds a comma, if one is due, and the name of a member.
//
//go:noinline
func (o *JSON) Name(name string) {
	if last := (*o)[len(*o)-1]; last != '{' && last != '[' {
		*o = append(*o, ',')
	}
	*o = append(jsonrpc.AppendString(*o, name), ':')
}

// Member adds a member of JSON text.
//
//go:noinline
func (o *JSON) Member(name string, value []byte) {
	o.Name(name)
	*o = append(*o, value...)
}

// Members adds those members of a JSON object, or of nil, for whose names keep returns true;
// if keep is nil, all of them. The name shares memory with the object.
//
//go:noinline
func (o *JSON) Members(object []byte, keep func(name string) bool) {
	s := jsonrpc.Scan(object)
	for object != nil && s.Next() {
		name := unsafe.String(unsafe.SliceData(s.Name), len(s.Name))
		if keep == nil || keep(name) {
			o.Member(name, s.Value)
		}
	}
}

// AppendText appends a further member, unless its text is empty.
//
//go:noinline
func AppendText(dst []byte, name, text string) []byte {
	if text == "" {
		return dst
	}
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	return jsonrpc.AppendString(dst, text)
}

// AppendRaw appends a further member of JSON text, unless it is nil.
//
//go:noinline
func AppendRaw(dst []byte, name string, value []byte) []byte {
	if value == nil {
		return dst
	}
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	return append(dst, value...)
}

// Separator returns what stands before the i-th element of an array.
func Separator(i int) string {
	if i == 0 {
		return "["
	}
	return ","
}
