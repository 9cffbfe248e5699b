package engine

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/wasm/hop"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A Client is one MCP client: the other end of a port, or of a channel of the wasm
// program. Its requests come by Take or by Message, which one goroutine calls at a time;
// the answers go to its Sink. A [Direct] has a Client of its own; only this module
// can connect others, since [sink.Sink] is internal.
type Client struct {
	engine *Engine
	who    Principal
	proxy  bool            // sends requests on behalf of others
	ctx    context.Context // ends with Close; sources are called under it
	end    context.CancelFunc

	calls, completions allowance // R-187 R-364

	scratch Request     // of the request that is being taken: spares an allocation for each
	oneRef  [1]sink.Ref // likewise, of its result

	watched int // bytes of subscribed URIs, see watchCost. Guarded by the registry's mu

	mu     sync.Mutex // held while the Sink is called
	sink   sink.Sink
	closed bool

	// Topics of all subscriptions, see subscription.go.
	held    bool          // none is sent
	resting []*dirtyTopic // those that were sent within the interval, by time
	tick    *time.Timer   // runs while there are any

	wantsDeclared, declaredWaits bool // see declare.go

	session revision               // what initialize negotiated; 0: no session. Used by the goroutine of Take and Message only
	classic *subscription          // of the session
	running map[sink.Call]*running // requests without an answer: those with a goroutine of their own, and listens
	listens int                    // of running

	// Of the classic session.
	capabilities []byte                // from initialize
	name         string                // likewise: of clientInfo, cleaned
	level        level                 // of log messages
	ownRequests  map[string]ownRequest // requests of ours, by the id's key
	ownCount     int                   // how many there were
	ownPrefix    string
}

// Connect makes a client of s. who is the principal of its requests.
func (e *Engine) Connect(s sink.Sink, who Principal) *Client {
	c := &Client{
		engine:      e,
		who:         who,
		sink:        s,
		running:     map[sink.Call]*running{},
		ownRequests: map[string]ownRequest{},
		level:       levelInfo,
	}
	c.calls.rate, c.calls.most = callRate, callsAtOnce
	c.completions.rate, c.completions.most = completionRate, completionsAtOnce
	c.ctx, c.end = context.WithCancel(WithPrincipal(context.Background(), who))
	e.connect(c)
	return c
}

func (e *Engine) connect(c *Client) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.clients[c] = struct{}{}
}

func (e *Engine) disconnect(c *Client) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.clients, c)
}

// SpeakForOthers allows the client to name the principal of each request in its _meta
// as hop.KeyPrincipal. Call it before the first message, and only for a gateway that has
// proved its identity.
func (c *Client) SpeakForOthers() { c.proxy = true }

// maxWatched returns the limit of watched.
func (c *Client) maxWatched() int {
	if c.proxy {
		return hop.MaxWatched
	}
	return maxWatched
}

// Rate limits of one client. A gateway limits its clients itself.
const (
	callRate          = 50 // prompts and tools, a second
	callsAtOnce       = 200
	completionRate    = 10 // a second
	completionsAtOnce = 50
)

// allowRate counts a call, and reports whether the rate allows it.
func (c *Client) allowRate(a *allowance) bool { return c.proxy || a.take(1) }

// Cancel cancels a request for its client: its context ends, and no answer follows.
// Calls that are not waiting are ignored.
func (c *Client) Cancel(call sink.Call) { c.endCall(call, func() { c.sink.Drop(call) }) }

// endCall ends a request that has no answer yet; outcome passes how to the Sink.
func (c *Client) endCall(call sink.Call, outcome func()) {
	c.tearDown(func() (ended []*subscription) {
		if run := c.running[call]; run != nil {
			ended = c.take(call, run)
			outcome()
		}
		return ended
	})
}

// tearDown calls end, which takes calls out and passes their outcomes to the Sink, and ends the
// subscriptions that it returns, under one lock: no notification or answer follows.
func (c *Client) tearDown(end func() (ended []*subscription)) {
	var ended []*subscription
	c.engine.safely("a Sink", func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		ended = end()
		for _, s := range ended {
			s.end()
		}
	})
	for _, s := range ended {
		s.leave()
	}
}

// take takes a call out, cancels what runs and what it asks the client, and returns the subscription
// of a listen; c.mu is held.
func (c *Client) take(call sink.Call, run *running) (ended []*subscription) {
	delete(c.running, call)
	if run.listen != nil {
		c.listens--
		return []*subscription{run.listen}
	}
	run.cancel(nil)
	for _, q := range c.ownRequests {
		if q.call == call {
			c.cancelRequest(q)
		}
	}
	return nil
}

// FailCall ends a call whose result the Sink could not complete, because what
// should have filled it failed: err is one of this package's, or any other.
// isModern is that of the Result.
func (c *Client) FailCall(call sink.Call, uri string, isModern bool, err error) {
	rev := latestClassic
	if isModern {
		rev = modern
	}
	c.fail(call, (&Request{engine: c.engine, client: c, rev: rev, uri: uri}).wireError(err))
}

// Close ends the client: its channel is gone. Its requests are cancelled, its
// subscriptions end, and its Sink is not called any more.
func (c *Client) Close() {
	c.tearDown(func() (ended []*subscription) {
		c.closed, c.resting = true, nil
		return c.takeAll(func(sink.Call, *running) {})
	})
	c.end()
	c.engine.disconnect(c)
}

// shutDown ends what the client still has, from the engine's side: subscriptions
// with their result, requests with an error.
func (c *Client) shutDown() {
	c.tearDown(func() (ended []*subscription) {
		return c.takeAll(func(call sink.Call, run *running) {
			if run.listen != nil {
				c.sink.End(call, &sink.Document{JSON: append(c.engine.fixed.Load().begin(0), '}')})
			} else {
				c.sink.Fail(call, c.engine.closing(run.method))
			}
		})
	})
}

// takeAll is take for everything, oldest first; outcome passes what becomes of each to the Sink. c.mu is held.
func (c *Client) takeAll(outcome func(sink.Call, *running)) (ended []*subscription) {
	for _, call := range slices.Sorted(maps.Keys(c.running)) {
		run := c.running[call]
		ended = append(ended, c.take(call, run)...)
		outcome(call, run)
	}
	if c.classic != nil {
		ended = append(ended, c.classic)
	}
	return ended
}

func (c *Client) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// hold keeps notifications back, or sends what was kept back.
func (c *Client) hold(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = on
	for _, run := range c.running {
		if run.listen != nil {
			run.listen.announce()
		}
	}
	if c.classic != nil {
		c.classic.announce()
	}
}

func (c *Client) respond(call sink.Call, result sink.Result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.sink.Respond(call, result)
	}
}

func (c *Client) fail(call sink.Call, err *jsonrpc.Error) {
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
