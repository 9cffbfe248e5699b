package engine

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// An AccessQuestion is a request that the grants decide, or that the user is asked about.
type AccessQuestion struct {
	Assistant   string // see [AssistantOf]
	CallsItself string // clientInfo.name of the request or session: nobody has checked it
	Right       string // "read" or "act"
	Method      string
	URI         string // of a resource, template or skill, or ""
	Prompt      string // the name, or ""
	Tool        []byte // the description as tools/list has it, or nil
	Arguments   []byte // of a tool, a JSON object, or nil

	right grantRight
	tool  string // the only one that is decided about, or ""
}

// What returns the URI, or the name of the tool or prompt.
func (q *AccessQuestion) What() string {
	if q.Tool != nil {
		name, _ := jsonrpc.Text(jsonrpc.Member(q.Tool, "name"))
		return name
	}
	return cmp.Or(q.Prompt, q.URI)
}

// An AccessAnswer is the decision about it. Reason and Message are for the audit and the
// model; Message may be "".
type AccessAnswer struct {
	Allow   bool
	Reason  string
	Message string
}

// An accessError says that the user does not allow a request, in words for a model.
type accessError struct{ reason, message string }

func (e *accessError) Error() string { return e.message }

// denial returns the error of a denied request. message is "" for that of the reason.
func denial(reason, message string) error {
	if message == "" {
		message = "The user declined. Do not try again unless they ask."
		switch reason {
		case reasonPaused:
			message = "The user has paused all assistants. Tell the user; do not try again before they say so."
		case reasonRevoked:
			message = "The user has ended this access. Do not try again unless they ask."
		case reasonPolicy:
			message = "The app does not allow this. Do not try again."
		case reasonNoAnswer:
			message = "The user has not answered whether this is allowed. Ask them to look at the page; do not try again before."
		}
	}
	return &accessError{reason, message}
}

// ErrRevoked ends a request whose client may not make it any more.
var ErrRevoked = denial(reasonRevoked, "")

// ErrNotShared is the error of a source that has the resource, but not for this client.
var ErrNotShared = denial(reasonDeclined, "The user has not shared this with you. Do not try again unless they ask.")

// askProgress is the interval of progress while a question waits for the user: each restarts
// the timeouts on the way.
const askProgress = 10 * time.Second

// AccessURI is the only resource in the list of an assistant that may not read. Its read asks
// the user.
const AccessURI = "access:///read"

// SetGrants replaces the decisions about assistants. Requests that run and are denied from now
// on fail at once, and notifications about what a client may not read are not sent. Nil, the
// value before the first call, allows everything.
func (e *Engine) SetGrants(g *Grants) {
	old := e.grants.Swap(g)
	e.dropPages()
	for _, c := range e.connected() {
		e.safely("a Sink", func() { c.endDenied(g) })
	}
	mayNow := func(s *subscription) bool { return !s.client.proxy && !old.MayRead(s.who) && g.MayRead(s.who) }
	for s, which := range e.registry.listeners(e.options.announced()) {
		if mayNow(s) || !s.client.proxy && old.MayRead(s.who) && !g.MayRead(s.who) {
			s.enqueueLists(which)
		}
	}
	e.announceMissed("", mayNow)
	for _, c := range e.connected() {
		e.safely("a Sink", c.announceDeclared)
	}
}

// announceMissed announces all URIs below a prefix to those whose changes were not announced
// for a time.
func (e *Engine) announceMissed(prefix string, to func(*subscription) bool) {
	for _, uri := range e.registry.under(prefix) {
		for _, s := range e.registry.subscribers(uri) {
			if to(s) {
				s.enqueue(uri)
			}
		}
	}
}

// dropPages forgets the kept pages of lists.
func (e *Engine) dropPages() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.mounted++
}

// endDenied ends the requests of a client that are denied from now on.
func (c *Client) endDenied(g *Grants) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, run := range c.waiting {
		if !run.isGranted {
			continue
		}
		if d, reason := g.decide(run.who, run.right, run.tool); d == denied && reason == reasonPaused {
			run.cancel(denial(reason, ""))
		} else if d == denied {
			run.cancel(ErrRevoked)
		}
	}
}

// private returns the hints of a cache with scope private if what one client gets is not for
// another.
func (e *Engine) private(c Cache) Cache {
	c.Public = c.Public && e.grants.Load() == nil
	return c
}

// isOwnPage reports whether a client is the page itself, which needs no grants. A gateway's
// assistants may have any name.
func (c *Client) isOwnPage() bool { return c.who == "page" && !c.proxy }

// admit decides about a request before its method is called; tools are decided about by
// admitTool. answered: the result is that of a client that may not read.
func (e *Engine) admit(ctx context.Context, g *Grants, req *request) (result sink.Result, answered bool, err error) {
	m := Method{Name: req.extension}
	if req.extension == "" {
		m = methods[req.method]
	}
	req.label = m.Name
	q := &AccessQuestion{URI: req.uri}
	switch {
	case req.client.isOwnPage():
		return result, false, nil
	case req.extension != "":
		q.right = grantAct
	case m.List != "":
		return e.admitList(ctx, g, req)
	case m.Right == RightConnect, req.method == listenMethod, req.method == unsubscribeMethod, req.method == callToolMethod:
		return result, false, nil
	case req.method == getPromptMethod:
		q.Prompt = req.name
	case req.method == completeMethod:
		var asked CompletionRequest
		asked, err = req.completion()
		q.URI, q.Prompt = asked.URI, asked.Prompt
	default:
		_, err = req.readURI()
	}
	if err == nil {
		err = e.admitOne(ctx, g, req, q)
	}
	return result, false, err
}

