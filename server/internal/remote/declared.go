package remote

import (
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/hop"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// What the other engine declares. It may change: see hop.KeyDeclared.

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

// maxReaders bounds the text of a page's readers.
const maxReaders = 256 << 10 // bytes

// readersOf returns the readers in a result of discover; nil: everyone. Those that are not valid are nobody.
func readersOf(discovered []byte) *engine.Readers {
	text := jsonrpc.Member(discovered, hop.MemberReaders)
	if text == nil {
		return nil
	}
	if len(text) <= maxReaders {
		if readers, err := engine.ParseReaders(text); err == nil {
			return readers
		}
	}
	return engine.Nobody()
}

// othersAllow reports whether an assistant may read everything in all other tabs of the app that are awake: while a page is
// away or asleep it hears of no decision of its user. Without such a tab nothing is allowed: the user may have decided where no gateway hears of it.
func (r *Remote) othersAllow(who engine.Principal) bool {
	found := false
	for _, readers := range r.elsewhere() {
		if _, may := readers.Reason(who); !may {
			return false
		}
		found = true
	}
	return found
}

// elsewhere returns the readers of the other tabs that are awake.
func (r *Remote) elsewhere() (all []*engine.Readers) {
	if r.others == nil {
		return nil
	}
	for _, other := range r.others() {
		if other.awake() != nil {
			all = append(all, other.readers.Load())
		}
	}
	return all
}

// discoverParams are the params of a Remote's server/discover.
func discoverParams() []byte {
	params := envelope("", nil)
	return append(params[:len(params)-len("}}")], `,"`+hop.KeyDeclared+`":true}}`...)
}

// declared takes what the other engine declares now.
func (r *Remote) declared(l *link, discovered []byte) {
	r.setReaders(l, readersOf(discovered))
	r.retry(l) // what was refused may be allowed by now
}

func (r *Remote) setReaders(l *link, readers *engine.Readers) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l.readers = &readers; r.link == l { // else replace takes it
		r.adopt(readers)
	}
}

// adopt makes readers the present ones; r.mu is held. An assistant may have got lists that it may not see any more.
func (r *Remote) adopt(readers *engine.Readers) {
	r.readers.Store(readers)
	r.lists.clear()
}
