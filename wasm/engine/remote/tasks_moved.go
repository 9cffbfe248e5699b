package remote

import (
	"maps"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// Listens of tasks that another tab has taken over. A task that is listened to here, while this
// engine is away or does not have it, is orphaned: the Remotes of the other tabs listen to it as
// well, since the one that has it now is not known. They pass on what they get.

// OthersChanged says that the function of OnOthers returns other Remotes than before. It does not
// block.
func (r *Remote) OthersChanged() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.link != nil {
		r.link.replan()
	}
}

// shareOrphans lets the other tabs listen to the tasks that are orphaned now, if these are not the
// same as before. Call it when that may have changed, without locks.
func (r *Remote) shareOrphans() {
	if r.others == nil || !r.findOrphans() {
		return
	}
	for _, other := range r.others() {
		other.OthersChanged()
	}
}

// findOrphans reports whether they have changed.
func (r *Remote) findOrphans() (changed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	orphans := map[string]struct{}{}
	for f := range r.follows {
		for uri := range f.uris {
			id := engine.TaskOfURI(uri)
			if id == "" || r.link != nil && !r.link.isRefused(uri) {
				continue
			}
			if last, known := r.tasks.last(id); !known || !last.HasEnded() {
				orphans[uri] = struct{}{}
			}
		}
	}
	if maps.Equal(orphans, r.orphans) {
		return false
	}
	r.orphans = orphans // never changed in place
	return true
}

// isRefused: the Remote's mu is held.
func (l *link) isRefused(uri string) bool {
	_, refused := l.refused[uri]
	return refused
}

// adopt notes which tasks of the other tabs are to be listened to here.
func (r *Remote) adopt() {
	if r.others == nil {
		return
	}
	adopted := map[string]struct{}{}
	for _, other := range r.others() {
		maps.Copy(adopted, other.orphaned())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.adopted = adopted
}

func (r *Remote) orphaned() map[string]struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.orphans
}

// passOn passes the state of a task to the tabs for which it is listened to.
func (r *Remote) passOn(s engine.TaskState) {
	uri := engine.TaskURI(s.ID)
	if !r.hasAdopted(uri) {
		return
	}
	for _, other := range r.others() {
		if _, waits := other.orphaned()[uri]; waits {
			other.tasks.keep(s)
			other.announce(engine.Change{URI: uri})
			other.shareOrphans() // it may have ended
		}
	}
}

func (r *Remote) hasAdopted(uri string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, adopted := r.adopted[uri]
	return adopted
}
