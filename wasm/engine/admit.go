package engine

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/wasm/internal/sink"
)

// How the grants decide about each request, before its method is called.

// askProgress is the interval of progress while a question waits for the user: each restarts
// the timeouts on the way.
const askProgress = 10 * time.Second

// AccessURI is the only resource in the list of an assistant that may not read. Its read asks
// the user.
const AccessURI = "access:///read"

// assistantPrincipal returns the principal of an assistant that a gateway vouches for. Names of the clients of a page's own
// ports, which are the page, the assistant of its browser and windows by their origins, are not for a gateway to give.
func assistantPrincipal(name string) Principal {
	if name == "page" || name == "webmcp" || strings.Contains(name, "://") {
		return "unnamed"
	}
	return Principal(name)
}

// isOwnPage reports whether a client is the page itself, which needs no grants. A gateway's
// assistants may have any name.
func (c *Client) isOwnPage() bool { return c.who == "page" && !c.proxy }

// admit decides about a request before its method is called; tools are decided about by mayRun.
// answered: the result is that of a client that may not read.
func (e *Engine) admit(ctx context.Context, g *Grants, req *Request) (result sink.Result, answered bool, err error) {
	m := e.method(req.method)
	q := &AccessQuestion{URI: CanonicalURI(req.uri)}
	switch {
	case req.client.isOwnPage():
		return result, false, nil
	case m.Lists != nil:
		return e.admitList(ctx, g, req)
	case req.method == listenMethod && g.asksAbout(req.who): // decided as a list would be, without the user
		q.Method = MethodListResources
		_, _, err := e.decideList(ctx, g, req, q)
		return result, false, err
	case m.Right == RightConnect, m.Decides:
		return result, false, nil
	case req.method == getPromptMethod:
		q.Prompt = req.name
	case req.method == completeMethod:
		var asked CompletionRequest
		asked, err = req.completion()
		q.URI, q.Prompt = asked.URI, asked.Prompt
	default:
		_, err = req.URI()
	}
	if err == nil {
		err = e.admitOne(ctx, g, req, q)
	}
	return result, false, err
}

// admitList decides about a list. A client that may not read gets what says so.
func (e *Engine) admitList(ctx context.Context, g *Grants, req *Request) (result sink.Result, answered bool, err error) {
	q := &AccessQuestion{}
	d, reason, err := e.decideList(ctx, g, req, q)
	if err == nil && d != allowed && req.method == listToolsMethod { // who may act needs the names of tools
		act := &AccessQuestion{right: grantAct}
		var may decision
		var why string
		if may, why, err = e.decideList(ctx, g, req, act); may == allowed {
			q, d, reason = act, may, why
		}
	}
	if err != nil {
		return result, false, err
	}
	e.decided(ctx, req, q, d == allowed, reason)
	if d == allowed {
		return result, false, nil
	}
	list := e.beginList(req.rev, e.method(req.method).Lists)
	if req.method == listResourcesMethod {
		list = append(list, Describe("uri", AccessURI, "name", cmp.Or(e.info.Title, e.info.Name)+": not shared with you yet",
			"description", "Read this to ask the user for access. Then list the resources again.", "mimeType", "text/plain")...)
	}
	return sink.Result{Document: &sink.Document{JSON: append(list, "]}"...)}}, true, nil
}

// decideList decides about a list by the right of a question. The function of an app is asked, and
// what knows of a consent at a gateway; users are not.
func (e *Engine) decideList(ctx context.Context, g *Grants, req *Request, q *AccessQuestion) (decision, string, error) {
	e.question(req, q)
	d, reason := g.decide(req.who, q.right, "")
	switch {
	case d != undecided:
	case q.right == grantRead && g.MayRead(req.who):
		return allowed, reasonPolicy, nil
	case !g.asksLists || e.options.Ask == nil:
	case !req.mayWait:
		return undecided, "", errMustWait
	default:
		answer := e.options.Ask(ctx, q)
		if answer.Allow {
			return allowed, answer.Reason, nil
		}
		return denied, answer.Reason, nil
	}
	return d, reason, nil
}

