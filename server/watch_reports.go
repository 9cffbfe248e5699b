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
	"github.com/pagemcp/pagemcp/server/internal/gateway"
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
	began     time.Time
	wake      chan struct{}                 // has room for one: there is something to report
	wanted    []string                      // URIs that it follows; of the goroutine that lists
	known     map[string]gateway.Occurrence // the last one that was read of each event, by URI; of the goroutine that lists

	mu       sync.Mutex
	names    map[string]watched       // that are listed, by URI
	changed  map[string]struct{}      // URIs that are to be reported
	unread   map[string]struct{}      // URIs of events that are to be read
	happened map[string]*WatchedEvent // events since the last report, by URI
	isStale  bool                     // the list may have changed
	relisted map[string]struct{}      // pages whose list has other resources
	asked    map[string]struct{}      // entries of pages that were read to ask their users
	lostAt   time.Time                // when the connection was lost; zero: it is there
	lost     int                      // of names, then: a gateway that restarts has none at first
	missed   *WatchedDowntime         // that is to be reported
}

// A watched is what is known of a resource that is watched.
type watched struct {
	name, description string
	mayShow           bool // its data, outside of conversations
}

// metaShow is the key in _meta of an event whose app says that its data may be shown where the user
// has not opened it, with the value true.
const metaShow = "io.github.pagemcp/show"

func newWatcher(o WatchOptions, r *remote.Remote) *watcher {
	return &watcher{
		WatchOptions: o, remote: r, began: time.Now().Truncate(time.Millisecond), wake: make(chan struct{}, 1), known: map[string]gateway.Occurrence{},
		names: map[string]watched{}, changed: map[string]struct{}{}, unread: map[string]struct{}{}, happened: map[string]*WatchedEvent{},
	}
}

// note records a change. It never blocks.
func (w *watcher) note(change engine.Change) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isStale = w.isStale || change.List
	switch {
	case gateway.IsEvent(change.URI):
		w.unread[change.URI] = struct{}{}
	case change.URI != "":
		w.changed[change.URI] = struct{}{}
	}
	wait.Wake(w.wake)
}

func (w *watcher) markStale() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isStale = true
}

// noteLosses records times without a connection, until ctx ends.
func (w *watcher) noteLosses(ctx context.Context) {
	for {
		gone := w.remote.Gone()
		select {
		case <-gone:
			w.setLost(true)
			if !wait.For(ctx, retryInterval) {
				return
			}
			continue
		default:
			w.setLost(false)
		}
		select {
		case <-gone:
		case <-ctx.Done():
			return
		}
	}
}

func (w *watcher) setLost(isLost bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case isLost && w.lostAt.IsZero():
		w.lostAt, w.lost = time.Now(), len(w.names)
	case !isLost && !w.lostAt.IsZero():
		w.missed = &WatchedDowntime{Seconds: time.Since(w.lostAt).Seconds(), Watched: w.lost}
		w.lostAt = time.Time{}
		wait.Wake(w.wake)
	}
}

// want watches resources. New events among them are read afterwards.
func (w *watcher) want(ctx context.Context, uris []string) {
	sorted := slices.Sorted(slices.Values(uris))
	dropped := slices.DeleteFunc(w.wanted, func(uri string) bool { _, still := slices.BinarySearch(sorted, uri); return still })
	w.wanted = sorted
	if armed := w.following.Want(append(topicsOf(uris), engine.Topic{}), topicsOf(dropped)); armed != nil {
		select {
		case <-armed:
		case <-time.After(engine.ArmTimeout):
		case <-ctx.Done():
		}
	}
	for _, uri := range uris {
		if _, isKnown := w.known[uri]; gateway.IsEvent(uri) && !isKnown {
			w.note(engine.Change{URI: uri})
		}
	}
}

// topicsOf returns the topics of resources.
func topicsOf(uris []string) []engine.Topic {
	topics := make([]engine.Topic, len(uris))
	for i, uri := range uris {
		topics[i].URI = uri
	}
	return topics
}

