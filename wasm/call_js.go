package main

import (
	"context"
	"slices"
	"strconv"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

//lint:file-ignore U1000 JavaScript calls the exports; staticcheck does not know //go:wasmexport

// Prompts, tools and completions are JavaScript's: Go asks with JSON text, which
// web/src/call.ts reads, and passes on the JSON text that it gets.

// What JavaScript can say while a question waits.
const (
	sayProgress int32 = iota + 1
	sayLog
)

// said says something to the client on whose behalf a question waits: the first n
// bytes of input are the params, a JSON object. Of questions that were given up
// nothing is said.
//
//go:wasmexport said
func said(number, what, n int32) (result int32) {
	defer survive("said", &result)
	if q := asked[number]; q != nil {
		if what == sayProgress {
			q.of.Progress(input[:n])
		} else {
			q.of.Log(input[:n])
		}
	}
	return done
}

// registered asks for what the web app registered by itself.
var registered = &jsSource{}

// caller returns what asks for the prompt or tool of a number.
func caller(what int32, ref sink.Ref) func(context.Context, []byte) ([]byte, error) {
	return func(ctx context.Context, arguments []byte) ([]byte, error) {
		return registered.call(ctx, what, numbered(ref), arguments)
	}
}

// extend asks for a method of an extension.
func extend(ctx context.Context, method string, params []byte) ([]byte, error) {
	return registered.call(ctx, askExtend, quoted(`{"name":`, method), params)
}

// completer returns what completes the arguments of that prompt or template; nil:
// none has completions.
func completer(ref sink.Ref, names []string) func(context.Context, engine.CompletionRequest) (engine.Completion, error) {
	if names == nil {
		return nil
	}
	return func(ctx context.Context, c engine.CompletionRequest) (engine.Completion, error) {
		if !slices.Contains(names, c.Argument) {
			return engine.Completion{}, nil
		}
		return registered.complete(ctx, numbered(ref), c)
	}
}

// numbered begins the text of a question for what was registered.
func numbered(ref sink.Ref) string { return `{"ref":` + strconv.Itoa(int(ref)) }

// quoted is a member whose value is a string. Questions are put together by +: a
// chain of appends makes several times as much code.
//
//go:noinline
func quoted(member, value string) string {
	return member + string(jsonrpc.AppendString(nil, value))
}

// raw is a member whose value is JSON text; "" if there is none.
//
//go:noinline
func raw(member string, value []byte) string {
	if value == nil {
		return ""
	}
	return member + string(value)
}

// call asks for a prompt or tool. text begins the question.
func (s *jsSource) call(ctx context.Context, what int32, text string, arguments []byte) ([]byte, error) {
	i := engine.InvocationOf(ctx)
	inputs, state, err := i.Answers()
	if err != nil {
		return nil, err
	}
	modern := ""
	if i.Modern() {
		modern = `,"modern":true`
	}
	a, err := s.put(ctx, what, text+raw(`,"arguments":`, arguments)+
		quoted(`,"request":{"principal":`, string(engine.PrincipalOf(ctx)))+raw(`,"capabilities":`, i.Capabilities())+
		raw(`,"meta":`, i.Meta())+raw(`,"inputs":`, inputs)+raw(`,"state":`, state)+
		quoted(`,"logLevel":`, i.LogLevel())+modern+"}}")
	if err != nil || a.reason == reasonNone {
		return a.text, err
	}
	if a.reason == reasonNeedsInput {
		return nil, i.Need(jsonrpc.Member(a.text, "requests"), jsonrpc.Member(a.text, "state"))
	}
	return nil, a.failure()
}

// failure is the error for a reason that is not none.
func (a answer) failure() error {
	if a.reason == reasonInvalidParams {
		return engine.BadParams(string(a.text))
	}
	return reasonError(a.reason)
}

// complete asks for values. text begins the question.
func (s *jsSource) complete(ctx context.Context, text string, c engine.CompletionRequest) (found engine.Completion, err error) {
	a, err := s.put(ctx, askComplete, text+quoted(`,"argument":`, c.Argument)+quoted(`,"value":`, c.Value)+
		raw(`,"arguments":`, c.Arguments)+"}")
	if err == nil && a.reason != reasonNone {
		err = a.failure()
	}
	if err != nil {
		return found, err
	}
	total, _ := jsonrpc.Int(jsonrpc.Member(a.text, "total"))
	found.Values = readTexts(jsonrpc.Member(a.text, "values"))
	found.Total = int(total)
	found.HasMore = string(jsonrpc.Member(a.text, "hasMore")) == "true"
	return found, nil
}

// Prompts implements [engine.Prompter].
func (s *jsSource) Prompts(ctx context.Context) ([]engine.Prompt, error) {
	return s.list(ctx, hasPrompts, askPrompts, "prompts", engine.ParsePrompt)
}

// Tools implements [engine.Tooler].
func (s *jsSource) Tools(ctx context.Context) ([]engine.Tool, error) {
	return s.list(ctx, hasTools, askTools, "tools", engine.ParseTool)
}

func (s *jsSource) list(ctx context.Context, able, what int32, name string, parse func([]byte) (engine.Named, error)) (all []engine.Named, err error) {
	if s.able&able == 0 {
		return nil, nil
	}
	text, err := s.ask(ctx, what, "")
	if err != nil {
		return nil, err
	}
	err = eachElement(text, name, func(element []byte) error {
		one, err := parse(element)
		all = append(all, one)
		return err
	})
	return all, err
}

// GetPrompt implements [engine.Prompter].
func (s *jsSource) GetPrompt(ctx context.Context, name string, arguments []byte) ([]byte, error) {
	return s.callNamed(ctx, hasPrompts, askGetPrompt, name, arguments)
}

// CallTool implements [engine.Tooler].
func (s *jsSource) CallTool(ctx context.Context, name string, arguments []byte) ([]byte, error) {
	return s.callNamed(ctx, hasTools, askCallTool, name, arguments)
}

func (s *jsSource) callNamed(ctx context.Context, able, what int32, name string, arguments []byte) ([]byte, error) {
	if s.able&able == 0 {
		return nil, engine.ErrNotFound
	}
	return s.call(ctx, what, quoted(`{"name":`, name), arguments)
}

// Complete implements [engine.Completer].
func (s *jsSource) Complete(ctx context.Context, c engine.CompletionRequest) (engine.Completion, error) {
	if s.able&hasComplete == 0 {
		return engine.Completion{}, engine.ErrNotFound
	}
	text := quoted(`{"uri":`, c.URI)
	if c.Prompt != "" {
		text = quoted(`{"prompt":`, c.Prompt)
	}
	return s.complete(ctx, text, c)
}
