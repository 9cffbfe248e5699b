package engine

import "github.com/pagemcp/pagemcp/wasm/jsonrpc"

// JSON is written by append functions: no reflection, and one allocation a document.

// An out is JSON text that is being written, where speed does not matter: a call
// for each piece takes a third of the code that append takes when it is written
// out, and every page pays for code. Lists and reads, which are hot, append.
type out []byte

// text adds JSON text as it is.
//
//go:noinline
func (o *out) text(s string) { *o = append(*o, s...) }

// raw is text, for bytes.
//
//go:noinline
func (o *out) raw(value []byte) { *o = append(*o, value...) }

// quote adds a JSON string.
//
//go:noinline
func (o *out) quote(s string) { *o = jsonrpc.AppendString(*o, s) }

// name adds a comma, if one is due, and the name of a member.
//
//go:noinline
func (o *out) name(name string) {
	if last := (*o)[len(*o)-1]; last != '{' && last != '[' {
		*o = append(*o, ',')
	}
	*o = append(jsonrpc.AppendString(*o, name), ':')
}

// member adds a member of JSON text.
//
//go:noinline
func (o *out) member(name string, value []byte) {
	o.name(name)
	*o = append(*o, value...)
}

// members adds those members of a JSON object, or of nil, that keep wants: nil
// wants all.
//
//go:noinline
func (o *out) members(object []byte, keep func(name string) bool) {
	s := jsonrpc.Scan(object)
	for object != nil && s.Next() {
		if name := string(s.Name); keep == nil || keep(name) {
			o.member(name, s.Value)
		}
	}
}

// appendText appends a further member, unless its text is empty.
//
//go:noinline
func appendText(dst []byte, name, text string) []byte {
	if text == "" {
		return dst
	}
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	return jsonrpc.AppendString(dst, text)
}

// appendRaw appends a further member of JSON text, unless it is nil.
//
//go:noinline
func appendRaw(dst []byte, name string, value []byte) []byte {
	if value == nil {
		return dst
	}
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	return append(dst, value...)
}

func appendURI(dst []byte, prefix, uri string) []byte {
	if prefix != "" {
		uri = prefix + uri
	}
	return jsonrpc.AppendString(dst, uri)
}

// separator returns what stands before the i-th element of an array.
func separator(i int) string {
	if i == 0 {
		return "["
	}
	return ","
}
