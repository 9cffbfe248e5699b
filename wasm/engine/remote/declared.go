package remote

import (
	"bytes"
	"context"
	"maps"
	"slices"
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

// maxGrants bounds the text of a page's grants.
const maxGrants = 256 << 10 // bytes

// grantsOf returns the grants in a result of discover; nil: everything is allowed. Grants
// that are not valid allow nothing.
func grantsOf(discovered []byte) *engine.Grants {
	text := jsonrpc.Member(discovered, hop.MemberGrants)
	if text == nil {
		return nil
	}
	if len(text) <= maxGrants {
		if g, err := engine.ParseGrants(text); err == nil {
			return g
		}
	}
	return noGrants()
}

// noGrants returns grants that allow nothing.
func noGrants() *engine.Grants {
	g, _ := engine.ParseGrants([]byte(`{"default":"ask","grants":[]}`))
	return g
}

// Grants implements [engine.Guarded]: who may see the lists and changes of the other engine.
// Every other request goes there, and is decided there.
func (r *Remote) Grants() *engine.Grants { return r.grants.Load() }

// othersAllow reports whether all other tabs of the app that are awake allow something: while a page is away or asleep it
// hears of no decision of its user. Without such a tab nothing is allowed: the user may have decided where no gateway hears of it.
func (r *Remote) othersAllow(allows func(*engine.Grants) bool) bool {
	found := false
	for _, g := range r.elsewhere() {
		if !allows(g) {
			return false
		}
		found = true
	}
	return found
}

// elsewhere returns the grants of the other tabs that are awake.
func (r *Remote) elsewhere() (all []*engine.Grants) {
	if r.others == nil {
		return nil
	}
	for _, other := range r.others() {
		if g, ok := other.newestGrants(); ok {
			all = append(all, g)
		}
	}
	return all
}

// newestGrants returns the grants of a page that is awake; while it has others by now, nothing is granted. What another
// node knows of its pages may be older.
func (r *Remote) newestGrants() (g *engine.Grants, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch l := r.link; {
	case l == nil || l.hub || !l.asleep.IsZero():
		return nil, false
	case l.unsure:
		return noGrants(), true
	}
	return r.grants.Load(), true
}

// regrant replaces the grants, and returns the change that announces it to everyone, since lists
// are other ones now; changed is false if they are the same. r.mu is held.
func (r *Remote) regrant(g *engine.Grants) (change engine.Change, changed bool) {
	old := r.grants.Load()
	if string(old.AppendText(nil)) == string(g.AppendText(nil)) {
		return change, false
	}
	r.grants.Store(g)
	r.lists.clear() // an assistant may have got what it may not see any more
	return engine.Change{List: true, Prompts: true, Tools: true, Granted: func(who engine.Principal, uri string) bool {
		return !old.MayWatch(who, uri) && g.MayWatch(who, uri)
	}}, true
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
			declared, granted, change := r.discoveredAgain(l, discovered, err)
			if granted {
				r.announce(change)
			}
			if declared || granted {
				if r.onDeclared != nil {
					r.onDeclared()
				}
				// Clients that followed the page's own announcement may have been too early.
				r.announce(engine.Change{List: true})
			}
			for _, uri := range r.release(l) {
				r.announceTopic(uri)
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
	l.unsure = true
	return l.rediscover == 1
}

// hold reports whether newer grants are being requested, and keeps the changed URI until they are
// there: the present ones may allow what the user has just stopped.
func (r *Remote) hold(l *link, uri string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l.unsure && r.has(uri) { // else it is announced once it has a listen
		l.held[uri] = struct{}{}
	}
	return l.unsure
}

// release returns the URIs that were held, once the grants are known.
func (r *Remote) release(l *link) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l.unsure {
		return nil
	}
	held := slices.Collect(maps.Keys(l.held))
	clear(l.held)
	return held
}

// discoveredAgain records an answer, and reports whether it declares something else than before,
// and whether the grants are others, with that change.
func (r *Remote) discoveredAgain(l *link, discovered []byte, err error) (declared, granted bool, change engine.Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		return false, false, change
	}
	l.extensions, l.grants, l.discovered = extensionsOf(discovered), grantsOf(discovered), true
	l.unsure = l.rediscover > 1
	if r.link != l {
		return false, false, change // replace takes them
	}
	declared = string(l.extensions) != string(r.extensions)
	r.extensions = l.extensions
	if change, granted = r.regrant(l.grants); granted {
		held, mayNow := maps.Clone(l.held), change.Granted
		change.Granted = func(who engine.Principal, uri string) bool {
			_, isHeld := held[uri] // release announces it
			return !isHeld && mayNow(who, uri)
		}
	}
	return declared, granted, change
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
