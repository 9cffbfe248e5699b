package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// twinURLs are the endpoints of the twin: one answers with an event stream, as go-sdk
// does by default, one with JSON, and one without sessions, where it takes requests of 2026-07-28. Null is that of a [relay], which a page joins.
type twinURLs struct {
	Stream string `json:"stream"`
	JSON   string `json:"json"`
	Modern string `json:"modern"`
	Null   string `json:"null"`
	Page   string `json:"page"`
}

// serveTwin serves the records with go-sdk on a loopback port until in ends.
func serveTwin(in io.Reader, out io.Writer) error {
	server := mcp.NewServer(&mcp.Implementation{Name: "twin", Version: "1"}, nil)
	for n := range records {
		text := recordText(n)
		resource := &mcp.Resource{URI: recordURI(n), Name: fmt.Sprintf("item-%d", n), MIMEType: "text/plain"}
		server.AddResource(resource, func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			content := &mcp.ResourceContents{URI: r.Params.URI, MIMEType: "text/plain", Text: text}
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{content}}, nil
		})
	}
	get := func(*http.Request) *mcp.Server { return server }
	mux := http.NewServeMux()
	mux.Handle("/stream", mcp.NewStreamableHTTPHandler(get, nil))
	mux.Handle("/json", mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{JSONResponse: true}))
	mux.Handle("/modern", mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true}))
	null := &relay{waiting: map[int]chan []byte{}}
	mux.Handle("/null", null)
	mux.HandleFunc("/page", null.join)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	web := &http.Server{Handler: mux}
	go web.Serve(listener) // ends with Close
	defer web.Close()
	host := listener.Addr().String()
	urls := twinURLs{
		Stream: "http://" + host + "/stream", JSON: "http://" + host + "/json", Modern: "http://" + host + "/modern",
		Null: "http://" + host + "/null", Page: "ws://" + host + "/page",
	}
	if err := json.NewEncoder(out).Encode(urls); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, in)
	return err
}
