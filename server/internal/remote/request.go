package remote

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/task"
	"github.com/pagemcp/pagemcp/wasm/hop"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"github.com/pagemcp/pagemcp/wasm/plain"
	"github.com/pagemcp/pagemcp/wasm/schema"
)

// Requests that a Remote sends on behalf of one request of a client: with the client's
// capabilities, answers and _meta. Progress and log messages are passed back; ids and
// progress tokens are the hop's own.

// request sends a request and waits for its result. once: it must not be sent again
// when the port breaks.
func (r *Remote) request(ctx context.Context, method string, members []byte, once bool) ([]byte, error) {
	return r.requestMarked(ctx, method, members, once, nil)
}

// requestMarked is request; answered is called when the result is read, before anything else is.
func (r *Remote) requestMarked(ctx context.Context, method string, members []byte, once bool, answered func(*link)) ([]byte, error) {
	if once {
		r.once.Add(1)
		defer r.once.Add(-1)
	}
	result, err := r.send(ctx, once, func(l *link, sleeps <-chan struct{}) ([]byte, error) {
		return r.exchange(ctx, l, method, members, answered, sleeps)
	})
	if err != nil {
		return nil, err
	}
	return result, r.notComplete(ctx, method, result)
}

// OnInput sets the function that returns the policy for the requests for input that the
// other engine sends. Call it before the first port. Nil allows what an engine's own
// sources may do.
func (r *Remote) OnInput(f func() engine.InputPolicy) { r.inputPolicy = f }

// Calls returns the number of calls of tools that have no result yet. They fail with [engine.ErrInterrupted] if the port closes.
func (r *Remote) Calls() int { return int(r.once.Load()) }

func (r *Remote) exchange(ctx context.Context, l *link, method string, members []byte, answered func(*link), sleeps <-chan struct{}) ([]byte, error) {
	i := engine.InvocationOf(ctx)
	var id jsonrpc.ID
	defer func() { r.dropInvocation(l, id) }()
	p, err := l.conn.Begin(ctx, method, func(p *jsonrpc.Pending) []byte {
		id = p.ID
		p.OnAnswer = func(size int) {
			r.backlog.add(ctx, size)
			if answered != nil {
				answered(l)
			}
		}
		r.keepInvocation(l, id, i)
		name := ""
		if r.readers.Load() != nil { // the user is asked who it is
			name = i.ClientName()
		}
		return paramsFor(i, engine.PrincipalOf(ctx), name, id, members)
	})
	switch {
	case err != nil && id == "" && errors.Is(err, jsonrpc.ErrClosed):
		return nil, engine.NotSent(errNotBegun)
	case err != nil:
		return nil, engine.NotSent(err)
	}
	select {
	case <-p.Done():
		return p.Answer()
	case <-sleeps:
		l.conn.Cancel(p)
		return nil, engine.ErrAsleep
	case <-ctx.Done():
		l.conn.Cancel(p)
		return nil, ctx.Err()
	}
}

// call sends a request that is safe to repeat.
func (r *Remote) call(ctx context.Context, method string, params []byte) ([]byte, error) {
	return r.send(ctx, false, func(l *link, _ <-chan struct{}) ([]byte, error) { return l.conn.Call(ctx, method, params) })
}

// errNotBegun is the error of a request over a port that has ended before: nothing was written.
var errNotBegun = jsonrpc.Wrap("not begun", jsonrpc.ErrClosed)

