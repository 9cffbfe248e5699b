package engine_test

import (
	"context"
	"fmt"
	"log"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// notes is the smallest source: a map from URIs to texts.
type notes map[string]string

func (n notes) List(context.Context, string) (engine.Listing, error) {
	var listing engine.Listing
	for uri := range n {
		listing.Resources = append(listing.Resources, engine.Resource{URI: uri, Name: uri})
	}
	return listing, nil
}

func (n notes) Read(_ context.Context, uri string) ([]engine.Contents, error) {
	text, ok := n[uri]
	if !ok {
		return nil, engine.ErrNotFound
	}
	return []engine.Contents{{URI: uri, MIMEType: "text/plain", Text: text}}, nil
}

func ExampleAttach() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	page := engine.New(engine.Info{Name: "notes", Version: "1.0.0"}, nil)
	page.Mount("", notes{"notes://cart": "2 apples"})
	near, far := jsonrpc.Pipe()
	go page.Serve(ctx, near)

	remote, err := engine.Attach(ctx, far)
	if err != nil {
		log.Fatal(err)
	}
	gateway := engine.New(engine.Info{Name: "gateway", Version: "1.0.0"}, nil)
	gateway.Mount("notes+", remote) // notes+notes://cart is the page's notes://cart

	listing, err := remote.List(ctx, "")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listing.Resources[0].URI)
	// Output: notes://cart
}

func ExampleTable() {
	table := engine.NewTable()
	err := table.Put(engine.Entry{
		Resource: engine.Resource{URI: "notes://cart", Name: "Cart"},
		Read: func(_ context.Context, uri string) ([]engine.Contents, error) {
			return []engine.Contents{{URI: uri, Text: "2 apples"}}, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	e := engine.New(engine.Info{Name: "notes", Version: "1.0.0"}, nil)
	e.Mount("", table)
	table.Changed("notes://cart") // clients that subscribed to it are notified
	contents, err := table.Read(context.Background(), "notes://cart")
	fmt.Println(contents[0].Text, err)
	// Output: 2 apples <nil>
}
