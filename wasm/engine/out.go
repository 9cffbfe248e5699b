package engine

import "github.com/pagemcp/pagemcp/wasm/jsonrpc"

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
