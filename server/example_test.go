package server_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
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
		Hosts:   []string{"localhost:8080"},        // of the program's own server
		Allow: func(who engine.Principal, verb engine.Verb, uri string) bool {
			return uri != "tool:notes.wipe"
		},
		ReadsPerSecond: 20,
		Logger:         slog.Default(),
		Version:        "1.0.0",
	})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close(context.Background())
}

// A gateway inside an http.Server of the program. The gateway's paths stay at the root.
func ExampleGateway_Handler() {
	state, err := os.MkdirTemp("", "pagemcp-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(state)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	host := listener.Addr().String()
	g, err := server.New(server.Options{State: state, Hosts: []string{host}, Version: "1.0.0"})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close(context.Background())
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "the program's own page") })
	for _, path := range []string{"/mcp", "/mcp/", "/page", "/ws"} {
		mux.Handle(path, g.Handler())
	}
	program := &http.Server{Handler: mux} // without WriteTimeout: event streams are long
	go program.Serve(listener)
	defer program.Close()

	token, err := os.ReadFile(g.TokenFile())
	if err != nil {
		log.Fatal(err)
	}
	request, err := http.NewRequest("POST", g.URL(), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{
		"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
	if err != nil {
		log.Fatal(err)
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + strings.TrimSpace(string(token)), "Content-Type": "application/json",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list",
	} {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(response.Status, strings.Contains(string(body), `"name":"read_resource"`))
	// Output: 200 OK true
}
