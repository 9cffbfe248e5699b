package engine

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"time"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Input that a source needs of the client before it can answer. A modern client gets
// the requests as its result, input_required, and sends the request again with the
// answers; a classic one gets requests of the engine's (classic_input.go). The engine
// keeps nothing meanwhile: the state is in requestState.
// MCP 2026-07-28, basic/patterns/mrtr.

// inputRequired is the error of a source that needs input.
type inputRequired struct {
	requests []byte // JSON object: key to {method, params}; nil: none
	state    string // requestState; "": none
	wrong    error  // Need was called with wrong arguments
}

func (*inputRequired) Error() string { return "needs something of the client first" }

const (
	stateLasts = 10 * time.Minute // validity of requestState
	maxRounds  = 16               // of input for one request of a classic client
)

// Need returns the error by which a source asks the client for input: requests is a
// JSON object of elicitation/create, sampling/createMessage and roots/list, each
// {"method": …, "params": …} under a key of its own; state, any JSON value, comes
// back with the answers. Either may be nil. The source is then called again, and
// finds both in [Invocation.Answers].
func (i *Invocation) Need(requests, state []byte) error {
	known, _, err := i.Answers()
	if err != nil {
		return err
	}
	need := &inputRequired{requests: requests}
	if requests == nil && state == nil {
		need.wrong = errors.New("a source asked the client for nothing")
	}
	isPermitted := i.permitted().reason != ""
	if i.client != nil && (known != nil || state != nil || isPermitted) { // without a client the source is not called again
		kept := emit.JSON("{")
		if known != nil {
			kept.Member("inputs", known)
		}
		if state != nil {
			kept.Member("state", state)
		}
		kept.Text("}")
		need.state = i.seal(kept)
	}
	return need
}

// Answers returns what the client has answered so far, in all rounds: a JSON
// object by the keys of [Invocation.Need], or nil; and the state of that
// call, or nil. The answers are as the client sent them: the source checks them, and calls
// Need again for what is missing. It fails when requestState was changed, is too old,
// or belongs to another request or principal.
func (i *Invocation) Answers() (inputs, state []byte, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	inputs = i.inputs
	if i.state == nil {
		return inputs, nil, nil
	}
	kept, ok := i.unseal(i.state)
	if !ok {
		return nil, nil, BadParams("requestState is not valid for this request")
	}
	return merged(jsonrpc.Member(kept, "inputs"), inputs), jsonrpc.Member(kept, "state"), nil
}

// Round returns inputResponses, a JSON object, and requestState, a JSON string, as they came
// with this round: for a source that passes the request on to another engine. Either may be
// nil.
func (i *Invocation) Round() (inputs, state []byte) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.inputs, i.state
}

// ForwardNeed is [Invocation.Need] for a source that passes the request on: requests and state,
// a requestState, are another engine's. A policy is applied to requests; it may be nil.
func (i *Invocation) ForwardNeed(requests []byte, state string, policy *InputPolicy) error {
	if requests != nil && policy != nil {
		var err error
		if requests, err = cleanInput(requests, *policy); err != nil {
			return err
		}
	}
	return &inputRequired{requests: requests, state: state}
}

// merged returns the members of both objects; newer ones win. Either may be nil.
func merged(older, newer []byte) []byte {
	if older == nil || newer == nil {
		return append(older[:len(older):len(older)], newer...)
	}
	all := emit.JSON("{")
	all.Members(older, func(name string) bool { return jsonrpc.Member(newer, name) == nil })
	all.Members(newer, nil)
	all.Text("}")
	return all
}

// seal makes requestState of text: base64url of a tag, when it expires, and text.
// The tag, SipHash-2-4 under a key of the engine's own, also covers
// principal and request. The client can read it, but neither make nor change it.
func (i *Invocation) seal(text []byte) string {
	expires := time.Now().Add(stateLasts).Unix()
	raw := binary.BigEndian.AppendUint64(make([]byte, 8, 16+len(text)), uint64(expires))
	raw = append(raw, text...)
	binary.BigEndian.PutUint64(raw, i.tag(0, raw[8:]))
	return base64.RawURLEncoding.EncodeToString(raw)
}

// unseal returns the text in a JSON string that seal made.
func (i *Invocation) unseal(value []byte) ([]byte, bool) {
	sealed, ok := jsonrpc.Text(value)
	raw, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if !ok || err != nil || i.client == nil || len(raw) < 16 || !i.hasSigned(raw) {
		return nil, false
	}
	expires := int64(binary.BigEndian.Uint64(raw[8:]))
	return raw[16:], time.Now().Unix() <= expires
}

// hasSigned reports whether the tag before sealed state is that of one of the keys.
func (i *Invocation) hasSigned(raw []byte) bool {
	for key := range i.client.engine.stateKeys {
		if binary.BigEndian.Uint64(raw) == i.tag(key, raw[8:]) {
			return true
		}
	}
	return false
}

// tag returns the tag by one of Engine.stateKeys.
func (i *Invocation) tag(key int, sealed []byte) uint64 {
	secret := i.client.engine.stateKeys[key]
	all := binary.AppendUvarint(nil, uint64(len(i.who)))
	all = binary.BigEndian.AppendUint64(append(all, i.who...), sipHash(secret, i.what))
	return sipHash(secret, append(all, sealed...))
}

// resolveInput calls a source until it answers, and requests the input that it needs in
// between, of a classic client.
func (e *Engine) resolveInput(ctx context.Context, req *request, ask func(context.Context) (sink.Result, error)) (sink.Result, error) {
	ctx, i := e.invocation(ctx, req)
	for round := range maxRounds {
		result, err := ask(ctx)
		var need *inputRequired
		if err != nil && round > 0 {
			err = begunError{err} // in the first round
		}
		if err == nil || !errors.As(err, &need) {
			return result, err
		}
		if need.wrong != nil {
			return sink.Result{}, need.wrong
		}
		if err := i.canAnswer(need.requests); err != nil {
			return sink.Result{}, err
		}
		requests := need.requests
		if requests != nil {
			if requests, err = cleanInput(requests, InputPolicy{}); err != nil {
				return sink.Result{}, err
			}
		}
		if req.rev == modern {
			i.keepPermit(need.state)
			return sink.Result{Document: e.inputRequiredResult(requests, need.state)}, nil
		}
		answers, err := req.client.requestInput(ctx, i, requests)
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
	i.inputs, i.state = inputs, nil
	if state != "" {
		i.state = jsonrpc.AppendString(nil, state)
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
