package engine

import (
	"context"
	"errors"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Input that a source needs of the client before it can answer. A modern client gets
// the requests as the result of its request, input_required, and sends another one with the
// answers (held.go); a classic one gets requests of the engine's (classic_input.go).
// MCP 2026-07-28, basic/patterns/mrtr.

// maxRounds is how often another engine may request input for one request of a classic client.
const maxRounds = 16

// Ask requests input of the client, and waits for the answers: requests is a JSON object of
// elicitation/create, sampling/createMessage and roots/list, each {"method": …, "params": …} under a
// key of its own; the answers are a JSON object by the same keys, as the client sent them: the
// source checks them, and asks again for what is missing. It takes until the user has answered, at
// most 10 minutes. Prompts and tools may ask; one question at a time.
func (i *Invocation) Ask(ctx context.Context, requests []byte) (answers []byte, err error) {
	if requests, err = i.clean(requests); err != nil {
		return nil, err
	}
	at, d := i.now(), i.Detached()
	switch {
	case d != nil:
		answers, err = d.Ask(ctx, requests)
	case i.held != nil:
		answers, err = i.held.wait(ctx, requests)
	case at.client != nil && i.rev != modern:
		answers, err = at.client.requestInput(ctx, at, i.rev, requests)
	default:
		err = errors.New("there is no client that could be asked")
	}
	return answers, err
}

// inputRequired is the error of a source that passes a request on to another engine, which needs
// input.
type inputRequired struct {
	requests []byte // JSON object: key to {method, params}; nil: none
	state    string // requestState; "": none
}

func (*inputRequired) Error() string { return "needs something of the client first" }

// Round returns inputResponses, a JSON object, and requestState, a JSON string, as they came
// with this round: for a source that passes the request on to another engine. Either may be
// nil.
func (i *Invocation) Round() (inputs, state []byte) {
	at := i.now()
	return at.inputs, at.state
}

// ForwardNeed returns the error by which a source that passes the request on requests input of the
// client: requests and state, a requestState, are another engine's. The source is called again with
// the answers. A policy is applied to requests; it may be nil.
func (i *Invocation) ForwardNeed(requests []byte, state string, policy *InputPolicy) error {
	if requests != nil && policy != nil {
		var err error
		if requests, err = cleanInput(requests, *policy); err != nil {
			return err
		}
	}
	return &inputRequired{requests: requests, state: state}
}

// resolveInput calls a source until it answers, and requests the input that another engine needs in
// between, of a classic client.
func (e *Engine) resolveInput(ctx context.Context, req *Request, ask func(context.Context) (sink.Result, error)) (sink.Result, error) {
	ctx, i := e.invocation(ctx, req)
	return e.resolve(ctx, i, req, ask)
}

func (e *Engine) resolve(ctx context.Context, i *Invocation, req *Request, ask func(context.Context) (sink.Result, error)) (sink.Result, error) {
	for round := range maxRounds {
		result, err := ask(ctx)
		var need *inputRequired
		if err != nil && round > 0 {
			err = begunError{err} // in the first round
		}
		if err == nil || !errors.As(err, &need) {
			return result, err
		}
		requests, err := i.clean(need.requests)
		if err != nil {
			return sink.Result{}, err
		}
		if req.rev == modern {
			return sink.Result{Document: e.inputRequiredResult(requests, need.state)}, nil
		}
		answers, err := req.client.requestInput(ctx, i.now(), i.rev, requests)
		if err != nil {
			return sink.Result{}, err
		}
		i.answered(answers, need.state)
	}
	return sink.Result{}, errTooOften
}

var errTooOften = errors.New("a source asked the client too often")

// answered begins a further round, with what the client answered in the last one.
func (i *Invocation) answered(inputs []byte, state string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.at.inputs, i.at.state = inputs, nil
	if state != "" {
		i.at.state = jsonrpc.AppendString(nil, state)
	}
}

func (e *Engine) inputRequiredResult(requests []byte, state string) *sink.Document {
	doc := emit.JSON(`{"resultType":"input_required",` + string(e.fixed.Load().meta))
	if requests != nil {
		doc.Member("inputRequests", requests)
	}
	if state != "" {
		doc.Name("requestState")
		doc.Quote(state)
	}
	doc.Text("}")
	return &sink.Document{JSON: doc}
}

// clean returns requests for input, a JSON object or nil, as the client may get them; an error if it cannot answer.
func (i *Invocation) clean(requests []byte) ([]byte, error) {
	if err := i.canAnswer(requests); err != nil || requests == nil {
		return nil, err
	}
	return cleanInput(requests, InputPolicy{})
}

// canAnswer returns an error unless the client declares the capabilities that requests
// need; requests is a JSON object, or nil.
func (i *Invocation) canAnswer(requests []byte) error {
	lacks := emit.JSON("{")
	s := jsonrpc.Scan(requests)
	for requests != nil && s.Next() {
		params := jsonrpc.Member(s.Value, "params")
		var capability, mode string
		switch method, _ := jsonrpc.Text(jsonrpc.Member(s.Value, "method")); method {
		case MethodElicit:
			capability, mode = "elicitation", "form"
			if other, ok := jsonrpc.Text(jsonrpc.Member(params, "mode")); ok {
				mode = other
			}
		case MethodSample:
			capability = "sampling"
			if jsonrpc.Member(params, "tools") != nil {
				mode = "tools"
			}
		case MethodListRoots:
			capability = "roots"
		default:
			return errors.New("a source asked the client for " + jsonrpc.Brief(method))
		}
		if i.declares(capability, mode) || jsonrpc.Member(append(lacks[:len(lacks):len(lacks)], '}'), capability) != nil {
			continue
		}
		lacks.Name(capability)
		if mode == "" || mode == "form" {
			lacks.Text("{}")
		} else {
			lacks.Text(`{"` + mode + `":{}}`)
		}
	}
	if len(lacks) == 1 {
		return nil
	}
	data := []byte(`{"requiredCapabilities":` + string(lacks) + "}}")
	return &jsonrpc.Error{Code: codeMissingCapability, Message: "The client lacks a capability that is required", Data: data}
}

// declares reports whether the client has a capability, and a mode of it. The first
// two revisions have no elicitation; where no mode is named, forms are meant.
func (i *Invocation) declares(capability, mode string) bool {
	declared := jsonrpc.Member(i.capabilities, capability)
	switch {
	case declared == nil, capability == "elicitation" && !i.rev.hasElicitation():
		return false
	case mode == "":
		return true
	case mode == "form" && jsonrpc.Member(declared, "url") == nil:
		return true
	}
	return jsonrpc.Member(declared, mode) != nil
}