// list requests the list of resources, for their names, and watches them.
func (w *watcher) list(ctx context.Context) error {
	names := map[string]watched{}
	for cursor := ""; len(names) < maxWatched; {
		listing, err := w.remote.List(ctx, engine.Resources, cursor)
		if err != nil {
			return err
		}
		for _, r := range listing.Items {
			if page := access.PageOfURI(r.Key); r.Key == page+"+"+engine.AccessURI {
				if w.Page == "" || w.Page == page {
					w.askUser(ctx, r.Key)
				}
			} else if w.wants(r.Key) {
				text := func(member string) string {
					text, _ := jsonrpc.Text(jsonrpc.Member(r.JSON, member))
					return text
				}
				names[r.Key] = watched{
					engine.PlainText(cmp.Or(text("title"), text("name")), engine.MaxName), engine.PlainText(text("description"), engine.MaxTitle),
					string(jsonrpc.Member(jsonrpc.Member(r.JSON, "_meta"), metaShow)) == "true",
				}
			}
		}
		if cursor = listing.Next; cursor == "" {
			break
		}
	}
	w.replace(names)
	if len(w.URIs) == 0 {
		w.want(ctx, slices.Sorted(maps.Keys(names)))
	}
	return nil
}

// wants reports whether a listed resource is watched.
func (w *watcher) wants(uri string) bool {
	if len(w.URIs) > 0 {
		return slices.Contains(w.URIs, uri)
	}
	return w.Page == "" || access.PageOfURI(uri) == w.Page
}

func (w *watcher) replace(names map[string]watched) {
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
		if late == nil { // else the list reads them
			w.readEvents(ctx)
		}
		r, isOne := w.next()
		if !isOne {
			continue
		}
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

// readTime bounds the read of an event: a page that does not answer must not hold back the changes of
// others.
const readTime = time.Second

// readEvents reads the events that have changed, or are new.
func (w *watcher) readEvents(ctx context.Context) {
	for _, uri := range w.takeUnread() {
		later, lost := w.readEvent(ctx, uri)
		if len(later) > 0 || lost != 0 {
			w.happens(uri, later, lost)
		}
	}
}

func (w *watcher) takeUnread() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	uris := slices.Sorted(maps.Keys(w.unread))
	clear(w.unread)
	return uris
}

// readEvent returns what has happened since the last read, or since the watcher began. A page that
// is away announces its event as changed when it is back.
func (w *watcher) readEvent(ctx context.Context, uri string) (later []gateway.Occurrence, lost int64) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	contents, err := w.remote.Read(ctx, uri)
	if err != nil || len(contents) == 0 {
		return nil, 0
	}
	text, _ := jsonrpc.Text(contents[0].Relayed.Body)
	all := gateway.Occurrences(text)
	known, isKnown := w.known[uri]
	w.known[uri] = gateway.LastOf(all)
	if isKnown {
		return known.After(all)
	}
	return slices.DeleteFunc(all, func(o gateway.Occurrence) bool {
		at, err := time.Parse(time.RFC3339, o.Time)
		return err != nil || at.Before(w.began)
	}), 0
}

func (w *watcher) happens(uri string, later []gateway.Occurrence, lost int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	one := w.happened[uri]
	if one == nil {
		one = &WatchedEvent{URI: uri}
		w.happened[uri] = one
	}
	switch {
	case lost < 0:
		one.Lost = -1
	case one.Lost >= 0:
		one.Lost += lost
	}
	if one.Count += len(later); len(later) > 0 {
		one.Data = later[len(later)-1].Data
	}
}

// next returns what is to be reported; false: nothing is.
func (w *watcher) next() (r WatchReport, isOne bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r.Time = time.Now()
	if r.Missed, w.missed = w.missed, nil; r.Missed != nil {
		clear(w.changed) // what the new connection announces
	}
	uris := narrowest(slices.Sorted(maps.Keys(w.changed)))
	clear(w.changed)
	r.More = max(0, len(uris)-WatchShown)
	for _, uri := range uris[:len(uris)-r.More] {
		r.Resources = append(r.Resources, WatchedChange{uri, w.names[uri].name})
	}
	for _, uri := range slices.Sorted(maps.Keys(w.happened)) {
		event, of := *w.happened[uri], w.names[uri]
		event.Description = of.description
		if !w.Contents || !of.mayShow {
			event.Data = nil
		}
		r.Events = append(r.Events, event)
	}
	clear(w.happened)
	for page := range w.relisted {
		r.Lists = append(r.Lists, page)
	}
	slices.Sort(r.Lists)
	w.relisted = nil
	return r, len(uris) > 0 || r.Lists != nil || r.Missed != nil || r.Events != nil
}

// narrowest returns sorted URIs without those that are above another one: the store of a record
// that changed.
func narrowest(uris []string) []string {
	return slices.DeleteFunc(slices.Clone(uris), func(uri string) bool {
		at, _ := slices.BinarySearch(uris, uri+"/")
		return at < len(uris) && strings.HasPrefix(uris[at], uri+"/")
	})
}