// admitOne decides about one request, and asks if the grants do not.
func (e *Engine) admitOne(ctx context.Context, g *Grants, req *Request, q *AccessQuestion) error {
	d, reason := g.decide(req.who, q.right, q.tool)
	message := ""
	if d != denied && q.URI != "" && g.withholds(req.who, q.URI) {
		d, reason, message = denied, reasonDeclined, notShared
	}
	if d == undecided && !req.mayWait {
		return errMustWait
	}
	e.question(req, q)
	if d == undecided {
		answer := e.ask(ctx, req, q)
		if err := context.Cause(ctx); err != nil {
			return err
		}
		reason, message = answer.Reason, answer.Message
		if answer.Allow {
			d = allowed
			// A denial or a pause may have come between the answer and now.
			if now := e.grants.Load(); now.withholds(req.who, q.URI) {
				d, reason, message = denied, reasonDeclined, notShared
			} else if later, why := now.decide(req.who, q.right, q.tool); later == denied {
				d, reason = denied, why
			}
		}
	}
	e.decided(ctx, req, q, d == allowed, reason)
	if d != allowed {
		return denial(reason, message)
	}
	if req.mayWait {
		req.client.noteGrant(req, q)
		InvocationOf(ctx).noteGrant(q.right, q.tool, reason)
	}
	return nil
}

// noteGrant records what a running request was allowed to do: see endDenied.
func (c *Client) noteGrant(req *Request, q *AccessQuestion) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if run := c.running[req.call]; run != nil {
		run.isGranted, run.who, run.right, run.tool, run.uri = true, req.who, q.right, q.tool, q.URI
	}
}

// ask asks the user, and sends progress meanwhile; again, if a call that has outlived its request got no answer.
// Without Options.Ask everything that is not granted is denied.
func (e *Engine) ask(ctx context.Context, req *Request, q *AccessQuestion) (answer AccessAnswer) {
	if e.options.Ask == nil {
		return AccessAnswer{Reason: reasonDeclined}
	}
	i := InvocationOf(ctx)
	if i == noRequest {
		_, i = e.invocation(ctx, req)
	}
	answered := make(chan struct{})
	defer close(answered)
	go func() { // ends with the answer
		every := time.NewTicker(askProgress)
		defer every.Stop()
		for sent := 1000001; ; sent++ { // less than what a tool reports afterwards: progress must increase
			select {
			case <-every.C:
				if i.Detached() != nil {
					return
				}
				e.safely("a Sink", func() {
					i.Progress([]byte(`{"progress":0.` + strconv.Itoa(sent)[1:] + `,"message":"waiting for the user"}`))
				})
			case <-answered:
				return
			}
		}
	}()
	for {
		answer = e.options.Ask(ctx, q)
		if answer.Allow || answer.Reason != reasonNoAnswer || i.Detached() == nil {
			return answer
		}
		select {
		case <-time.After(askAgain):
		case <-ctx.Done():
			return answer
		}
		if d, reason := e.grants.Load().decide(req.who, q.right, q.tool); d != undecided { // meanwhile
			return AccessAnswer{Allow: d == allowed, Reason: reason}
		}
	}
}

// askAgain is between a question that the user has not answered and the next one.
const askAgain = 5 * time.Second

// question completes a question.
func (e *Engine) question(req *Request, q *AccessQuestion) {
	q.Assistant, q.CallsItself = AssistantOf(req.who), req.clientName()
	q.Method, q.Right = cmp.Or(q.Method, e.method(req.method).Name), rightNames[q.right]
}

// decided reports a decision to the audit.
func (e *Engine) decided(ctx context.Context, req *Request, q *AccessQuestion, allow bool, reason string) {
	call := req.call
	if d := InvocationOf(ctx).Detached(); d != nil {
		call, q.Task = 0, d.ID
	}
	if e.options.Decided != nil {
		e.options.Decided(call, q, allow, cmp.Or(reason, reasonDeclined))
	}
}
