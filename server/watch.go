package server

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/wait"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/remote"
)

// WatchOptions of Watch.
type WatchOptions struct {
	State string   // directory of the gateway; default: the user's
	As    string   // name of the assistant, as in StdioOptions
	Page  string   // only resources of this page; "": of all
	URIs  []string // as resources/list at /mcp has them; none: all that are listed

	// Every is the least time between two reports: the first change after a pause is reported at
	// once, with those of the next 20 ms. Default 1 s.
	Every time.Duration
	// Settle is how long nothing has to change before the changes after a report are reported, but
	// not longer than Every. Default 500 ms.
	Settle time.Duration

	Logger *slog.Logger
}

// A WatchReport says what has changed since the report before it. It never has contents.
type WatchReport struct {
	Time      time.Time        `json:"time"`
	Resources []WatchedChange  `json:"resources"`       // at most WatchShown
	More      int              `json:"more,omitzero"`   // further resources that changed
	Lists     []string         `json:"lists,omitempty"` // pages whose list has other resources than before
	Missed    *WatchedDowntime `json:"missed,omitzero"` // changes may have been missed before; nil: none
}

// A WatchedChange is a resource that changed. Name is a text of the page, cleaned as
// [engine.PlainText] does.
type WatchedChange struct {
	URI  string `json:"uri"`
	Name string `json:"name,omitempty"`
}

// A WatchedDowntime is a time without a connection to the gateway. What changed in it is not
// known: all resources that are watched may have changed.
type WatchedDowntime struct {
	Seconds float64 `json:"seconds"`
	Watched int     `json:"watched"` // how many resources
}

// WatchShown is how many resources a report names.
const WatchShown = 5

// maxWatched bounds the resources that are watched, as a Remote bounds a list.
const maxWatched = 10_000

// askTime is how long the user of a page may take to answer whether it may be watched.
const askTime = time.Minute

// Watch calls report with the changes of resources at the running gateway, until ctx ends or
// report returns an error, which it returns. It reconnects by itself. A page that has not been
// shared with the assistant asks its user. The error is ErrNotRunning if no gateway runs at the
// beginning; later ones are waited for.
func Watch(ctx context.Context, o WatchOptions, report func(WatchReport) error) error {
	if o.State == "" {
		dir, err := DefaultState()
		if err != nil {
			return err
		}
		o.State = dir
	}
	o.Settle, o.Every = cmp.Or(o.Settle, 500*time.Millisecond), cmp.Or(o.Every, time.Second)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l := &gatewayLink{
		opts:   StdioOptions{Gateway: Options{State: o.State}, As: o.As},
		remote: remote.New(), log: o.Logger, onlyRunning: true, declare: func([]byte) {},
	}
	defer l.close()
	if err := l.connect(ctx); err != nil {
		return err
	}
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	running.Go(func() { l.reconnectLoop(ctx) })
	w := &watcher{WatchOptions: o, remote: l.remote, names: map[string]string{}, changed: map[string]struct{}{}, wake: make(chan struct{}, 1)}
	w.following = l.remote.Follow(ctx, w.note)
	running.Go(func() { w.noteLosses(ctx) })
	if armed := w.following.Want(nil); armed != nil { // else a change between list and listen is missed
		select {
		case <-armed:
		case <-time.After(engine.ArmTimeout):
		}
	}
	if err := w.list(ctx); err != nil {
		return err
	}
	w.relisted = nil // the first list is no change
	return w.run(ctx, report)
}

// A watcher collects the changes of a Remote.
type watcher struct {
	WatchOptions
	remote    *remote.Remote
	following engine.Following
	wake      chan struct{} // has room for one: something has changed

	mu       sync.Mutex
	names    map[string]string   // of the resources that are watched, by URI
	changed  map[string]struct{} // URIs that are to be reported
	isStale  bool                // the list may have changed
	relisted map[string]struct{} // pages whose list has other resources
	lost     time.Time           // when the connection was lost; zero: it was not, or all is reported
	before   int                 // how many resources were watched then
	isBack   bool                // it is back
	asked    map[string]struct{} // entries of pages that were read to ask their users
}

