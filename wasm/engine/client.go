package engine

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"
	"unsafe"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A Client is one speaker of MCP: the other end of a port. Its requests come by
// Take or by Message, which one goroutine calls at a time; what answers them goes
// to its Sink.
type Client struct {
	engine *Engine
	who    Principal
	proxy  bool            // speaks for others
	ctx    context.Context // ends with Close; sources are asked under it
	end    context.CancelFunc

	calls allowance // of prompts, tools and completions; R-187 R-364

	scratch request // of the request that is being taken: spares an allocation for each
	oneRef  [1]Ref  // likewise, of its result

	mu      sync.Mutex // held while the Sink is told something
	sink    Sink
	closed  bool
	session revision          // what initialize negotiated; 0: no session. Only for whoever takes requests
	classic *subscription     // of the session
	waiting map[Call]*running // requests with a goroutine of their own
	listens map[Call]*subscription

	// Of the classic session.
	capabilities []byte                            // as initialize told
	level        level                             // of log messages
	asked        map[string]chan<- jsonrpc.Message // requests of ours, by the id's key
	asks         int                               // how many there were
	asksSince    string
}

// A running is a request with a goroutine of its own.
type running struct {
	cancel  context.CancelCauseFunc
	silence *time.Timer // cancels when the source says nothing for too long
	ends    time.Time   // at the latest
}

// Outcome says what became of a request that was taken.
type Outcome uint8

const (
	Answered Outcome = iota // the Document that came back is the whole result
	Sent                    // the Sink was told during the call
	Pending                 // the Sink will be told
)

// Connect makes a client of s. who is the principal of its requests.
func (e *Engine) Connect(s Sink, who Principal) *Client {
	c := &Client{
		engine:  e,
		who:     who,
		sink:    s,
		waiting: map[Call]*running{},
		listens: map[Call]*subscription{},
		asked:   map[string]chan<- jsonrpc.Message{},
		level:   levelInfo,
	}
	c.calls.rate, c.calls.most = callRate, callsAtOnce
	c.ctx, c.end = context.WithCancel(WithPrincipal(context.Background(), who))
	e.mu.Lock()
	e.clients[c] = struct{}{}
	e.mu.Unlock()
	return c
}

// SpeakForOthers lets the client name the principal of each request in its _meta
// as MetaPrincipal: a gateway that has proved who it is, and nobody else. It is
// called before the first message.
func (c *Client) SpeakForOthers() { c.proxy = true }

// What one client may ask of prompts, tools and completions; security.md §8.
const (
	callRate    = 50 // a second
	callsAtOnce = 200
)

// mayCall counts a call. A gateway counts those of its clients itself.
func (c *Client) mayCall() bool { return c.proxy || c.calls.take() }

// A runner is run or runSafely.
type runner func(*Client, context.Context, *request, []byte) (Result, error)

// Take takes a request whose envelope the caller has checked and whose id it
// keeps. params is JSON text of an object, or empty; it belongs to the caller
// again when Take returns. Take never waits. It may panic when a source does that
// is asked at once, an [Immediate] one.
func (c *Client) Take(call Call, m Method, params []byte) (*Document, Outcome) {
	result, outcome := c.take(call, m, "", params, (*Client).run)
	if outcome == Answered && (len(result.Refs) > 0 || !result.Document.Kept) {
		c.respond(call, result)
		return nil, Sent
	}
	return result.Document, outcome
}

// TakeURI takes a request whose params are nothing but a uri: what reads of the
// classic revisions are. It is Take without the JSON.
func (c *Client) TakeURI(call Call, m Method, uri []byte) (*Document, Outcome) {
	result, outcome := c.take(call, m, "", uri, (*Client).runURI)
	if outcome == Answered && (len(result.Refs) > 0 || !result.Document.Kept) {
		c.respond(call, result)
		return nil, Sent
	}
	return result.Document, outcome
}

// take is Take for all; extension is the name of a method that is not known here,
// but may be to Options.Extend.
func (c *Client) take(call Call, m Method, extension string, params []byte, run runner) (Result, Outcome) {
	if int(m) >= len(methods) {
		m = unknownMethod
	}
	req := &c.scratch
	req.clear(c, call, m)
	req.extension = extension
	result, err := run(c, c.ctx, req, params)
	switch {
	case err == nil:
		return result, Answered
	case err == errSent:
		return result, Sent
	case err == errPending:
		return result, Pending
	case err == errMustWait:
		if err = c.later(call, m, extension, params); err == nil {
			return result, Pending
		}
	}
	c.fail(call, req.wireError(err))
	return result, Sent
}

