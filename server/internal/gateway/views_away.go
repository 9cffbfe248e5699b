package gateway

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/remote"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Calls of tools, prompts and completions of a page that is not known wait as reads do. One
// that is not on its way from one node to another has no such tool: the error that a client
// gets for a name that it has made up.

// A calledPage is a page that is called before it is known, and the name of what is called.
type calledPage struct {
	views  *views
	page   string
	prefix string // of names where the client calls: "notes__", or "" at /mcp/notes
	own    string // the name, without prefix
}

// called splits a name at /mcp.
func (a awayPages) called(full string) (calledPage, error) {
	page, own, ok := access.CutName(full)
	if !ok || !access.ValidName(page) {
		return calledPage{}, engine.ErrNotFound
	}
	return calledPage{a.views, page, page + "__", own}, nil
}

// do waits for the page and calls it, by the name that it has for what the client calls.
func (c calledPage) do(ctx context.Context, k engine.Kind, call func(*remote.Remote, string) error) error {
	r, err := c.views.awaitOrAway(ctx, c.page)
	if err != nil {
		return err
	}
	var wire *jsonrpc.Error
	if err = call(r, c.own); !errors.Is(err, engine.ErrNotFound) && !(errors.As(err, &wire) && wire.Code == jsonrpc.CodeInvalidParams) {
		return err
	}
	listing, failed := r.List(ctx, k, "")
	if failed != nil {
		return failed
	}
	names := make([]string, len(listing.Items))
	for i, item := range listing.Items {
		names[i] = c.prefix + item.Key
	}
	if at := slices.Index(fitter.Names(names), c.prefix+c.own); at >= 0 && listing.Items[at].Key != c.own {
		return call(r, listing.Items[at].Key)
	}
	return err
}

func (c calledPage) callTool(ctx context.Context, arguments []byte) (result []byte, err error) {
	err = c.do(ctx, engine.Tools, func(r *remote.Remote, own string) (err error) {
		result, err = r.CallTool(ctx, own, arguments)
		return err
	})
	return result, err
}

func (c calledPage) getPrompt(ctx context.Context, arguments []byte) (result []byte, err error) {
	err = c.do(ctx, engine.Prompts, func(r *remote.Remote, own string) (err error) {
		result, err = r.GetPrompt(ctx, own, arguments)
		return err
	})
	return result, err
}

func (c calledPage) complete(ctx context.Context, asked engine.CompletionRequest) (found engine.Completion, err error) {
	if asked.Prompt == "" {
		r, err := c.views.awaitOrAway(ctx, c.page)
		if err != nil {
			return found, err
		}
		return r.Complete(ctx, asked)
	}
	err = c.do(ctx, engine.Prompts, func(r *remote.Remote, own string) (err error) {
		asked.Prompt = own
		found, err = r.Complete(ctx, asked)
		return err
	})
	return found, err
}

// awaitOrAway is await, and says whether it is worth trying again.
func (v *views) awaitOrAway(ctx context.Context, name string) (*remote.Remote, error) {
	mayCome := v.gateway.isUnsettled()
	switch r := v.await(ctx, name); {
	case r != nil:
		return r, nil
	case mayCome:
		return nil, engine.NotSent(engine.ErrAway)
	}
	return nil, engine.ErrNotFound
}

// CallTool implements engine.Tooler.
func (a awayPages) CallTool(ctx context.Context, name string, arguments []byte) ([]byte, error) {
	c, err := a.called(name)
	if err != nil {
		return nil, err
	}
	return c.callTool(ctx, arguments)
}

// GetPrompt implements engine.Prompter.
func (a awayPages) GetPrompt(ctx context.Context, name string, arguments []byte) ([]byte, error) {
	c, err := a.called(name)
	if err != nil {
		return nil, err
	}
	return c.getPrompt(ctx, arguments)
}

// Complete implements engine.Completer.
func (a awayPages) Complete(ctx context.Context, asked engine.CompletionRequest) (engine.Completion, error) {
	if asked.Prompt != "" {
		c, err := a.called(asked.Prompt)
		if err != nil {
			return engine.Completion{}, err
		}
		return c.complete(ctx, asked)
	}
	page, own, ok := strings.Cut(asked.URI, "+")
	if !ok || !access.ValidName(page) {
		return engine.Completion{}, engine.ErrNotFound
	}
	asked.URI = own
	return calledPage{views: a.views, page: page}.complete(ctx, asked)
}

// CallTool implements engine.Tooler.
func (a awayPage) CallTool(ctx context.Context, name string, arguments []byte) ([]byte, error) {
	return calledPage{a.views, a.name, "", name}.callTool(ctx, arguments)
}

// GetPrompt implements engine.Prompter.
func (a awayPage) GetPrompt(ctx context.Context, name string, arguments []byte) ([]byte, error) {
	return calledPage{a.views, a.name, "", name}.getPrompt(ctx, arguments)
}

// Complete implements engine.Completer.
func (a awayPage) Complete(ctx context.Context, asked engine.CompletionRequest) (engine.Completion, error) {
	return calledPage{a.views, a.name, "", asked.Prompt}.complete(ctx, asked)
}
