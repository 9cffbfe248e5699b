package server

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/wait"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/remote"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A watcher collects what happens at a gateway, for reports.
type watcher struct {
	WatchOptions
	remote    *remote.Remote
	following engine.Following
	wake      chan struct{} // has room for one: there is something to report
	events    chan struct{} // likewise: the list of events may have changed

	mu       sync.Mutex
	names    map[string]string        // of the resources that are listed, by URI
	changed  map[string]bool          // URIs that are to be reported; true: resources below them may have changed
	happened map[string]*WatchedEvent // events since the last report, by name
	isStale  bool                     // the list may have changed
	relisted map[string]struct{}      // pages whose list has other resources
	asked    map[string]struct{}      // entries of pages that were read to ask their users
	gap      gap
}

// A gap is a time without a connection.
type gap struct {
	from      time.Time // zero: there is none
	to        time.Time // zero: it has not ended
	gateway   bool
	isUnknown bool // something may be missing
	hasEvents bool // something that is to be reported happened in it
}

func newWatcher(o WatchOptions, r *remote.Remote) *watcher {
	return &watcher{WatchOptions: o, remote: r, names: map[string]string{}, changed: map[string]bool{}, wake: make(chan struct{}, 1), events: make(chan struct{}, 1), happened: map[string]*WatchedEvent{}}
}

// note records a change of the lists. It never blocks.
func (w *watcher) note(change engine.Change) {
	if change.Events {
		wait.Wake(w.events)
	}
	if change.List {
		w.markStale()
		wait.Wake(w.wake)
	}
}

func (w *watcher) markStale() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isStale = true
}

// take takes a note of the stream.
func (w *watcher) take(n engine.EventNote) bool {
	if w.record(n) {
		wait.Wake(w.wake)
	}
	return true
}

// record reports whether there is something to report.
func (w *watcher) record(n engine.EventNote) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch n.Kind {
	case engine.NoteEvent:
		return w.recordEvent(n.Event)
	case engine.NoteError:
		if w.gap.from.IsZero() || !w.gap.to.IsZero() {
			w.gap.from, w.gap.to = time.Now(), time.Time{}
		}
	case engine.NoteActive:
		w.gap.isUnknown = w.gap.isUnknown || n.Truncated
		if w.gap.from.IsZero() {
			w.gap.from = time.Now()
		}
		w.gap.to = time.Now()
		return w.gap.isUnknown
	}
	return false
}

// recordEvent records an occurrence. The caller holds the lock.
func (w *watcher) recordEvent(o engine.Occurrence) bool {
	uri, _ := jsonrpc.Text(jsonrpc.Member(o.Data, "uri"))
	switch {
	case o.Name != engine.EventResourceUpdated:
		one := w.happened[o.Name]
		if one == nil {
			one = &WatchedEvent{Name: o.Name}
			w.happened[o.Name] = one
		}
		one.Count++
		one.Data = o.Data
	case w.Page != "" && access.PageOfURI(uri) != w.Page:
		return false
	default:
		w.changed[uri] = string(jsonrpc.Member(o.Data, "under")) == "true"
	}
	if at, err := time.Parse(time.RFC3339, o.Timestamp); err == nil && w.gap.gateway && at.Before(w.gap.to) {
		w.gap.hasEvents = true
	}
	return true
}

// noteLosses records when the connection to the gateway is lost, until ctx ends.
func (w *watcher) noteLosses(ctx context.Context) {
	for {
		select {
		case <-w.remote.Gone():
		case <-ctx.Done():
			return
		}
		w.recordLoss()
		if !pause(ctx, retryInterval) {
			return
		}
	}
}

func (w *watcher) recordLoss() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.gap.gateway || !w.gap.to.IsZero() {
		w.gap.from, w.gap.to = time.Now(), time.Time{}
	}
	w.gap.gateway = true
}

// list requests the list of resources, for their names.
func (w *watcher) list(ctx context.Context) error {
	names := map[string]string{}
	for cursor := ""; len(names) < maxWatched; {
		listing, err := w.remote.List(ctx, cursor)
		if err != nil {
			return err
		}
		for i := range listing.Resources {
			r := &listing.Resources[i]
			if page := access.PageOfURI(r.URI); r.URI == page+"+"+engine.AccessURI {
				if w.Page == "" || w.Page == page {
					w.askUser(ctx, r.URI)
				}
			} else if w.wants(r.URI) {
				names[r.URI] = engine.PlainText(cmp.Or(r.Title, r.Name), engine.MaxName)
			}
		}
		if cursor = listing.Next; cursor == "" {
			break
		}
	}
	w.replace(names)
	return nil
}

// wants reports whether a listed resource is watched.
func (w *watcher) wants(uri string) bool {
	if len(w.URIs) > 0 {
		return slices.Contains(w.URIs, uri)
	}
	return w.Page == "" || access.PageOfURI(uri) == w.Page
}

func (w *watcher) replace(names map[string]string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for uri := range names {
		if _, was := w.names[uri]; !was {
			w.relist(uri)
		}
	}
	for uri := range w.names {
		if _, is := names[uri]; !is {
			w.relist(uri)
		}
	}
	w.names = names
}

// relist records that the list of the page of a URI is another one. The caller holds the lock.
func (w *watcher) relist(uri string) {
	if w.relisted == nil {
		w.relisted = map[string]struct{}{}
	}
	w.relisted[access.PageOfURI(uri)] = struct{}{}
}