// run reads the params, decides the era and calls the method. Its callers recover
// from panics: a defer of its own would cost more than a ping.
func (c *Client) run(ctx context.Context, req *request, params []byte) (result Result, err error) {
	if len(params) > c.engine.options.MaxMessage {
		return result, tooLarge()
	}
	if err := req.read(params); err != nil {
		return result, err
	}
	return c.serve(ctx, req)
}

// runURI is run for [Client.TakeURI]. What has to wait runs later, from params.
func (c *Client) runURI(ctx context.Context, req *request, uri []byte) (Result, error) {
	req.uri, req.hasURI = unsafe.String(unsafe.SliceData(uri), len(uri)), true // as textOf
	result, err := c.serve(ctx, req)
	if err != errMustWait {
		return result, err
	}
	params := append(jsonrpc.AppendString([]byte(`{"uri":`), req.uri), '}')
	if err := c.later(req.call, req.method, "", params); err != nil {
		return result, err
	}
	return result, errPending
}

// serve decides the era of a request that was read, and calls its method.
func (c *Client) serve(ctx context.Context, req *request) (Result, error) {
	if err := req.decide(&c.engine.options); err != nil {
		return Result{}, err
	}
	req.who = c.who
	if who, ok := jsonrpc.Text(req.principal); ok && c.proxy {
		req.who = Principal(who)
		ctx = WithPrincipal(ctx, req.who)
	}
	if req.extension != "" {
		return c.engine.extend(ctx, req)
	}
	return methods[req.method].answer(c.engine, ctx, req)
}

// runSafely makes an error of a panic: sources are other people's code.
func (c *Client) runSafely(ctx context.Context, req *request, params []byte) (result Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			c.engine.options.Report(fmt.Errorf("panic while answering %v: %v", methodName(req.method), p))
			err = &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: "Internal error"}
		}
	}()
	return c.run(ctx, req, params)
}

// later answers in a goroutine of its own, which ends with the answer, a cancel,
// the timeout, or the client.
func (c *Client) later(call Call, m Method, extension string, params []byte) error {
	ctx, cancel := context.WithCancelCause(c.ctx)
	c.mu.Lock()
	if len(c.waiting) >= c.engine.options.MaxInFlight {
		c.mu.Unlock()
		cancel(nil)
		return ErrBusy
	}
	timeout := c.engine.options.Timeout
	run := &running{cancel: cancel, ends: time.Now().Add(timeout * longest)}
	if m == methodCallTool {
		run.ends = time.Now().Add(timeout * longestTool)
	}
	run.silence = time.AfterFunc(timeout, func() { cancel(ErrTimeout) })
	c.waiting[call] = run
	c.mu.Unlock()

	params = bytes.Clone(params)
	session := c.session // as it is now: a handshake may follow while this waits
	go func() {
		defer cancel(nil)
		defer run.silence.Stop()
		req := &request{client: c, call: call, method: m, extension: extension, session: session, mayWait: true}
		result, err := c.runSafely(ctx, req, params)
		var failure *jsonrpc.Error
		if err != nil && err != errSent {
			switch context.Cause(ctx) {
			case nil:
			case ErrTimeout:
				err = ErrTimeout
			default:
				return // cancelled: nobody is told, and nothing is wrong
			}
			failure = req.wireError(err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if _, waits := c.waiting[call]; !waits {
			return // cancelled, or the client is gone: nothing more about it
		}
		delete(c.waiting, call)
		switch {
		case err == errSent:
		case failure != nil:
			c.sink.Fail(call, failure)
		default:
			c.sink.Respond(call, result)
		}
	}()
	return nil
}

// How often the timeout a request may last while its source makes progress.
const (
	longest     = 4  // 2 min by default; gateway.md §3
	longestTool = 20 // 10 min
)

// goesOn gives a request more time: its source is at work.
func (c *Client) goesOn(call Call) { c.extend(call, c.engine.options.Timeout) }

// patience gives a request all the time there is: somebody has been asked.
func (c *Client) patience(call Call) { c.extend(call, c.engine.options.Timeout*longestTool) }

func (c *Client) extend(call Call, by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if run := c.waiting[call]; run != nil && run.silence.Stop() {
		run.silence.Reset(min(by, time.Until(run.ends)))
	}
}

// during calls say while a request has no answer, and never after a cancel.
func (c *Client) during(call Call, say func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, waits := c.waiting[call]; waits && !c.closed {
		say()
	}
}

// Message takes any whole message as JSON text. It never waits. The text may be
// used again when it returns.
func (c *Client) Message(data []byte) {
	if len(data) > c.engine.options.MaxMessage {
		c.refuse(tooLarge())
		return
	}
	elements, isArray := jsonrpc.Elements(data)
	if !isArray || c.session != rev2025March { // rows 15, 16; only 2025-03-26 has batches
		c.message(data, false)
		return
	}
	if len(elements) == 0 {
		c.refuse(&jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "A batch must not be empty"})
	}
	for _, element := range elements {
		c.message(element, true)
	}
}

func (c *Client) message(data []byte, inBatch bool) {
	msg, refusal := jsonrpc.Parse(data)
	switch msg.Kind {
	case jsonrpc.Notification: // never answered, whatever is wrong with it
		if refusal == nil {
			c.notification(msg)
		}
		return
	case jsonrpc.Response: // rows 13, 14
		if refusal == nil {
			c.answered(msg)
		}
		return
	}
	if msg.ID == "" {
		c.refuse(refusal)
		return
	}
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	call, fresh := c.sink.Open(msg.ID)
	c.mu.Unlock()
	method := methodByName(msg.Method)
	switch {
	case !fresh: // an error with that id would settle the older request: decision 6.15
		c.refuse(&jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "This id still waits for its answer"})
	case refusal != nil:
		c.fail(call, refusal)
	case inBatch && method == methodInitialize:
		c.fail(call, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "initialize cannot be in a batch"})
	default:
		extension := ""
		if method == unknownMethod && c.engine.extends() {
			extension = msg.Method
		}
		if result, outcome := c.take(call, method, extension, msg.Params, (*Client).runSafely); outcome == Answered {
			c.respond(call, result)
		}
	}
}

