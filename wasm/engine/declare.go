package engine

import (
	"slices"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/hop"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A Remote requests a notification of this project's own, by the member hop.KeyDeclared in the _meta of its
// discover: its params are what discover would answer now. It comes when the grants change.

// announceDeclared sends the notification to the clients that want it.
func (e *Engine) announceDeclared() {
	for _, c := range e.connected() {
		e.safely("a Sink", func() { c.announceDeclared() })
	}
}

func (c *Client) announceDeclared() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wantsDeclared && !c.declaredWaits && !c.closed {
		c.declaredWaits = true
		c.sink.Announce((*declared)(c))
	}
}

// declared is what a client is notified about.
type declared Client

// Take implements [sink.Topic].
func (d *declared) Take() (*sink.Document, sink.Call) {
	d.declaredWaits = false
	return &sink.Document{JSON: jsonrpc.AppendNotification(nil, hop.DeclaredChanged, (*Client)(d).declaration())}, 0
}

// declaration returns what discover answers to a client that wants the notification.
func (c *Client) declaration() []byte {
	all := c.engine.discovery.Load().JSON
	whole := emit.JSON(slices.Clone(all[:len(all)-1]))
	if g := c.engine.grants.Load(); g != nil && c.proxy {
		whole.Member(hop.MemberReaders, g.appendReaders(nil))
	}
	whole.Text("}")
	return whole
}

// wantDeclared records that a client wants the notification.
func (c *Client) wantDeclared() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wantsDeclared = true
}
