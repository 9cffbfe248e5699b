package main

import (
	"bytes"
	"context"
	"slices"
	"strconv"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

//lint:file-ignore U1000 JavaScript calls the exports; staticcheck does not know //go:wasmexport

// Prompts, tools and completions are handled in JavaScript: Go calls with JSON text, which
// web/src/answer-call.ts reads, and passes on the JSON text of the answer.

// Kinds of updates that JavaScript sends while a call waits.
const (
	updateProgress int32 = iota + 1
	updateLog
	updateInput
)

// updateCall sends progress or a log message to the client on whose behalf a call waits, or
// asks that client: the first n bytes of input are the params, a JSON object.
// Updates of calls that have ended are ignored.
//
//go:wasmexport updateCall
func updateCall(number, what, n int32) (result int32) {
	defer recovered("updateCall", &result)
	if q := sourceCalls[number]; q != nil {
		switch what {
		case updateProgress:
			q.of.Progress(input[:n])
		case updateLog:
			q.of.Log(input[:n])
		default:
			go q.ask(bytes.Clone(input[:n])) // ends with the reply, or the call
		}
	}
	return done
}

// ask requests the input that a handler waits for: text is a JSON object of id and value. The reply is
// a question to JavaScript.
func (q *sourceCall) ask(text []byte) {
	var failed int32
	defer recovered("ask", &failed) // no export waits for it
	answers, err := q.of.Ask(q.ctx, jsonrpc.Member(text, "value"))
	reply := `{"id":` + string(jsonrpc.Member(text, "id")) + raw(`,"answers":`, answers)
	if err != nil {
		q.refused = err
		reply += quoted(`,"error":`, err.Error())
	}
	registered.exchange(q.ctx, opReply, reply+"}") // nothing is left to do if the call has ended
}

// registered calls what the web app registered by itself.
var registered = &jsSource{}

// caller returns the function that calls the prompt or tool of a number.
func caller(what int32, ref sink.Ref) func(context.Context, []byte) ([]byte, error) {
	return func(ctx context.Context, arguments []byte) ([]byte, error) {
		return registered.call(ctx, what, numbered(ref), arguments)
	}
}

// completer returns the function that completes the arguments of that prompt or
// template; nil: none has completions.
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

// numbered begins the text of a call of what was registered.
func numbered(ref sink.Ref) string { return `{"ref":` + strconv.Itoa(int(ref)) }

// quoted is a member whose value is a string. Texts of calls are joined by +: a chain
// of appends makes several times as much code.
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

// call calls a prompt or tool. text begins the text of the call.
func (s *jsSource) call(ctx context.Context, what int32, text string, arguments []byte) ([]byte, error) {
	i := engine.InvocationOf(ctx)
	modern := ""
	if i.Modern() {
		modern = `,"modern":true`
	}
	var prepared []byte
	if d := i.Detached(); d != nil {
		modern += `,"task":true`
		prepared = d.Prepared
	}
	a, err := s.exchange(ctx, what, text+raw(`,"arguments":`, arguments)+
		quoted(`,"request":{"principal":`, string(engine.PrincipalOf(ctx)))+raw(`,"capabilities":`, i.Capabilities())+
		raw(`,"meta":`, i.Meta())+raw(`,"prepared":`, prepared)+
		quoted(`,"logLevel":`, i.LogLevel())+modern+"}}")
	if err != nil || a.reason == reasonNone {
		return a.text, err
	}
	if a.refused != nil {
		return nil, a.refused
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

// complete requests values. text begins the text of the call.
func (s *jsSource) complete(ctx context.Context, text string, c engine.CompletionRequest) (found engine.Completion, err error) {
	a, err := s.exchange(ctx, opComplete, text+quoted(`,"argument":`, c.Argument)+quoted(`,"value":`, c.Value)+
		raw(`,"arguments":`, c.Arguments)+quoted(`,"client":`, clientOf(ctx))+"}")
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

// GetPrompt implements [engine.Prompter].
func (s *jsSource) GetPrompt(ctx context.Context, name string, arguments []byte) ([]byte, error) {
	return s.callNamed(ctx, hasPrompts, opGetPrompt, name, arguments)
}

// CallTool implements [engine.Tooler].
func (s *jsSource) CallTool(ctx context.Context, name string, arguments []byte) ([]byte, error) {
	return s.callNamed(ctx, hasTools, opCallTool, name, arguments)
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
