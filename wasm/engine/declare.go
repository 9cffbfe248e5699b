package engine

import (
	"context"
	"time"

	"github.com/pagemcp/pagemcp/wasm/internal/hop"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// What discover declares may change: extensions of a gateway come and go with its pages,
// and the skills of a page with its components. MCP has no notification for that. A Remote
// asks for one of this project's own, by the member hop.KeyDeclared in the _meta of its
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

// discoverParams are the params of a Remote's server/discover.
func discoverParams() []byte {
	params := envelope("", nil)
	return append(params[:len(params)-len("}}")], `,"`+hop.KeyDeclared+`":true}}`...)
}

// OnDeclared sets the function that is called when the other engine declares other
// extensions than before on the same port. Call it before the first Reattach.
func (r *Remote) OnDeclared(changed func()) { r.onDeclared = changed }

// rediscoverPause is between two requests of what the other engine declares: it may
// announce changes without end.
const rediscoverPause = 100 * time.Millisecond

// rediscover requests what the other engine declares now. It does not block.
func (r *Remote) rediscover(l *link) {
	if !r.beginRediscover(l) {
		return
	}
	go func() { // ends with the answer, or the link
		defer r.survive(l)
		for again := true; again; {
			ctx, cancel := context.WithTimeout(context.Background(), hop.Timeout)
			discovered, err := l.conn.Call(ctx, MethodDiscover, discoverParams())
			cancel()
			if r.discoveredAgain(l, discovered, err) {
				if r.onDeclared != nil {
					r.onDeclared()
				}
				// Clients that followed the page's own announcement may have been too early.
				r.announce(Change{List: true})
			}
			if err == nil {
				time.Sleep(rediscoverPause)
			}
			again = r.endRediscover(l, err)
		}
	}()
}

// beginRediscover returns false if a request is under way: it will be repeated.
func (r *Remote) beginRediscover(l *link) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	l.rediscover++
	return l.rediscover == 1
}

// discoveredAgain records an answer, and reports whether it is another one than before.
func (r *Remote) discoveredAgain(l *link, discovered []byte, err error) (changed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		return false
	}
	l.extensions, l.discovered = extensionsOf(discovered), true
	if r.link != l {
		return false // replace takes them
	}
	changed = string(l.extensions) != string(r.extensions)
	r.extensions = l.extensions
	return changed
}

// endRediscover reports whether a further change was announced meanwhile.
func (r *Remote) endRediscover(l *link, err error) (again bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	again = l.rediscover > 1 && err == nil
	l.rediscover = 0
	if again {
		l.rediscover = 1
	}
	return again
}
