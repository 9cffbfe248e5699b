package remote

import (
	"bytes"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/task"
	"github.com/pagemcp/pagemcp/wasm/hop"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// notified handles a notification of the other engine. It never blocks.
func (r *Remote) notified(l *link, msg jsonrpc.Message) {
	if r.forwardUpdate(l, msg) {
		return
	}
	if msg.Method == hop.DeclaredChanged {
		if jsonrpc.Member(msg.Params, "capabilities") != nil {
			r.declared(l, msg.Params)
		}
		return
	}
	if msg.Method == hop.NotifyValue {
		if r.mirror != nil {
			r.mirror.changed(l, msg.Params)
		}
		return
	}
	if msg.Method == hop.NotifyAsleep {
		r.setAsleep(l, string(jsonrpc.Member(msg.Params, "asleep")) == "true")
		return
	}
	var subscription jsonrpc.ID
	var uri string
	var filter []byte
	jsonrpc.Members(msg.Params, func(name string, value []byte) *jsonrpc.Error {
		switch name {
		case "uri":
			uri, _ = jsonrpc.Text(value)
		case "notifications":
			filter = value
		case "_meta":
			subscription = jsonrpc.ID(bytes.Clone(jsonrpc.Member(value, hop.KeySubscription)))
		}
		return nil
	})
	who, ok := r.listensTo(l, subscription)
	if !ok {
		return
	}
	switch msg.Method {
	case engine.MethodAcknowledged:
		r.acknowledged(l, subscription, filter)
	case task.MethodNotify:
		r.taskNotified(l, who, msg.Params)
	case engine.MethodUpdated:
		r.announce(engine.Change{URI: uri, Only: true, Who: who})
	case engine.MethodResourcesChanged:
		r.announce(engine.Change{List: true, Only: true, Who: who})
	case engine.MethodPromptsChanged:
		r.announce(engine.Change{Prompts: true, Only: true, Who: who})
	case engine.MethodToolsChanged:
		r.announce(engine.Change{Tools: true, Only: true, Who: who})
	}
}

// announce passes a change to all followers.
func (r *Remote) announce(change engine.Change) {
	for _, f := range r.followers() {
		f.changed(change)
	}
}

func (r *Remote) followers() []*following {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]*following, 0, len(r.follows))
	for f := range r.follows {
		all = append(all, f)
	}
	return all
}

// survive, deferred by a goroutine of a link, keeps a panic from ending the process:
// it costs the link.
func (r *Remote) survive(l *link) {
	if p := recover(); p != nil {
		r.report(jsonrpc.Panicked(p))
		l.conn.Close()
	}
}

// report passes an error to one of the engines that follow the Remote: a gateway has
// several that report to one place.
func (r *Remote) report(err error) {
	for _, f := range r.followers() {
		if f.report != nil {
			f.report(err)
			return
		}
	}
}
