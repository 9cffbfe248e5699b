package engine_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

func TestSmoke(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		e := engine.New(engine.Info{Name: "n", Version: "1"}, nil)
		tab := engine.NewTable()
		tab.Put(engine.Entry{Resource: engine.Resource{URI: "notes://cart", Name: "Cart", Size: -1}, Read: func(context.Context, string) ([]engine.Contents, error) {
			return []engine.Contents{{URI: "notes://cart", Text: "2 apples"}}, nil
		}})
		e.Mount("", tab)
		near, far := jsonrpc.Pipe()
		go e.Serve(ctx, far)
		send := func(s string) {
			near.Write(ctx, []byte(s))
			synctest.Wait()
			for {
				select {
				default:
				}
				c2, cc := context.WithTimeout(ctx, 1)
				m, err := near.Read(c2)
				cc()
				if err != nil {
					break
				}
				t.Log(string(m))
			}
		}
		env := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
		send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		send(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + env + `}}`)
		send(`{"jsonrpc":"2.0","id":9007199254740993,"method":"resources/list","params":{` + env + `}}`)
		send(`{"jsonrpc":"2.0","id":"a","method":"resources/read","params":{` + env + `,"uri":"notes://cart"}}`)
		send(`{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{` + env + `,"notifications":{"resourceSubscriptions":["notes://cart"],"resourcesListChanged":true}}}`)
		tab.Changed("notes://cart")
		tab.Changed("notes://cart")
		send(`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
		send(`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"notes://x"}}`)
		send(`[]`)
		cancel()
	})
}
