package interop

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"strings"
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

// A story is where the go-sdk client finds its page: one of the fixture, or, when a
// browser test runs this test, one in that browser.
type story struct {
	MCP     string   `json:"mcp"`
	Token   string   `json:"token"`
	Command []string `json:"command"` // starts pagemcp stdio, which takes the place of both
	URI     string   `json:"uri"`
	Missing string   `json:"missing"`
	Text    string   `json:"text"`
	Page    string   `json:"page"` // writes what is posted there; empty: the fixture's
	write   func(text string)
}

// storyVariable has a story as JSON.
const storyVariable = "PAGEMCP_STORY"

func theStory(t *testing.T) story {
	t.Helper()
	var s story
	if text := os.Getenv(storyVariable); text != "" {
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Fatal(err)
		}
		s.write = func(text string) {
			answer, err := http.Post(s.Page, "text/plain", strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
		}
		return s
	}
	f := startFixture(t)
	return story{
		MCP: f.MCP, Token: f.Token, URI: "notes+notes://list/milk", Missing: "notes+notes://list/bread", Text: "2 bottles",
		write: func(text string) { f.write("notes://list/milk", text) },
	}
}

// The whole path with an independent client, of the modern revision: list, read,
// a change in the page, the new value, and what is not there. R-119 R-154 R-158
// R-280 R-352 R-353.
func TestGoSDKSeesPage(t *testing.T) {
	s := theStory(t)
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	updates := make(chan string, 16)
	client := mcp.NewClient(&mcp.Implementation{Name: "go-sdk", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { updates <- r.Params.URI },
	})
	var transport mcp.Transport = &mcp.StreamableClientTransport{
		Endpoint: s.MCP, HTTPClient: &http.Client{Transport: bearer{s.Token}},
	}
	if len(s.Command) > 0 {
		transport = &mcp.CommandTransport{Command: exec.Command(s.Command[0], s.Command[1:]...)}
	}
	session, err := client.Connect(ctx, transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()

	listed := false
	for resource, err := range session.Resources(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		listed = listed || resource.URI == s.URI
	}
	if !listed {
		t.Fatalf("%s is not listed", s.URI)
	}
	read := func() string {
		t.Helper()
		got, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: s.URI})
		if err != nil || len(got.Contents) != 1 {
			t.Fatalf("read: %+v, %v", got, err)
		}
		return got.Contents[0].Text
	}
	if got := read(); !strings.Contains(got, s.Text) {
		t.Fatalf("read: %q, want %q", got, s.Text)
	}
	if err := session.Subscribe(ctx, &mcp.SubscribeParams{URI: s.URI}); err != nil {
		t.Fatal(err)
	}
	s.write("3 bottles")
	// An update says that a copy may be stale, and one of an earlier change may still come.
	for text := ""; !strings.Contains(text, "3 bottles"); {
		select {
		case got := <-updates:
			if got == s.URI {
				text = read()
			}
		case <-ctx.Done():
			t.Fatalf("no update came after which the text is new; it was %q", text)
		}
	}

	_, err = session.ReadResource(ctx, &mcp.ReadResourceParams{URI: s.Missing})
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) || wire.Code != -32602 {
		t.Errorf("not found: %v", err)
	}
}
