package remote

import (
	"bytes"
	"context"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/hop"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// What the other engine declares. It may change: see hop.KeyDeclared. Then it is discovered
// again.

// Info returns the Info of the other engine, unchanged and without Icons; false if it has
// not arrived yet.
func (r *Remote) Info() (engine.Info, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.info, r.info.Name != ""
}

// infoOf returns the Info in a result of discover.
func infoOf(discovered []byte) (info engine.Info) {
	server := jsonrpc.Member(jsonrpc.Member(discovered, "_meta"), hop.KeyServerInfo)
	for _, member := range [...]struct {
		name  string
		value *string
	}{{"name", &info.Name}, {"title", &info.Title}, {"version", &info.Version}, {"websiteUrl", &info.WebsiteURL}} {
		*member.value, _ = jsonrpc.Text(jsonrpc.Member(server, member.name))
	}
	info.Instructions, _ = jsonrpc.Text(jsonrpc.Member(discovered, "instructions"))
	return info
}

// Extensions returns what the other engine's discover declares: a JSON object, or
// nil.
func (r *Remote) Extensions() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.extensions
}

// extensionsOf returns the extensions in a result of discover.
func extensionsOf(discovered []byte) []byte {
	object := jsonrpc.Member(jsonrpc.Member(discovered, "capabilities"), "extensions")
	if len(object) == 0 || object[0] != '{' {
		return nil
	}
	return bytes.Clone(object)
}

// Grants of the other engine. They decide who may see its lists and changes; every other
// request goes there, and is decided there.
type grants struct {
	text  []byte         // as it came: for engines of other nodes; nil: there are none
	table *engine.Grants // nil: everything is allowed
}

// maxGrantsText bounds the text of a page's grants.
const maxGrantsText = 256 << 10 // bytes

// grantsOf returns the grants in a result of discover. Nobody may see what has grants that are
// not valid.
func grantsOf(discovered []byte) (g grants) {
	text := jsonrpc.Member(discovered, hop.MemberGrants)
	if text == nil {
		return g
	}
	g.text = bytes.Clone(text)
	table, err := engine.ParseGrants(g.text)
	if err != nil || len(text) > maxGrantsText {
		g.text = []byte(`{"default":"ask","grants":[]}`)
		table, _ = engine.ParseGrants(g.text)
	}
	g.table = table
	return g
}

// MayRead implements [engine.Guarded].
func (r *Remote) MayRead(who engine.Principal) bool {
	return r.presentGrants().table.MayRead(who)
}

// AppendGrants implements [engine.Guarded].
func (r *Remote) AppendGrants(dst []byte) []byte { return append(dst, r.presentGrants().text...) }

func (r *Remote) presentGrants() grants {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.grants
}

// A regrant is a change of grants.
type regrant struct{ old, present *engine.Grants }

// change announces it to everyone, since lists are other ones now.
func (g *regrant) change() engine.Change {
	return engine.Change{List: true, Prompts: true, Tools: true, Granted: func(who engine.Principal) bool {
		return !g.old.MayRead(who) && g.present.MayRead(who)
	}}
}

// regrant replaces the grants, and returns the change; nil: there is none. r.mu is held.
func (r *Remote) regrant(g grants) *regrant {
	if string(g.text) == string(r.grants.text) {
		return nil
	}
	change := &regrant{r.grants.table, g.table}
	r.grants = g
	r.lists.clear() // an assistant may have got what it may not see any more
	return change
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
			discovered, err := l.conn.Call(ctx, engine.MethodDiscover, discoverParams())
			cancel()
			changed, granted := r.discoveredAgain(l, discovered, err)
			if granted != nil {
				r.announce(granted.change())
			}
			if changed || granted != nil {
				if r.onDeclared != nil {
					r.onDeclared()
				}
				// Clients that followed the page's own announcement may have been too early.
				r.announce(engine.Change{List: true})
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
func (r *Remote) discoveredAgain(l *link, discovered []byte, err error) (changed bool, granted *regrant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		return false, nil
	}
	l.extensions, l.grants, l.discovered = extensionsOf(discovered), grantsOf(discovered), true
	if r.link != l {
		return false, nil // replace takes them
	}
	changed = string(l.extensions) != string(r.extensions)
	r.extensions = l.extensions
	return changed, r.regrant(l.grants)
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