// admitList decides about a list. A client that may not read gets what says so.
func (e *Engine) admitList(ctx context.Context, g *Grants, req *request) (result sink.Result, answered bool, err error) {
	q := e.question(req, &AccessQuestion{})
	d, reason := g.decide(req.who, grantRead, "")
	if d == undecided && g.MayRead(req.who) {
		d, reason = allowed, reasonPolicy
	}
	if d != allowed && req.method == listToolsMethod { // who may act needs the names of tools
		if act, why := g.decide(req.who, grantAct, ""); act == allowed || d == undecided {
			d, reason = act, why
		}
	}
	if d == undecided && g.hasPolicy && e.options.Ask != nil {
		if !req.mayWait {
			return result, false, errMustWait
		}
		answer := e.options.Ask(ctx, q)
		reason = answer.Reason
		if answer.Allow {
			d = allowed
		}
	}
	e.decided(req, q, d == allowed, reason)
	if d == allowed {
		return result, false, nil
	}
	list := e.beginList(req.rev, kindOf(req.method))
	if req.method == listResourcesMethod {
		list = appendResource(list, &Resource{
			URI: AccessURI, Name: cmp.Or(e.info.Title, e.info.Name) + ": not shared with you yet", MIMEType: "text/plain",
			Description: "Read this to ask the user for access. Then list the resources again.",
		}, "", req.rev)
	}
	return sink.Result{Document: &sink.Document{JSON: append(list, "]}"...)}}, true, nil
}

// admitTool decides about a call of a tool, by its description.
func (e *Engine) admitTool(ctx context.Context, g *Grants, req *request, tool Tool) error {
	if req.client.isOwnPage() {
		return nil
	}
	q := &AccessQuestion{right: grantAct, Tool: tool.Object, Arguments: req.arguments}
	if onlyReads(tool) {
		q.right = grantRead
	} else if isTrue(jsonrpc.Member(jsonrpc.Member(tool.Object, "annotations"), "destructiveHint")) {
		q.tool = tool.Name
	}
	return e.admitOne(ctx, g, req, q)
}

// admitOne decides about one request, and asks if the grants do not.
func (e *Engine) admitOne(ctx context.Context, g *Grants, req *request, q *AccessQuestion) error {
	d, reason := g.decide(req.who, q.right, q.tool)
	if d == undecided && !req.mayWait {
		return errMustWait
	}
	message := ""
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
			if later, why := e.grants.Load().decide(req.who, q.right, q.tool); later == denied {
				d, reason = denied, why
			}
		}
	}
	e.decided(req, q, d == allowed, reason)
	if d != allowed {
		return denial(reason, message)
	}
	if req.mayWait {
		req.client.noteGrant(req, q)
	}
	return nil
}

// noteGrant records what a running request was allowed to do: see endDenied.
func (c *Client) noteGrant(req *request, q *AccessQuestion) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if run := c.waiting[req.call]; run != nil {
		run.isGranted, run.who, run.right, run.tool = true, req.who, q.right, q.tool
	}
}

// ask asks the user, and sends progress meanwhile. Without Options.Ask everything that is not
// granted is denied.
func (e *Engine) ask(ctx context.Context, req *request, q *AccessQuestion) AccessAnswer {
	if e.options.Ask == nil {
		return AccessAnswer{Reason: reasonDeclined}
	}
	_, i := e.invocation(ctx, req)
	answered := make(chan struct{})
	defer close(answered)
	go func() { // ends with the answer
		every := time.NewTicker(askProgress)
		defer every.Stop()
		for sent := 1000001; ; sent++ { // less than what a tool reports afterwards: progress must increase
			select {
			case <-every.C:
				e.safely("a Sink", func() {
					i.Progress([]byte(`{"progress":0.` + strconv.Itoa(sent)[1:] + `,"message":"waiting for the user"}`))
				})
			case <-answered:
				return
			}
		}
	}()
	return e.options.Ask(ctx, q)
}

// question completes a question.
func (e *Engine) question(req *request, q *AccessQuestion) *AccessQuestion {
	q.Assistant, q.CallsItself = AssistantOf(req.who), req.clientName()
	q.Method, q.Right = req.label, rightNames[q.right]
	return q
}

// decided reports a decision to the audit.
func (e *Engine) decided(req *request, q *AccessQuestion, allow bool, reason string) {
	if e.options.Decided != nil {
		e.options.Decided(req.call, q, allow, cmp.Or(reason, reasonDeclined))
	}
}

// mayWatch reports whether the owner of a subscription may know of changes below m. A gateway
// decides for its own clients.
func (e *Engine) mayWatch(s *subscription, m *mount) bool {
	if s.client.proxy || s.client.isOwnPage() {
		return true
	}
	return e.grants.Load().MayRead(s.who) && (m == nil || m.guard == nil || m.guard.Grants().MayRead(s.who))
}

// mayListen reports whether a subscription may have a URI.
func (e *Engine) mayListen(s *subscription, uri string) bool {
	if !e.mayWatch(s, nil) {
		return false
	}
	for l := e.lookup(uri); l.next(); {
		if !e.mayWatch(s, l.mount) {
			return false
		}
	}
	return true
}

// A Guarded source knows the grants of another engine. Without this, everyone may see its
// changes.
type Guarded interface {
	// Grants returns them; nil: there are none. It is called often, from many goroutines, and
	// must not block.
	Grants() *Grants
}

// servedGrants returns the grants that a gateway gets: this engine's, or those of the engine that
// it serves to another node.
func (e *Engine) servedGrants() *Grants {
	if g := e.grants.Load(); g != nil {
		return g
	}
	for _, m := range e.sources() {
		if m.guard != nil && m.prefix == "" {
			return m.guard.Grants()
		}
	}
	return nil
}
