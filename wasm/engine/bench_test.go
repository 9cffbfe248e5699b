package engine_test

import (
	"fmt"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// silentSink is a Sink that costs nothing.
type silentSink struct{ sink.Sink }

func (silentSink) Respond(sink.Call, sink.Result)   {}
func (silentSink) Fail(sink.Call, *jsonrpc.Error)   {}
func (silentSink) Notify(*sink.Document, sink.Call) {}

// What a request costs the engine, without any channel: the fast lane of a page.
func BenchmarkTake(b *testing.B) {
	const envelope = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	table := engine.NewTable()
	entries := make([]engine.Entry, 10_000)
	for i := range entries {
		entries[i] = engine.Entry{Resource: engine.Resource{URI: fmt.Sprintf("app://records/item-%d", i), Name: fmt.Sprint(i)}, Ref: 1}
	}
	if err := table.Put(entries...); err != nil {
		b.Fatal(err)
	}
	e := engine.New(engine.Info{Name: "bench", Version: "1"}, &engine.Options{PageSize: 50})
	e.Mount("", table)
	method := map[string]sink.Method{}
	for i, name := range e.Methods() {
		method[name] = sink.Method(i)
	}
	const read = `{"uri":"app://records/item-5000"}`
	for _, bench := range []struct{ name, method, params, grants string }{
		{"ping", "ping", "", ""},
		{"list", "resources/list", `{}`, ""},
		{"list modern", "resources/list", `{` + envelope + `}`, ""},
		{"read", "resources/read", read, ""},
		{"read modern", "resources/read", `{` + envelope + `,"uri":"app://records/item-5000"}`, ""},
		{"read of an open page with a denial", "resources/read", read, `{"default":"open","grants":[{"assistant":"b","right":"read"}]}`},
		{"read by a grant", "resources/read", read, `{"default":"ask","grants":[{"assistant":"unnamed","right":"read","allow":true}]}`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			e.SetGrants(nil)
			if bench.grants != "" {
				grants, err := engine.ParseGrants([]byte(bench.grants))
				if err != nil {
					b.Fatal(err)
				}
				e.SetGrants(grants)
			}
			c := e.Connect(silentSink{}, "")
			defer c.Close()
			c.Take(1, method["initialize"], []byte(`{"protocolVersion":"2025-11-25"}`))
			params := []byte(bench.params)
			b.ReportAllocs()
			for b.Loop() {
				if _, _, outcome := c.Take(2, method[bench.method], params); outcome == sink.Pending {
					b.Fatal("waited")
				}
			}
		})
	}
}
