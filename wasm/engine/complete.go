package engine

import (
	"cmp"
	"context"
	"strconv"

	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"github.com/pagemcp/pagemcp/wasm/schema"
)

// A Completer is a Source that suggests values for the arguments of its prompts
// and the variables of its templates. MCP 2026-07-28, server/utilities/completion.
type Completer interface {
	// Complete suggests values, the most fitting first. If there is no such
	// prompt or template, the error wraps [ErrNotFound]; if it has no such
	// argument, it is made by [BadParams]. For an argument without suggestions
	// the Completion is empty.
	Complete(ctx context.Context, c CompletionRequest) (Completion, error)
}

// A CompletionRequest is a request for values of one argument. Either Prompt or URI is set.
type CompletionRequest struct {
	Prompt    string // the name of a prompt
	URI       string // a URI template, or a URI that one describes
	Argument  string // the name of the prompt's argument or the template's variable
	Value     string // the text typed so far
	Arguments []byte // values of other arguments: a JSON object of strings, or nil
}

// A Completion is what a source suggests.
type Completion struct {
	Values  []string // at most 100 are passed on
	Total   int      // how many there are; 0: not known
	HasMore bool
}

// complete answers completion/complete.
func (e *Engine) complete(ctx context.Context, req *Request) (sink.Result, error) {
	asked, err := req.completion()
	if err != nil {
		return sink.Result{}, err
	}
	// Before the policy: a denied request must cost as much as one for what does not exist.
	if !req.client.allowRate(&req.client.completions) {
		return sink.Result{}, ErrBusy
	}
	if asked.Prompt == "" && !e.options.Allow(req.who, VerbList, asked.URI) {
		return sink.Result{}, errDenied
	}
	ctx, _ = e.invocation(ctx, req)
	l := e.lookup(asked.URI)
	if asked.Prompt != "" {
		l = e.lookupName(asked.Prompt)
	}
	var failed error // as in readFrom
	for l.next() {
		source, ok := l.mount.source.(Completer)
		if !ok {
			continue
		}
		full, own := asked.URI, asked
		var found Completion
		var err error
		if asked.Prompt == "" {
			own.URI = l.own
			found, err = source.Complete(ctx, own)
		} else {
			found, err = e.completePrompt(ctx, req, l.mount, l.own, asked)
			full = "prompt:" + asked.Prompt
		}
		switch {
		case err == nil:
			return sink.Result{Document: e.completion(req.rev, found)}, nil
		case !tryNextSource(err):
			err = jsonrpc.Wrap("complete "+jsonrpc.Quoted(asked.Argument)+" of "+jsonrpc.Quoted(full), err)
			if endsSearch(ctx, err) {
				return sink.Result{}, err
			}
			failed = cmp.Or(failed, err)
		}
	}
	return sink.Result{}, cmp.Or(failed, ErrNotFound)
}

// completePrompt completes an argument of the prompt of a mount that clients call name.
func (e *Engine) completePrompt(ctx context.Context, req *Request, m *mount, name string, asked CompletionRequest) (found Completion, err error) {
	complete := func(own string) {
		if !e.options.Allow(req.who, VerbList, "prompt:"+m.names+own) {
			found, err = Completion{}, errDenied
			return
		}
		asked.Prompt = own
		found, err = m.source.(Completer).Complete(ctx, asked)
	}
	if complete(name); mayBeUnknown(err) {
		if own, unknown := e.meant(ctx, m, name, Prompts); unknown == nil {
			complete(own)
		}
	}
	return found, err
}

func (e *Engine) completion(rev revision, found Completion) *sink.Document {
	if len(found.Values) > schema.MaxValues {
		found.Total = max(found.Total, len(found.Values))
		found.Values, found.HasMore = found.Values[:schema.MaxValues], true
	}
	o := e.begin(rev, nil, 0)
	o.Name("completion")
	o.Text(`{"values":[`)
	for i, value := range found.Values {
		if i > 0 {
			o.Text(",")
		}
		o.Quote(value)
	}
	o.Text("]")
	if found.Total > 0 {
		o.Name("total")
		o.Text(strconv.Itoa(found.Total))
	}
	o.Name("hasMore")
	o.Text(strconv.FormatBool(found.HasMore))
	o.Text("}}")
	return &sink.Document{JSON: o}
}

// completion reads the params of completion/complete.
func (req *Request) completion() (c CompletionRequest, err error) {
	var ok, named bool
	kind, _ := jsonrpc.Text(jsonrpc.Member(req.ref, "type"))
	switch kind {
	case "ref/prompt":
		c.Prompt, ok = jsonrpc.Text(jsonrpc.Member(req.ref, "name"))
		ok = ok && c.Prompt != ""
	case "ref/resource":
		c.URI, ok = jsonrpc.Text(jsonrpc.Member(req.ref, "uri"))
		ok = ok && schema.SchemeLength(c.URI) > 0 && len(c.URI) <= schema.MaxURI
	}
	if !ok {
		return c, BadParams("ref must be a ref/prompt with a name or a ref/resource with a uri")
	}
	c.Argument, named = jsonrpc.Text(jsonrpc.Member(req.argument, "name"))
	c.Value, ok = jsonrpc.Text(jsonrpc.Member(req.argument, "value"))
	if !ok || !named || c.Argument == "" {
		return c, BadParams("argument must have a name and a value, both strings")
	}
	c.Arguments = jsonrpc.Member(req.context, "arguments")
	if isNull(c.Arguments) {
		c.Arguments = nil
	}
	if c.Arguments != nil && (c.Arguments[0] != '{' || !stringsOnly(c.Arguments)) {
		return c, BadParams("context.arguments must be an object of strings")
	}
	return c, nil
}