// send exchanges a request for its result. It waits for the page in the grace time. When the port breaks under
// it, it is sent once more after the page's return, which may have ended because of the request; a call, which
// must not be sent twice, is interrupted. exchange gets what is closed when the page begins to sleep; nil for a
// call, which may have taken effect.
func (r *Remote) send(ctx context.Context, once bool, exchange func(l *link, sleeps <-chan struct{}) ([]byte, error)) ([]byte, error) {
	for isBroken := false; ; {
		l, sleeps, err := r.awaitLink(ctx, once)
		if err != nil {
			return nil, engine.NotSent(err)
		}
		result, err := r.exchangeOver(l, once, sleeps, exchange)
		switch {
		case !errors.Is(err, jsonrpc.ErrClosed):
			return result, cleanError(err)
		case once && !errors.Is(err, errNotBegun):
			return nil, engine.ErrInterrupted
		case isBroken && !once:
			return nil, engine.ErrAway
		}
		isBroken = true
		select { // the Conn notices a moment before the Remote
		case <-l.down:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// exchangeOver calls exchange, and counts a call as done.
func (r *Remote) exchangeOver(l *link, isCall bool, sleeps <-chan struct{}, exchange func(*link, <-chan struct{}) ([]byte, error)) ([]byte, error) {
	if !isCall {
		return exchange(l, sleeps)
	}
	defer r.endCall(l)
	return exchange(l, nil)
}

func (r *Remote) endCall(l *link) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l.calls--
}

// StopCalls lets calls wait for the next port, unless some are in flight over the present
// one. It returns the number of calls that have no result yet; if it is 0, none will be sent
// over this port.
func (r *Remote) StopCalls() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.link == nil {
		return 0
	}
	if r.link.calls == 0 {
		r.link.resting = true
	}
	return r.link.calls
}

// awaitLink returns the link for a request, and what is closed when its page begins to sleep. It waits for a
// link until the grace time is over. A call counts as in flight until endCall.
func (r *Remote) awaitLink(ctx context.Context, isCall bool) (l *link, sleeps <-chan struct{}, err error) {
	l, sleeps, next, err := r.tryLink(isCall)
	if next == nil { // nearly always: a timer costs more than this
		return l, sleeps, err
	}
	ctx, cancel := context.WithTimeout(ctx, hop.Grace)
	defer cancel()
	for next != nil {
		select {
		case <-next:
			l, sleeps, next, err = r.tryLink(isCall)
		case <-ctx.Done():
			return nil, nil, engine.ErrAway
		}
	}
	return l, sleeps, err
}

// tryLink returns the link, or what is closed when there may be another one, or why none will come.
func (r *Remote) tryLink(isCall bool) (l *link, sleeps, next <-chan struct{}, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l = r.link
	switch {
	case r.closed || l == nil && r.forgotten && r.arrivals == 0:
		return nil, nil, nil, engine.ErrAway
	case l == nil:
		return nil, nil, r.back, nil
	case isCall && l.resting:
		return nil, nil, l.down, nil
	case !l.asleep.IsZero():
		return nil, nil, nil, engine.ErrAsleep
	case isCall:
		l.calls++
	case l.sleeps == nil:
		l.sleeps = make(chan struct{})
	}
	return l, l.sleeps, nil, nil
}

// envelope returns the params of a request: the envelope, on whose behalf, and
// further members.
func envelope(who engine.Principal, members []byte) []byte {
	return envelopeWith("{}", who, members)
}

// envelopeWith is envelope with capabilities of a client, a JSON object.
func envelopeWith(capabilities string, who engine.Principal, members []byte) []byte {
	params := []byte(`{"_meta":{"` + hop.KeyVersion + `":"` + engine.LatestModern + `","` + hop.KeyCapabilities + `":` + capabilities)
	if who != "" {
		params = jsonrpc.AppendString(append(params, `,"`+hop.KeyPrincipal+`":`...), string(who))
	}
	params = append(params, '}')
	if members != nil {
		params = append(append(params, ','), members...)
	}
	return append(params, '}')
}

// maxErrorData is how large the data of another engine's error may be that is passed on.
const maxErrorData = 64 << 10 // bytes

// cleanError returns err with the text of another engine's error cleaned and cut as
// descriptions are (see [plain.Text]): assistants and logs get it.
func cleanError(err error) error {
	wire, ok := err.(*jsonrpc.Error)
	if !ok {
		return err
	}
	clean := &jsonrpc.Error{Code: wire.Code, Message: plain.Text(wire.Message, plain.MaxDescription), Data: wire.Data}
	if len(clean.Data) > maxErrorData {
		clean.Data = nil
	}
	return clean
}

// keepInvocation records the id of a request on behalf of i.
func (r *Remote) keepInvocation(l *link, id jsonrpc.ID, i *engine.Invocation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l.invocations[id] = i
}

func (r *Remote) dropInvocation(l *link, id jsonrpc.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(l.invocations, id)
}

// paramsOverhead is about how long the params of a request on the hop are, besides what its client has sent.
const paramsOverhead = 384 // bytes

// paramsFor returns those of a request on the hop: the envelope, and members.
// clientName is that of the assistant, or "".
func paramsFor(i *engine.Invocation, who engine.Principal, clientName string, id jsonrpc.ID, members []byte) []byte {
	inputs, state := i.Round()
	params := make(emit.JSON, 0, paramsOverhead+len(i.Capabilities())+len(i.Meta())+len(members)+len(inputs)+len(state))
	params.Text(`{"_meta":{"` + hop.KeyVersion + `":"` + engine.LatestModern + `"`)
	params.Member(hop.KeyCapabilities, i.Capabilities())
	if who != "" {
		params.Name(hop.KeyPrincipal)
		params.Quote(string(who))
	}
	if clientName != "" {
		params.Name(hop.KeyClientInfo)
		params.Text(`{"name":`)
		params.Quote(clientName)
		params.Text(`,"version":""}`)
	}
	params.Name("progressToken")
	params.Text(string(id))
	if level := i.LogLevel(); level != "" {
		params.Name(hop.KeyLogLevel)
		params.Quote(level)
	}
	params.Members(i.Meta(), nil)
	params.Text("}")
	if len(members) > 0 {
		params.Text(",")
		params.Raw(members)
	}
	if inputs != nil {
		params.Member("inputResponses", inputs)
	}
	if state != nil {
		params.Member("requestState", state)
	}
	params.Text("}")
	return params
}

// notComplete returns an error unless a result is complete.
func (r *Remote) notComplete(ctx context.Context, method string, result []byte) error {
	kind := jsonrpc.Member(result, "resultType")
	switch string(kind) {
	case "", `"complete"`:
		return nil
	case `"input_required"`:
		requests := bytes.Clone(jsonrpc.Member(result, "inputRequests"))
		state, _ := jsonrpc.Text(jsonrpc.Member(result, "requestState"))
		return engine.InvocationOf(ctx).ForwardNeed(requests, state, r.policy())
	case `"task"`:
		if method == engine.MethodCallTool {
			s, err := readTask(result, nil) // without requests for input
			if err != nil {
				return err
			}
			return task.Created(s)
		}
	}
	return errAnswer
}

// forwardUpdate passes on progress and log messages; false if msg is something else.
func (r *Remote) forwardUpdate(l *link, msg jsonrpc.Message) bool {
	i, isOne := r.invocationOf(l, msg)
	switch {
	case !isOne:
		return false
	case i == nil: // answered, or cancelled, meanwhile
	case msg.Method == engine.MethodProgress:
		i.Progress(msg.Params)
	default:
		i.Log(msg.Params)
	}
	return true
}

// invocationOf returns the invocation for which the other engine sends a message of progress
// or of its log; nil if that invocation has ended.
func (r *Remote) invocationOf(l *link, msg jsonrpc.Message) (i *engine.Invocation, isOne bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch msg.Method {
	case engine.MethodProgress:
		return l.invocations[jsonrpc.ID(jsonrpc.Member(msg.Params, "progressToken"))], true
	case engine.MethodMessage:
		return l.invocations[jsonrpc.ID(jsonrpc.Member(jsonrpc.Member(msg.Params, "_meta"), engine.MetaRequest))], true
	}
	return nil, false
}

// Read requests the contents of uri, unless the page has published them.
func (r *Remote) Read(ctx context.Context, uri string) ([]engine.Contents, error) {
	if contents := r.readMirrored(ctx, uri); contents != nil {
		return contents, nil
	}
	var at mirrorMark
	var answered func(*link)
	if r.mirror != nil {
		answered = func(l *link) { at = r.mirror.mark(l) }
	}
	result, err := r.requestMarked(ctx, engine.MethodReadResource, jsonrpc.AppendString([]byte(`"uri":`), uri), false, answered)
	if errors.Is(err, engine.ErrAsleep) {
		if contents := r.readMirrored(ctx, uri); contents != nil {
			return contents, nil // it has sent the value before it fell asleep
		}
	}
	if err != nil {
		_, state := engine.InvocationOf(ctx).Round()
		return nil, readError(err, state != nil)
	}
	contents, isPublished, err := readContents(result)
	if err == nil && isPublished && at.link != nil && isFirstRound(ctx) {
		r.mirror.store(at, uri, result)
	}
	return contents, err
}

// readContents reads the result of a read, and whether the page has published it.
func readContents(result []byte) (contents []engine.Contents, isPublished bool, err error) {
	var items, meta, ttl, scope []byte
	members := jsonrpc.Scan(result) // once: it may have megabytes
	for members.Next() {
		switch string(members.Name) {
		case "contents":
			items = members.Value
		case "_meta":
			meta = members.Value
		case "ttlMs":
			ttl = members.Value
		case "cacheScope":
			scope = members.Value
		}
	}
	isArray, err := jsonrpc.EachObject(items, func(object *jsonrpc.Scanner) error {
		read, err := schema.ReadContents(object)
		if err != nil {
			return schema.Within(schema.Element("contents", len(contents)), err)
		}
		contents = append(contents, relayed(read))
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	if !isArray {
		return nil, false, schema.Wrong("contents", "is not an array of objects")
	}
	if len(contents) > 0 {
		first := &contents[0]
		kept := emit.JSON("{")
		kept.Members(meta, func(name string) bool {
			return name != hop.KeyServerInfo && name != hop.KeyPublished
		})
		if len(kept) > 1 {
			kept.Text("}")
			first.Relayed.Result = kept
		}
		ms, _ := jsonrpc.Int(ttl)
		first.Cache = engine.Cache{TTL: time.Duration(max(0, ms)) * time.Millisecond, Public: string(scope) == `"public"`}
		isPublished = string(jsonrpc.Member(meta, hop.KeyPublished)) == "true"
	}
	return contents, isPublished, nil
}

// readError finds "not found" in either era's code. A bad URI never gets
// this far, since this side has checked it; a bad requestState may.
func readError(err error, hadState bool) error {
	var wire *jsonrpc.Error
	if errors.As(err, &wire) {
		missing := wire.Code == jsonrpc.CodeInvalidParams && (!hadState || jsonrpc.Member(wire.Data, "uri") != nil)
		if missing || wire.Code == hop.CodeNotFoundClassic {
			return engine.ErrNotFound
		}
	}
	return err
}

// Complete requests suggestions.
func (r *Remote) Complete(ctx context.Context, c engine.CompletionRequest) (engine.Completion, error) {
	kind, name := `"ref":{"type":"ref/resource","uri":`, c.URI
	if c.Prompt != "" {
		kind, name = `"ref":{"type":"ref/prompt","name":`, c.Prompt
	}
	params := emit.JSON(kind)
	params.Quote(name)
	params.Text(`},"argument":{"name":`)
	params.Quote(c.Argument)
	params.Text(`,"value":`)
	params.Quote(c.Value)
	params.Text("}")
	if c.Arguments != nil {
		params.Text(`,"context":{"arguments":`)
		params.Raw(c.Arguments)
		params.Text("}")
	}
	result, err := unlessUnknown(r.request(ctx, engine.MethodComplete, params, false))
	if err != nil {
		return engine.Completion{}, err
	}
	return parseCompletion(jsonrpc.Member(result, "completion"))
}

// parseCompletion reads what completion/complete answers: values, total, hasMore.
func parseCompletion(object []byte) (c engine.Completion, err error) {
	values, ok := jsonrpc.Elements(jsonrpc.Member(object, "values"))
	if !ok {
		return c, schema.Wrong("completion.values", "is not an array")
	}
	for i, value := range values[:min(len(values), schema.MaxValues+1)] { // one more than the limit shows that there are more
		text, isText := jsonrpc.Text(value)
		if !isText {
			return c, schema.Wrong(schema.Element("completion.values", i), "is not a string")
		}
		c.Values = append(c.Values, text)
	}
	total, _ := jsonrpc.Int(jsonrpc.Member(object, "total"))
	c.Total = int(max(0, total))
	if len(values) > schema.MaxValues {
		c.Total = max(c.Total, len(values))
	}
	c.HasMore = string(jsonrpc.Member(object, "hasMore")) == "true"
	return c, nil
}

// GetPrompt requests a prompt.
func (r *Remote) GetPrompt(ctx context.Context, name string, arguments []byte) ([]byte, error) {
	return unlessUnknown(r.request(ctx, engine.MethodGetPrompt, namedMembers(name, arguments), false))
}

// CallTool runs a tool, at most once: if the port breaks meanwhile, it is not known
// whether it took effect, and the error is [engine.ErrInterrupted].
func (r *Remote) CallTool(ctx context.Context, name string, arguments []byte) ([]byte, error) {
	return unlessUnknown(r.request(ctx, engine.MethodCallTool, namedMembers(name, arguments), true))
}

// unlessUnknown makes "not found" of "method not found": an engine that has no
// tools has not this one, and another source may.
func unlessUnknown(result []byte, err error) ([]byte, error) {
	if isUnknownMethod(err) {
		return nil, engine.ErrNotFound
	}
	return result, err
}

func isUnknownMethod(err error) bool {
	var wire *jsonrpc.Error
	return errors.As(err, &wire) && wire.Code == jsonrpc.CodeMethodNotFound
}

func namedMembers(name string, arguments []byte) []byte {
	return emit.AppendRaw(jsonrpc.AppendString([]byte(`"name":`), name), "arguments", arguments)
}
