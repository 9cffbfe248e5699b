package engine_test

import (
	"context"
	"fmt"
	"log"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

func ExampleTable() {
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
	e := engine.New(engine.Info{Name: "notes", Version: "1.0.0"}, nil)
	e.Mount("", table)
	table.Changed("notes://cart") // clients that subscribed to it are notified
	contents, err := table.Read(context.Background(), "notes://cart")
	fmt.Println(contents[0].Text, err)
	// Output: 2 apples <nil>
}
