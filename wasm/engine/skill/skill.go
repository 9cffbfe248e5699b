// Package skill has instructions for models, served as resources: extension io.modelcontextprotocol/skills, SEP-2640.
// A client gets their entries by skills/list and skills/get, and their files by resources/read.
package skill

import (
	"context"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Extension is the extension of an engine whose sources have entries of Kind.
var Extension = &engine.Extension{ID: "io.modelcontextprotocol/skills", Methods: Methods}

// Kind is the list of skills. An entry is what a client compares with its files, so nothing in it is changed but
// the URIs, which get the prefix of a mount.
var Kind = &engine.ListKind{Method: MethodList, Member: "skills", Key: "uri", One: "skill", Raw: true, Rewrite: withPrefix}

// Methods of the extension.
const (
	MethodList = "skills/list"
	MethodGet  = "skills/get"
)

// Methods are those of the extension.
var Methods = []engine.Method{
	{Name: MethodList, Right: engine.RightRead, Rate: engine.RateNone, Lists: Kind},
	{Name: MethodGet, Right: engine.RightRead, Rate: engine.RateReads, Named: "uri", Waits: true, Unknown: "Unknown skill", Answer: get},
}

// get answers skills/get.
func get(e *engine.Engine, ctx context.Context, req *engine.Request) (sink.Result, error) {
	uri, err := req.URI()
	if err != nil {
		return sink.Result{}, err
	}
	if !req.May(engine.VerbRead, uri) {
		return sink.Result{}, engine.ErrNotFound
	}
	for _, m := range e.Having(uri, false) {
		if item, err := m.Item(ctx, Kind); err == nil {
			return e.Result("complete", append([]byte(`"skill":`), item...), true), nil
		}
	}
	return sink.Result{}, engine.ErrNotFound
}

// withPrefix puts a prefix before the URIs of the files of a skill, unless they are "dynamic".
func withPrefix(member string, value []byte, prefix string) []byte {
	files, ok := jsonrpc.Elements(value)
	if !ok || member != "resources" {
		return value
	}
	o := emit.JSON("[")
	for i, file := range files {
		if i > 0 {
			o.Text(",")
		}
		o.Text("{")
		for s := jsonrpc.Scan(file); s.Next(); {
			if string(s.Name) == "uri" {
				uri, _ := jsonrpc.Text(s.Value)
				s.Value = jsonrpc.AppendString(nil, prefix+uri)
			}
			o.Member(string(s.Name), s.Value)
		}
		o.Text("}")
	}
	return append(o, ']')
}
