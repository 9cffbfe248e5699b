package engine

import (
	"bytes"
	"context"

	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// The classic revisions begin with initialize and keep state for a connection.
// This file has what 2026-07-28 does not have: the handshake, ping, and the
// subscriptions of a connection. Results are shaped in shape.go.

// MaxCapabilities is the size in bytes up to which the capabilities of a client are kept; one with larger ones counts
// as without.
const MaxCapabilities = 2 << 10

// KnownCapabilities returns a copy of the capabilities of a client, a JSON object, for the time of its session.
func KnownCapabilities(declared []byte) []byte {
	if len(declared) > MaxCapabilities {
		return []byte("{}")
	}
	return bytes.Clone(declared)
}

// initialize answers the handshake. clientInfo has no influence.
// MCP 2025-11-25, basic/lifecycle.
func (e *Engine) initialize(_ context.Context, req *Request) (sink.Result, error) {
	version, ok := jsonrpc.Text(req.requested)
	if !ok {
		return sink.Result{}, BadParams("protocolVersion must be a string")
	}
	c := req.client
	var capabilities []byte
	if len(req.context) > 0 && req.context[0] == '{' {
		capabilities = KnownCapabilities(req.context)
	}
	c.begin(negotiate(version), capabilities, nameIn(req.info))
	return sink.Result{Document: e.fixed.Load().initialize[c.session]}, nil
}

// begin begins a session.
func (c *Client) begin(session revision, capabilities []byte, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session, c.capabilities, c.name = session, capabilities, name
	c.classic = &subscription{client: c, who: c.who}
}

// sessionSubscription returns that of the session, or nil without one.
func (c *Client) sessionSubscription() *subscription {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.classic
}

// initialized handles notifications/initialized: from now on the session gets changes of
// the lists, without a subscription. Without a session it is ignored.
func (c *Client) initialized() {
	s := c.sessionSubscription()
	if s == nil {
		return
	}
	c.engine.registry.addLists(s, allLists)
	c.engine.reconcile(Topic{Who: s.who})
	s.activate()
}

// ping answers in any state: it tests that the engine is alive, and not only its
// channel.
func (e *Engine) ping(context.Context, *Request) (sink.Result, error) {
	return sink.Result{Document: e.fixed.Load().empty}, nil
}

// subscribe adds a URI to those of the session. For a URI that cannot be read it fails
// as the read does. MCP 2025-11-25, server/resources.
func (e *Engine) subscribe(ctx context.Context, req *Request) (sink.Result, error) {
	uri, err := req.URI()
	if err != nil {
		return sink.Result{}, err
	}
	if !e.options.Allow(req.who, VerbWatch, uri) {
		return sink.Result{}, errDenied
	}
	if err := e.exists(ctx, req, uri); err != nil {
		return sink.Result{}, err
	}
	if !req.mayWait && e.mustArm() {
		return sink.Result{}, errMustWait
	}
	if !e.registry.add(req.client.sessionSubscription(), req.uri) {
		return sink.Result{}, e.Reason("Too many subscriptions: their URIs may have 16 MiB, and each counts 256 bytes more. Unsubscribe from others", "busy", false)
	}
	e.arm(ctx, e.reconcile(Topic{req.client.who, uri}))
	return sink.Result{Document: e.fixed.Load().empty}, nil
}

// Resubscribe subscribes the session to URIs that its client has subscribed to at an earlier
// connection. It does not block, and asks no source whether there is such a resource: a source
// that is away or does not answer would end the subscription, though its client waits for the next
// change. Policy applies to each notification, as always. The client may miss a change before
// armed returns: at the latest after ArmTimeout, or with ctx.
func (d *Direct) Resubscribe(uris []string) (armed func(ctx context.Context)) {
	e, s := d.client.engine, d.client.sessionSubscription()
	if s == nil { // the handshake failed
		return func(context.Context) {}
	}
	for _, uri := range uris {
		e.registry.add(s, uri)
	}
	rounds := e.reconcile(s.topicsOf(uris)...)
	return func(ctx context.Context) { e.arm(ctx, rounds) }
}

// Subscriptions returns the URIs that the session is subscribed to, as its client has spelled them.
func (d *Direct) Subscriptions() []string {
	if s := d.client.sessionSubscription(); s != nil {
		return d.client.engine.registry.urisOf(s)
	}
	return nil
}

// Announce announces URIs as changed, to which the session is subscribed; without any, all that it is
// subscribed to, and the lists: its client may have lost notifications.
func (d *Direct) Announce(uris ...string) {
	s := d.client.sessionSubscription()
	if s == nil {
		return
	}
	if len(uris) == 0 {
		uris = d.Subscriptions()
		s.enqueueLists(d.client.engine.options.announced())
	}
	for _, uri := range uris {
		s.enqueue(uri)
	}
}

// unsubscribe takes a URI away. Doing so twice is harmless.
func (e *Engine) unsubscribe(_ context.Context, req *Request) (sink.Result, error) {
	if _, err := req.URI(); err != nil {
		return sink.Result{}, err
	}
	req.client.sessionSubscription().unsubscribe(req.uri)
	return sink.Result{Document: e.fixed.Load().empty}, nil
}
