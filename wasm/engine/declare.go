package engine

import (
	"github.com/pagemcp/pagemcp/wasm/internal/hop"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// What discover declares may change: extensions of a gateway come and go with its pages,
// and the skills of a page with its components. MCP has no notification for that. A Remote
// requests one of this project's own, by the member hop.KeyDeclared in the _meta of its
// discover, and discovers again when it comes.

// SetExtensions replaces Options.Extensions: a JSON object, or nil.
func (e *Engine) SetExtensions(object []byte) {
	e.declare(func(o *Options) { o.Extensions = object })
}

// SetSkills replaces Options.Skills.
func (e *Engine) SetSkills(on bool) {
	if e.skills.Swap(on) != on {
		e.declare(func(o *Options) { o.Skills = e.skills.Load() })
	}
}

// declare changes what discover answers.
func (e *Engine) declare(change func(*Options)) {
	e.forget([]*sink.Document{e.redeclare(change)})
	for _, c := range e.connected() {
		e.safely("a Sink", c.announceDeclared)
	}
}

// redeclare is declare for what e.mu guards. It returns the Document that is replaced.
func (e *Engine) redeclare(change func(*Options)) *sink.Document {
	e.mu.Lock()
	defer e.mu.Unlock()
	change(&e.options)
	return e.discovery.Swap(e.fixed.Load().discover(&e.options))
}

// announceDeclared sends the notification to a client that wants it.
func (c *Client) announceDeclared() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wantsDeclared && !c.closed {
		c.sink.Notify(&sink.Document{JSON: jsonrpc.AppendNotification(nil, hop.DeclaredChanged, nil)}, 0)
	}
}

// wantDeclared records that a client wants the notification.
func (c *Client) wantDeclared() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wantsDeclared = true
}
