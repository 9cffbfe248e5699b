package remote_test

import (
	"context"
	"fmt"
	"log"

	"github.com/pagemcp/pagemcp/server/internal/remote"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

func ExampleAttach() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	page := engine.New(engine.Info{Name: "notes", Version: "1.0.0"}, nil)
	table := engine.NewTable()
	err := table.Put(engine.Entry{
		JSON: engine.Describe("uri", "notes://cart", "name", "Cart"),
		Read: func(_ context.Context, uri string) ([]engine.Contents, error) {
			return []engine.Contents{{URI: uri, Text: "2 apples"}}, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	page.Mount("", table)
	near, far := jsonrpc.Pipe()
	go page.Serve(ctx, near)

	notes, err := remote.Attach(ctx, far)
	if err != nil {
		log.Fatal(err)
	}
	gateway := engine.New(engine.Info{Name: "gateway", Version: "1.0.0"}, nil)
	gateway.Mount("notes+", notes) // notes+notes://cart is the page's notes://cart

	listing, err := notes.List(ctx, engine.Resources, "")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listing.Items[0].Key)
	// Output: notes://cart
}
