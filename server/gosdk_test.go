package server

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bearer adds the token to every request.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// The whole path with an independent client, of the modern revision: list, read,
// a change in the page, the new value, and what is not there. R-119 R-154 R-158
// R-280 R-352 R-353.
func TestGoSDKSeesPageThroughGateway(t *testing.T) {
	g := startGateway(t, Options{})
	page := newPage(t, testOrigin, "tab-1")
	page.write("notes://list/milk", "2 bottles")
	page.join(g)
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()

	updates := make(chan string, 16)
	client := mcp.NewClient(&mcp.Implementation{Name: "go-sdk", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { updates <- r.Params.URI },
	})
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: g.URL(), HTTPClient: &http.Client{Transport: bearer{g.testToken()}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()

	const uri = "notes+notes://list/milk"
	list, err := session.ListResources(ctx, nil)
	if err != nil || len(list.Resources) != 1 || list.Resources[0].URI != uri {
		t.Fatalf("list: %+v, %v", list, err)
	}
	read := func(want string) {
		t.Helper()
		got, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
		if err != nil || len(got.Contents) != 1 || got.Contents[0].Text != want {
			t.Fatalf("read: %+v, %v; want %q", got, err, want)
		}
	}
	read("2 bottles")
	if err := session.Subscribe(ctx, &mcp.SubscribeParams{URI: uri}); err != nil {
		t.Fatal(err)
	}
	page.write("notes://list/milk", "3 bottles")
	select {
	case got := <-updates:
		if got != uri {
			t.Errorf("updated: %q", got)
		}
	case <-ctx.Done():
		t.Fatal("no update came")
	}
	read("3 bottles")

	_, err = session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "notes+notes://list/bread"})
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) || wire.Code != -32602 {
		t.Errorf("not found: %v", err)
	}
}
