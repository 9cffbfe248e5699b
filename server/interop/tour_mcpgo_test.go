//lint:file-ignore SA1019 what 2026-07-28 deprecates has to work for clients of the older revisions all the same

package interop

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// The whole offer of a page, by mcp-go's client: as it is made, which is the modern
// era, and held to the revision before. R-014 R-079 R-096 R-119 R-154 R-294 R-352
// R-354 R-355.
func TestTourMCPGo(t *testing.T) {
	for _, version := range []string{mcp.ProtocolVersion20260728, mcp.ProtocolVersion20251125} {
		t.Run(version, func(t *testing.T) {
			f := startFixture(t)
			options := []transport.StreamableHTTPCOption{
				transport.WithHTTPLogger(slog.New(slog.DiscardHandler)),
				transport.WithHTTPBasicClient(&http.Client{Transport: bearer{f.Token}}), // headers of its own are not on its DELETE
			}
			isModern := mcp.IsModernProtocol(version)
			if !isModern { // the stream of a session; it holds the client to the older era
				options = append(options, transport.WithContinuousListening())
			}
			wire, err := transport.NewStreamableHTTP(f.MCP+"/conformance", options...)
			if err != nil {
				t.Fatal(err)
			}
			asked := answers{}
			c := client.NewClient(wire, client.WithProtocolVersion(version), client.WithElicitationHandler(asked), client.WithSamplingHandler(asked))
			h := newHeard()
			c.OnNotification(func(n mcp.JSONRPCNotification) {
				switch n.Method {
				case "notifications/resources/updated":
					uri, _ := n.Params.AdditionalFields["uri"].(string)
					h.updates <- uri
				case "notifications/progress":
					progress, _ := n.Params.AdditionalFields["progress"].(float64)
					h.progress <- progress
				}
			})
			ctx, cancel := context.WithTimeout(t.Context(), testTime)
			defer cancel()
			if err := c.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			var hello mcp.InitializeRequest
			hello.Params.ProtocolVersion = version
			hello.Params.ClientInfo = mcp.Implementation{Name: "mcp-go", Version: "1.2.1"}
			if _, err := c.Initialize(ctx, hello); err != nil {
				t.Fatal(err)
			}
			if got := c.ProtocolVersion(); got != version {
				t.Errorf("it speaks %s", got)
			}
			tour(t, f, mcpGo{c, t, new(atomic.Bool)}, h)
		})
	}
}

// answers are those of a person and a model.
type answers struct{}

func (answers) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: "accept", Content: map[string]any{"username": touristName, "email": "ann@example.com"},
	}}, nil
}

func (answers) CreateMessage(context.Context, mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	return &mcp.CreateMessageResult{
		SamplingMessage: mcp.SamplingMessage{Role: mcp.RoleAssistant, Content: mcp.NewTextContent(touristSays)}, Model: "none",
	}, nil
}

type mcpGo struct {
	*client.Client
	t      *testing.T
	closed *atomic.Bool
}

func (c mcpGo) close() {
	c.closed.Store(true)
	c.Close()
}

// cancels: over HTTP it ends the stream and says nothing, which is a cancel in the
// modern era alone.
func (c mcpGo) cancels() bool { return mcp.IsModernProtocol(c.ProtocolVersion()) }

func (c mcpGo) resources(ctx context.Context) (uris []string, err error) {
	got, err := c.ListResources(ctx, mcp.ListResourcesRequest{})
	if err != nil {
		return nil, err
	}
	for _, r := range got.Resources {
		uris = append(uris, r.URI)
	}
	return uris, nil
}

func (c mcpGo) templates(ctx context.Context) (all []string, err error) {
	got, err := c.ListResourceTemplates(ctx, mcp.ListResourceTemplatesRequest{})
	if err != nil {
		return nil, err
	}
	for _, r := range got.ResourceTemplates {
		all = append(all, r.URITemplate.Raw())
	}
	return all, nil
}

func (c mcpGo) read(ctx context.Context, uri string) (string, error) {
	var request mcp.ReadResourceRequest
	request.Params.URI = uri
	got, err := c.ReadResource(ctx, request)
	if err != nil || len(got.Contents) == 0 {
		return "", err
	}
	text, _ := got.Contents[0].(mcp.TextResourceContents)
	return text.Text, nil
}

func (c mcpGo) prompts(ctx context.Context) (names []string, err error) {
	got, err := c.ListPrompts(ctx, mcp.ListPromptsRequest{})
	if err != nil {
		return nil, err
	}
	for _, p := range got.Prompts {
		names = append(names, p.Name)
	}
	return names, nil
}

func (c mcpGo) prompt(ctx context.Context, name string, arguments map[string]string) (string, error) {
	var request mcp.GetPromptRequest
	request.Params.Name, request.Params.Arguments = name, arguments
	got, err := c.GetPrompt(ctx, request)
	if err != nil || len(got.Messages) == 0 {
		return "", err
	}
	text, _ := got.Messages[0].Content.(mcp.TextContent)
	return text.Text, nil
}

func (c mcpGo) complete(ctx context.Context, of completed) ([]string, error) {
	var request mcp.CompleteRequest
	request.Params.Ref = mcp.PromptReference{Type: "ref/prompt", Name: of.prompt}
	if of.template != "" {
		request.Params.Ref = mcp.ResourceReference{Type: "ref/resource", URI: of.template}
	}
	request.Params.Argument = mcp.CompleteArgument{Name: of.argument, Value: of.value}
	got, err := c.Complete(ctx, request)
	if err != nil {
		return nil, err
	}
	return got.Completion.Values, nil
}

func (c mcpGo) tools(ctx context.Context) (names []string, err error) {
	got, err := c.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return nil, err
	}
	for _, tool := range got.Tools {
		names = append(names, tool.Name)
	}
	return names, nil
}

func (c mcpGo) call(ctx context.Context, name string, arguments map[string]any) (string, error) {
	var request mcp.CallToolRequest
	request.Params.Name, request.Params.Meta = name, &mcp.Meta{ProgressToken: name}
	if arguments != nil {
		request.Params.Arguments = arguments
	}
	got, err := c.CallTool(ctx, request)
	if err != nil || len(got.Content) == 0 {
		return "", err
	}
	text, _ := got.Content[0].(mcp.TextContent)
	return text.Text, nil
}

// subscribe returns when the subscription stands.
func (c mcpGo) subscribe(ctx context.Context, uri string) error {
	if !mcp.IsModernProtocol(c.ProtocolVersion()) {
		var request mcp.SubscribeRequest
		request.Params.URI = uri
		return c.Subscribe(ctx, request)
	}
	acknowledged := make(chan bool, 1)
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		if n.Method == "notifications/subscriptions/acknowledged" {
			acknowledged <- true
		}
	})
	_, err := c.ListenAsync(ctx, mcp.SubscriptionFilter{ResourceSubscriptions: []string{uri}}, func(err error) {
		if ctx.Err() == nil && !c.closed.Load() { // a listen ends with the tour, or with close
			c.t.Error(err)
		}
	})
	if err != nil {
		return err
	}
	select {
	case <-acknowledged:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
