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
// does by default, the other with JSON.
type twinURLs struct {
	Stream string `json:"stream"`
	JSON   string `json:"json"`
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
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	web := &http.Server{Handler: mux}
	go web.Serve(listener) // ends with Close
	defer web.Close()
	origin := "http://" + listener.Addr().String()
	if err := json.NewEncoder(out).Encode(twinURLs{Stream: origin + "/stream", JSON: origin + "/json"}); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, in)
	return err
}
