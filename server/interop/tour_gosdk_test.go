//lint:file-ignore SA1019 what 2026-07-28 deprecates has to work for clients of the older revisions all the same

package interop

import (
	"context"
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The whole offer of a page, by go-sdk's client in both eras. R-014 R-079 R-096 R-119
// R-154 R-294 R-352 R-354 R-355.
func TestTourGoSDK(t *testing.T) {
	for _, version := range []string{"2026-07-28", "2025-11-25", "2025-06-18"} {
		t.Run(version, func(t *testing.T) {
			f := startFixture(t)
			h := newHeard()
			ctx, cancel := context.WithTimeout(t.Context(), testTime)
			defer cancel()
			c := newGoSDK(h)
			transport := &mcp.StreamableClientTransport{Endpoint: f.MCP + "/conformance", HTTPClient: &http.Client{Transport: bearer{f.Token}}}
			session, err := c.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			if got := session.InitializeResult().ProtocolVersion; got != version {
				t.Errorf("it speaks %s", got)
			}
			tour(t, f, goSDK{session}, h)
		})
	}
}

func newGoSDK(h heard) *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: "go-sdk", Version: "1.8.0"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { h.updates <- r.Params.URI },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			h.progress <- r.Params.Progress
		},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"username": touristName, "email": "ann@example.com"}}, nil
		},
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: "assistant", Model: "none", Content: &mcp.TextContent{Text: touristSays}}, nil
		},
	})
}

type goSDK struct{ session *mcp.ClientSession }

func (c goSDK) close()        { c.session.Close() }
func (c goSDK) cancels() bool { return true }

func (c goSDK) resources(ctx context.Context) (uris []string, err error) {
	for r, err := range c.session.Resources(ctx, nil) {
		if err != nil {
			return nil, err
		}
		uris = append(uris, r.URI)
	}
	return uris, nil
}

func (c goSDK) templates(ctx context.Context) (all []string, err error) {
	for r, err := range c.session.ResourceTemplates(ctx, nil) {
		if err != nil {
			return nil, err
		}
		all = append(all, r.URITemplate)
	}
	return all, nil
}

func (c goSDK) read(ctx context.Context, uri string) (string, error) {
	got, err := c.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	if err != nil || len(got.Contents) == 0 {
		return "", err
	}
	return got.Contents[0].Text, nil
}

func (c goSDK) prompts(ctx context.Context) (names []string, err error) {
	for p, err := range c.session.Prompts(ctx, nil) {
		if err != nil {
			return nil, err
		}
		names = append(names, p.Name)
	}
	return names, nil
}

func (c goSDK) prompt(ctx context.Context, name string, arguments map[string]string) (string, error) {
	got, err := c.session.GetPrompt(ctx, &mcp.GetPromptParams{Name: name, Arguments: arguments})
	if err != nil || len(got.Messages) == 0 {
		return "", err
	}
	return textOfSDK(got.Messages[0].Content), nil
}

func textOfSDK(content mcp.Content) string {
	if text, ok := content.(*mcp.TextContent); ok {
		return text.Text
	}
	return ""
}

func (c goSDK) complete(ctx context.Context, of completed) ([]string, error) {
	ref := &mcp.CompleteReference{Type: "ref/prompt", Name: of.prompt}
	if of.template != "" {
		ref = &mcp.CompleteReference{Type: "ref/resource", URI: of.template}
	}
	got, err := c.session.Complete(ctx, &mcp.CompleteParams{Ref: ref, Argument: mcp.CompleteParamsArgument{Name: of.argument, Value: of.value}})
	if err != nil {
		return nil, err
	}
	return got.Completion.Values, nil
}

func (c goSDK) tools(ctx context.Context) (names []string, err error) {
	for tool, err := range c.session.Tools(ctx, nil) {
		if err != nil {
			return nil, err
		}
		names = append(names, tool.Name)
	}
	return names, nil
}

func (c goSDK) call(ctx context.Context, name string, arguments map[string]any) (string, error) {
	params := &mcp.CallToolParams{Name: name}
	if arguments != nil {
		params.Arguments = arguments
	}
	params.SetProgressToken(name)
	got, err := c.session.CallTool(ctx, params)
	if err != nil || len(got.Content) == 0 {
		return "", err
	}
	return textOfSDK(got.Content[0]), nil
}

func (c goSDK) subscribe(ctx context.Context, uri string) error {
	return c.session.Subscribe(ctx, &mcp.SubscribeParams{URI: uri})
}