// askUser reads the entry of a page that is not shared, once, so that its user is asked. The
// list changes if they allow it.
func (w *watcher) askUser(ctx context.Context, uri string) {
	if !w.isNew(uri) {
		return
	}
	go func() { // ends with the answer
		ctx, cancel := context.WithTimeout(ctx, askTime)
		defer cancel()
		if _, err := w.remote.Read(ctx, uri); err != nil && !errors.Is(err, context.Canceled) {
			w.Logger.Warn("a page is not shared with this assistant", "page", access.PageOfURI(uri), "error", err.Error())
		}
	}()
}

func (w *watcher) isNew(uri string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, was := w.asked[uri]
	if w.asked == nil {
		w.asked = map[string]struct{}{}
	}
	w.asked[uri] = struct{}{}
	return !was
}

// run reports until ctx ends.
func (w *watcher) run(ctx context.Context, report func(WatchReport) error) error {
	p := pace{every: w.Every, settle: w.Settle, wake: w.wake}
	var late <-chan struct{}
	for p.next(ctx, late) {
		late = w.refresh(ctx, late)
		r, isOne := w.next()
		if !isOne {
			continue
		}
		w.describe(ctx, r.Events)
		p.reported = time.Now()
		if err := report(r); err != nil {
			return err
		}
	}
	return nil
}

// listTime is how long a report waits for a list that may have changed. A page that answers slowly
// must not hold back the changes of others.
const listTime = 50 * time.Millisecond

// refresh requests the list if it may have changed, and waits for it up to listTime. late is that of
// the last refresh: closed when the list comes; nil: none is to come.
func (w *watcher) refresh(ctx context.Context, late <-chan struct{}) <-chan struct{} {
	limit := time.NewTimer(listTime)
	defer limit.Stop()
	for isDone := false; ; {
		if late == nil {
			if isDone || !w.takeStale() { // what changes from here on wakes run again
				return nil
			}
			late, isDone = w.listLater(ctx), true
		}
		select {
		case <-late:
			late = nil
		case <-limit.C:
			return late
		case <-ctx.Done():
			return late
		}
	}
}

// listLater requests the list in the background; the channel is closed when it has come.
func (w *watcher) listLater(ctx context.Context) <-chan struct{} {
	listed := make(chan struct{})
	go func() { // ends with ctx or the answers
		defer close(listed)
		if err := w.list(ctx); err != nil && ctx.Err() == nil {
			w.Logger.Warn("the list of resources could not be read", "error", err.Error())
			w.markStale() // requested again after the next change
		}
	}()
	return listed
}

func (w *watcher) takeStale() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	wasStale := w.isStale
	w.isStale = false
	return wasStale
}

// next returns what is to be reported; false: nothing is.
func (w *watcher) next() (r WatchReport, isOne bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r.Time = time.Now()
	if g := w.gap; !g.to.IsZero() && (g.isUnknown || g.hasEvents) {
		r.Missed = &WatchedDowntime{Seconds: g.to.Sub(g.from).Seconds(), Gateway: g.gateway, Unknown: g.isUnknown, Watched: len(w.names)}
		w.gap = gap{}
	}
	uris := narrowest(w.changed)
	clear(w.changed)
	r.More = max(0, len(uris)-WatchShown)
	for _, uri := range uris[:len(uris)-r.More] {
		r.Resources = append(r.Resources, WatchedChange{uri, w.names[uri]})
	}
	for _, one := range w.happened {
		r.Events = append(r.Events, *one)
	}
	clear(w.happened)
	slices.SortFunc(r.Events, func(a, b WatchedEvent) int { return cmp.Compare(a.Name, b.Name) })
	if w.Event == "" {
		for page := range w.relisted {
			r.Lists = append(r.Lists, page)
		}
		slices.Sort(r.Lists)
	}
	w.relisted = nil
	return r, len(uris) > 0 || r.Lists != nil || r.Missed != nil || r.Events != nil
}

// narrowest returns URIs that changed, sorted, without those that say less than the others: the
// store of a record that changed, and what may have changed beside what has.
func narrowest(changed map[string]bool) []string {
	uris := slices.Sorted(maps.Keys(changed))
	kept := slices.DeleteFunc(slices.Clone(uris), func(uri string) bool {
		at, _ := slices.BinarySearch(uris, uri+"/")
		for ; at < len(uris) && strings.HasPrefix(uris[at], uri+"/"); at++ {
			if !changed[uris[at]] {
				return true
			}
		}
		return changed[uri]
	})
	if len(kept) == 0 {
		return uris
	}
	return kept
}

// describe adds to events what their pages say of them, and removes their data unless it may be
// shown.
func (w *watcher) describe(ctx context.Context, events []WatchedEvent) {
	if events == nil {
		return
	}
	all, _ := w.remote.Events(ctx) // without it nothing is said
	for i := range events {
		event := &events[i]
		at := slices.IndexFunc(all, func(one engine.Event) bool { return one.Name == event.Name })
		mayShow := false
		if at >= 0 {
			description, _ := jsonrpc.Text(jsonrpc.Member(all[at].Object, "description"))
			event.Description = engine.PlainText(description, engine.MaxTitle)
			mayShow = string(jsonrpc.Member(jsonrpc.Member(all[at].Object, "_meta"), engine.MetaShow)) == "true"
		}
		if !w.Contents || !mayShow {
			event.Data = nil
		}
	}
}
