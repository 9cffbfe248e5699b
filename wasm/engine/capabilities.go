package engine

import (
	"bytes"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// MaxCapabilities is the size in bytes up to which the capabilities of a client are kept as
// they are, with those of extensions.
const MaxCapabilities = 1 << 10

// KnownCapabilities returns a copy of the capabilities of a client for the time of its
// session: all, or only those that this package knows if they have more than MaxCapabilities
// bytes. declared is a JSON object, of any size.
func KnownCapabilities(declared []byte) []byte {
	if len(declared) <= MaxCapabilities {
		return bytes.Clone(declared)
	}
	known := emit.JSON("{")
	for _, capability := range [...]struct{ name, mode, other string }{{"elicitation", "form", "url"}, {"roots", "", ""}, {"sampling", "context", "tools"}} {
		value := jsonrpc.Member(declared, capability.name)
		if value == nil {
			continue
		}
		if len(known) > 1 {
			known.Text(",")
		}
		known.Text(`"` + capability.name + `":{`)
		open := len(known)
		for _, mode := range [...]string{capability.mode, capability.other} {
			if mode == "" || jsonrpc.Member(value, mode) == nil {
				continue
			}
			if len(known) > open {
				known.Text(",")
			}
			known.Text(`"` + mode + `":{}`)
		}
		known.Text("}")
	}
	known.Text("}")
	return known
}