// note records a change. It never blocks.
func (w *watcher) note(change engine.Change) {
	w.record(change)
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *watcher) record(change engine.Change) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isBack = !w.lost.IsZero()
	w.isStale = w.isStale || change.List
	if _, isWatched := w.names[change.URI]; isWatched {
		w.changed[change.URI] = struct{}{}
	}
}

// noteLosses records when the connection is lost, until ctx ends.
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
	if w.lost.IsZero() {
		w.lost, w.before = time.Now(), len(w.names)
	}
}

// list requests the list, and follows what is to be watched.
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
	for _, uri := range w.URIs { // they need not be listed
		if _, isListed := names[uri]; !isListed {
			names[uri] = ""
		}
	}
	w.follow(names)
	return nil
}

// wants reports whether a listed resource is watched.
func (w *watcher) wants(uri string) bool {
	if len(w.URIs) > 0 {
		return slices.Contains(w.URIs, uri)
	}
	return w.Page == "" || access.PageOfURI(uri) == w.Page
}

// follow replaces what is watched.
func (w *watcher) follow(names map[string]string) {
	uris := make([]string, 0, len(names))
	for uri := range names {
		uris = append(uris, uri)
	}
	w.replace(names)
	w.following.Want(uris)
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
	w.names, w.isStale = names, false
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
	last := time.Time{}
	for {
		select {
		case <-w.wake:
		case <-ctx.Done():
			return nil
		}
		if !w.settle(ctx, last) {
			return nil
		}
		if w.takeStale() {
			if err := w.list(ctx); err != nil && ctx.Err() == nil {
				w.Logger.Warn("the list of resources could not be read", "error", err.Error())
			}
		}
		r, isOne := w.take()
		if !isOne {
			continue
		}
		last = time.Now()
		if err := report(r); err != nil {
			return err
		}
	}
}

// firstTime is how long changes are collected for a report after a pause.
const firstTime = 20 * time.Millisecond

// settle waits until the changes may be reported, of which the first has just come; false: ctx
// has ended.
func (w *watcher) settle(ctx context.Context, last time.Time) bool {
	least := time.Until(last.Add(w.Every))
	if least <= 0 { // after a pause
		return wait.For(ctx, min(w.Settle, firstTime))
	}
	longest := time.NewTimer(least + w.Every)
	defer longest.Stop()
	quiet := time.NewTimer(max(w.Settle, least))
	defer quiet.Stop()
	for {
		select {
		case <-w.wake:
			quiet.Reset(max(w.Settle, time.Until(last.Add(w.Every))))
		case <-quiet.C:
			return true
		case <-longest.C:
			return true
		case <-ctx.Done():
			return false
		}
	}
}

func (w *watcher) takeStale() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.isStale
}

// take returns what is to be reported; false: nothing is.
func (w *watcher) take() (r WatchReport, isOne bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r.Time = time.Now()
	if w.isBack {
		r.Missed = &WatchedDowntime{Seconds: r.Time.Sub(w.lost).Seconds(), Watched: w.before}
		w.lost, w.isBack = time.Time{}, false
		clear(w.changed) // a Remote announces all of them
		w.relisted = nil // pages join again one after the other
	}
	uris := make([]string, 0, len(w.changed))
	for uri := range w.changed {
		uris = append(uris, uri)
	}
	clear(w.changed)
	slices.Sort(uris)
	r.More = max(0, len(uris)-WatchShown)
	for _, uri := range uris[:len(uris)-r.More] {
		r.Resources = append(r.Resources, WatchedChange{uri, w.names[uri]})
	}
	for page := range w.relisted {
		r.Lists = append(r.Lists, page)
	}
	slices.Sort(r.Lists)
	w.relisted = nil
	return r, len(uris) > 0 || r.Lists != nil || r.Missed != nil
}
