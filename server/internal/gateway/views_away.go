package gateway

import (
	"context"
	"strings"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/remote"
)

// Calls of tools, prompts and completions of a page that is not known wait as reads do. One
// that is not on its way from one node to another has no such tool: the error that a client
// gets for a name that it has made up.

// awaitCalled returns the Remote of a page that a name begins with, and the name that the page
// has for it.
func (a awayPages) awaitCalled(ctx context.Context, full, separator string) (r *remote.Remote, own string, err error) {
	name, own, ok := strings.Cut(full, separator)
	if !ok || !access.ValidName(name) {
		return nil, "", engine.ErrNotFound
	}
	r, err = a.views.awaitOrAway(ctx, name)
	return r, own, err
}

// awaitOrAway is await, and says whether it is worth trying again.
func (v *views) awaitOrAway(ctx context.Context, name string) (*remote.Remote, error) {
	links := v.gateway.Options.Links
	mayCome := links != nil && links.peers().Unsettled()
	switch r := v.await(ctx, name); {
	case r != nil:
		return r, nil
	case mayCome:
		return nil, engine.NotSent(engine.ErrAway)
	}
	return nil, engine.ErrNotFound
}

// Tools implements engine.Tooler: there are none.
func (a awayPages) Tools(context.Context) ([]engine.Tool, error) { return nil, nil }

// CallTool implements engine.Tooler.
func (a awayPages) CallTool(ctx context.Context, name string, arguments []byte) ([]byte, error) {
	r, own, err := a.awaitCalled(ctx, name, ".")
	if err != nil {
		return nil, err
	}
	return r.CallTool(ctx, own, arguments)
}

// Prompts implements engine.Prompter: there are none.
func (a awayPages) Prompts(context.Context) ([]engine.Prompt, error) { return nil, nil }

// GetPrompt implements engine.Prompter.
func (a awayPages) GetPrompt(ctx context.Context, name string, arguments []byte) ([]byte, error) {
	r, own, err := a.awaitCalled(ctx, name, ".")
	if err != nil {
		return nil, err
	}
	return r.GetPrompt(ctx, own, arguments)
}

// Complete implements engine.Completer.
func (a awayPages) Complete(ctx context.Context, c engine.CompletionRequest) (engine.Completion, error) {
	full, separator := c.URI, "+"
	if c.Prompt != "" {
		full, separator = c.Prompt, "."
	}
	r, own, err := a.awaitCalled(ctx, full, separator)
	if err != nil {
		return engine.Completion{}, err
	}
	if c.Prompt != "" {
		c.Prompt = own
	} else {
		c.URI = own
	}
	return r.Complete(ctx, c)
}

// Tools implements engine.Tooler: there are none.
func (a awayPage) Tools(context.Context) ([]engine.Tool, error) { return nil, nil }

// CallTool implements engine.Tooler.
func (a awayPage) CallTool(ctx context.Context, name string, arguments []byte) ([]byte, error) {
	r, err := a.views.awaitOrAway(ctx, a.name)
	if err != nil {
		return nil, err
	}
	return r.CallTool(ctx, name, arguments)
}

// Prompts implements engine.Prompter: there are none.
func (a awayPage) Prompts(context.Context) ([]engine.Prompt, error) { return nil, nil }

// GetPrompt implements engine.Prompter.
func (a awayPage) GetPrompt(ctx context.Context, name string, arguments []byte) ([]byte, error) {
	r, err := a.views.awaitOrAway(ctx, a.name)
	if err != nil {
		return nil, err
	}
	return r.GetPrompt(ctx, name, arguments)
}

// Complete implements engine.Completer.
func (a awayPage) Complete(ctx context.Context, c engine.CompletionRequest) (engine.Completion, error) {
	r, err := a.views.awaitOrAway(ctx, a.name)
	if err != nil {
		return engine.Completion{}, err
	}
	return r.Complete(ctx, c)
}
