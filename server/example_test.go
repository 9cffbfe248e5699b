package server_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"
	"strings"

	"github.com/pagemcp/pagemcp/server"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A gateway for the pages of one web server. A page of it joins when it is opened
// once with the fragment, and by itself from then on.
func Example() {
	state, err := os.MkdirTemp("", "pagemcp-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(state)
	g, err := server.New(server.Options{State: state, Origins: []string{"http://localhost:5173"}, Version: "1.0.0"})
	if err != nil {
		log.Fatal(err)
	}
	if err := g.Listen("127.0.0.1:0"); err != nil {
		log.Fatal(err)
	}
	defer g.Close(context.Background())
	go g.Serve(context.Background())
	fmt.Println(strings.HasPrefix(g.URL(), "http://127.0.0.1:"), strings.HasPrefix(g.Fragment(), "#pagemcp="))
	// Output: true true
}

// Options of a gateway inside a program, as web/docs/gateway.md shows them.
func ExampleOptions() {
	g, err := server.New(server.Options{
		Origins: []string{"http://localhost:8080"}, // whose pages may join
		Allow: func(who engine.Principal, verb engine.Verb, uri string) bool {
			return uri != "tool:notes.wipe" // names as at /mcp, with a dot
		},
		Logger:  slog.Default(),
		Version: "1.0.0",
	})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close(context.Background())
}
