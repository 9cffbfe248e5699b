package server_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/pagemcp/pagemcp/server"
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
	go g.Serve(context.Background())
	defer g.Close(context.Background())
	fmt.Println(strings.HasPrefix(g.URL(), "http://127.0.0.1:"), strings.HasPrefix(g.Fragment(), "#pagemcp="))
	// Output: true true
}