// notification takes what a client may say without being answered. Unknown ones
// are ignored.
func (c *Client) notification(msg jsonrpc.Message) {
	switch msg.Method {
	case "notifications/cancelled": // row 11
		var id jsonrpc.ID
		jsonrpc.Members(msg.Params, func(name string, value []byte) *jsonrpc.Error {
			if name == "requestId" {
				id = jsonrpc.ID(value)
			}
			return nil
		})
		c.mu.Lock()
		call, found := c.sink.Find(id)
		c.mu.Unlock()
		if found {
			c.Cancel(call)
		}
	case "notifications/initialized": // row 12
		c.Initialized()
	}
}

// Cancel gives up a request at the client's wish: whatever it was doing stops,
// and nothing more is said about it. Calls that are not waiting are ignored.
func (c *Client) Cancel(call Call) {
	c.mu.Lock()
	run, waits := c.waiting[call]
	delete(c.waiting, call)
	listen := c.listens[call]
	delete(c.listens, call)
	if (waits || listen != nil) && !c.closed {
		c.sink.Drop(call)
	}
	c.mu.Unlock()
	if waits {
		run.cancel(nil)
	}
	if listen != nil {
		listen.close()
	}
}

// FailCall ends a call whose result the Sink could not complete, because what
// should have filled it failed: err is one of this package's, or any other.
// isModern is that of the Result.
func (c *Client) FailCall(call Call, uri string, isModern bool, err error) {
	rev := rev2025November
	if isModern {
		rev = modern
	}
	c.fail(call, (&request{client: c, rev: rev, uri: uri}).wireError(err))
}

// Close ends the client: its channel is gone. Its requests are cancelled, its
// subscriptions end, and its Sink is told nothing more.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	ended := c.subscriptions()
	c.waiting = map[Call]*running{}
	c.listens = map[Call]*subscription{}
	c.mu.Unlock()
	c.end()
	for _, s := range ended {
		s.close()
	}
	c.engine.mu.Lock()
	delete(c.engine.clients, c)
	c.engine.mu.Unlock()
}

// finish ends what the client still has, from the engine's side: subscriptions
// with their result, requests with an error.
func (c *Client) finish() {
	c.mu.Lock()
	ended := c.subscriptions()
	for call := range c.listens {
		c.sink.End(call, &Document{JSON: append(c.engine.fixed.begin(), '}')})
	}
	for call, run := range c.waiting {
		run.cancel(nil)
		c.sink.Fail(call, c.engine.reason("The engine is shutting down", "closed", true))
	}
	c.waiting = map[Call]*running{}
	c.listens = map[Call]*subscription{}
	c.mu.Unlock()
	for _, s := range ended {
		s.close()
	}
}

// subscriptions returns all of the client's; c.mu is held.
func (c *Client) subscriptions() []*subscription {
	all := make([]*subscription, 0, len(c.listens)+1)
	for _, s := range c.listens {
		all = append(all, s)
	}
	if c.classic != nil {
		all = append(all, c.classic)
	}
	return all
}

func (c *Client) respond(call Call, result Result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.sink.Respond(call, result)
	}
}

func (c *Client) fail(call Call, err *jsonrpc.Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.sink.Fail(call, err)
	}
}

func (c *Client) refuse(err *jsonrpc.Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.sink.Refuse(err)
	}
}

func tooLarge() *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "The message is too large"}
}

func methodName(m Method) string {
	if m == unknownMethod {
		return "an unknown method"
	}
	return methods[m].name
}
