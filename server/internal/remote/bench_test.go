package remote_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/remote"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// BenchmarkRead reads a text of a page directly, and through the engine of a gateway. The aim of design.md §7 is at most 60
// allocations for the small one through two engines, and 100 MB/s for the large one.
func BenchmarkRead(b *testing.B) {
	for _, size := range []int{100, 1 << 20} {
		page := pageWithText(b, strings.Repeat("A line of plain text with some more words, as pages have it, and few \"quotes\" in it.\n", size/87))
		gateway := engine.New(engine.Info{Name: "gateway", Version: "1.0.0"}, nil)
		near, far := jsonrpc.Pipe()
		go page.Serve(b.Context(), near)
		source, err := remote.Attach(b.Context(), far)
		if err != nil {
			b.Fatal(err)
		}
		gateway.Mount("notes+", source)
		for _, one := range []struct {
			name, uri string
			engine    *engine.Engine
		}{{"one", "notes://cart", page}, {"two", "notes+notes://cart", gateway}} {
			b.Run(fmt.Sprintf("%d bytes, engines: %s", size, one.name), func(b *testing.B) {
				benchmarkRequest(b, one.engine, "resources/read", `"uri":"`+one.uri+`"`, size)
			})
		}
	}
}

func pageWithText(b *testing.B, text string) *engine.Engine {
	page := engine.New(engine.Info{Name: "notes", Version: "1.0.0"}, nil)
	table := engine.NewTable()
	if err := table.Put(engine.Entry{
		JSON: engine.Describe("uri", "notes://cart", "name", "Cart"),
		Read: func(_ context.Context, uri string) ([]engine.Contents, error) {
			return []engine.Contents{{URI: uri, Text: text}}, nil
		},
	}); err != nil {
		b.Fatal(err)
	}
	page.Mount("", table)
	return page
}

// benchmarkRequest sends the same request again and again, each after the answer to the one before.
func benchmarkRequest(b *testing.B, e *engine.Engine, method, members string, size int) {
	near, far := jsonrpc.Pipe()
	go e.Serve(b.Context(), far)
	defer near.Close()
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},`
	request := []byte(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + meta + members + `}}`)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		if err := near.Write(b.Context(), request); err != nil {
			b.Fatal(err)
		}
		if answer, err := near.Read(b.Context()); err != nil || !strings.Contains(string(answer[:60]), `"result"`) {
			b.Fatalf("%s, %v", answer[:60], err)
		}
	}
}
