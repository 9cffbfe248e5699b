package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/remote"
	"github.com/pagemcp/pagemcp/server/internal/wait"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"github.com/pagemcp/pagemcp/wasm/plain"
)

// WatchOptions of Watch.
type WatchOptions struct {
	State string // directory of the gateway; default: the user's
	As    string // name of the assistant, as in StdioOptions
	Page  string // only what is of this page; "": of all
	// URIs as resources/list at /mcp has them, or as pages do, for that resource of each page: event:///error. None: all that
	// are listed, at most 4,000, except for optional ones, which have a priority of 0.
	URIs []string

	// Contents lets reports have the data of events whose pages say that it may be shown.
	Contents bool

	// Every is the least time between two reports. Default 1 s.
	Every time.Duration

	Logger *slog.Logger
}

// A WatchReport says what has happened since the report before it. It never has contents of
// resources, but the data of events.
type WatchReport struct {
	Time      time.Time       `json:"time"`
	Resources []WatchedChange `json:"resources"`        // that changed, at most WatchShown
	More      int             `json:"more,omitzero"`    // further resources that changed
	Lists     []string        `json:"lists,omitempty"`  // pages whose list has other resources than before
	Events    []WatchedEvent  `json:"events,omitempty"` // that happened
	Missed    bool            `json:"missed,omitzero"`  // there was no connection for a time: any of the resources may have changed
}

// A WatchedChange is a resource that changed. Name is a text of the page, cleaned as
// [plain.Text] does.
type WatchedChange struct {
	URI  string `json:"uri"`
	Name string `json:"name,omitempty"`
}

// A WatchedEvent is an event that happened. Description is a text of the page, cleaned.
type WatchedEvent struct {
	URI         string         `json:"uri"`
	Count       int            `json:"count"`         // how often
	Lost        int64          `json:"lost,omitzero"` // earlier occurrences that are not kept any more; -1: some may be, since the page was loaded again
	Description string         `json:"description,omitempty"`
	Data        jsontext.Value `json:"data,omitempty"` // of the last time; see WatchOptions.Contents
}

const (
	// WatchShown is how many resources a report names.
	WatchShown = 5

	maxWatched  = 4_000                 // resources
	collectTime = 20 * time.Millisecond // between a change and its report, for others of the same moment
	readTime    = time.Second           // of the events of a report: a page that does not answer must not hold it back
	askTime     = time.Minute           // for the user of a page to say whether it may be watched
)

// Watch calls report with the changes of resources at the running gateway, until ctx ends or report
// returns an error, which it returns. It reconnects by itself. A page that has not been shared with
// the assistant asks its user. The error is ErrNotRunning if no gateway runs at the beginning;
// later ones are waited for.
func Watch(ctx context.Context, o WatchOptions, report func(WatchReport) error) error {
	for _, uri := range o.URIs {
		if u, err := url.Parse(uri); err != nil || u.Scheme == "" {
			return fmt.Errorf("%q cannot be watched: it is no URI", uri)
		}
	}
	if o.State == "" {
		dir, err := DefaultState()
		if err != nil {
			return err
		}
		o.State = dir
	}
	o.Every = cmp.Or(o.Every, time.Second)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := &watcher{
		WatchOptions: o, remote: remote.New(), began: time.Now().Truncate(time.Millisecond), wake: wait.NewSignal(), stale: wait.NewSignal(),
		known: map[string]gateway.Occurrence{}, asked: map[string]bool{}, changed: map[string]bool{}, relisted: map[string]bool{},
	}
	defer w.remote.Close()
	if err := w.attach(ctx); err != nil {
		return err
	}
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel(nil) // before the wait
	running.Go(func() { w.reattach(ctx, cancel) })
	w.following = w.remote.Follow(ctx, w.note)
	w.want(ctx, named(o.URIs)) // before the list, else a change in between is missed
	if err := w.list(ctx, false); err != nil {
		return err
	}
	if refuser, ok := w.following.(engine.Refuser); ok {
		for _, uri := range named(o.URIs) {
			if refuser.Refuses(engine.Topic{URI: uri}) {
				o.Logger.Warn("this resource cannot be watched now", "uri", uri)
			}
		}
	}
	running.Go(func() { w.relist(ctx) })
	if err := w.run(ctx, report); err != nil {
		return err
	}
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) && !errors.Is(cause, context.DeadlineExceeded) {
		return cause
	}
	return nil
}

// A watcher collects what happens at a gateway, for reports.
type watcher struct {
	WatchOptions
	remote    *remote.Remote
	following engine.Following
	began     time.Time
	wake      chan struct{}                 // receives when there is something to report
	stale     chan struct{}                 // receives when the list may have changed
	known     map[string]gateway.Occurrence // the last one that was read of each event, by URI; of run
	asked     map[string]bool               // entries of pages that were read to ask their users; of relist
	wanted    []string                      // URIs that it follows; of relist

	mu       sync.Mutex
	names    map[string]watched // that are listed, by URI
	changed  map[string]bool    // URIs that are to be reported
	relisted map[string]bool    // pages whose list has other resources
	missed   bool               // a time without a connection is to be reported
}

// A watched is what is known of a resource that is watched.
type watched struct {
	name, description string
	mayShow           bool // its data, outside of conversations
}

// metaShow is the key in _meta of an event whose app says that its data may be shown where the user
// has not opened it, with the value true.
const metaShow = "io.github.pagemcp/show"

// attach connects to the running gateway.
func (w *watcher) attach(ctx context.Context) error {
	p, err := dialLines(ctx, w.State, w.As, "")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, limits.AttachTime)
	defer cancel()
	if err := w.remote.Reattach(ctx, p); err != nil {
		return fmt.Errorf("start MCP with the gateway: %w", err)
	}
	return nil
}

// reattach connects again whenever the gateway has closed the connection, until ctx ends. A
// refusal ends it.
func (w *watcher) reattach(ctx context.Context, end context.CancelCauseFunc) {
	for delay := retryInterval; ; {
		select {
		case <-w.remote.Gone():
		case <-ctx.Done():
			return
		}
		if !wait.For(ctx, delay) {
			return
		}
		switch err := w.attach(ctx); {
		case err == nil:
			delay = retryInterval
			w.update(func() { w.missed = true })
		case errors.As(err, new(*RefusedError)):
			end(fmt.Errorf("the gateway refuses this assistant: %w", err))
		default:
			delay = min(2*delay, maxRetryInterval)
		}
	}
}

// update changes what is to be reported.
func (w *watcher) update(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
	wait.Wake(w.wake)
}

// note records a change. It never blocks.
func (w *watcher) note(change engine.Change) {
	if change.List {
		wait.Wake(w.stale)
	}
	if change.URI != "" {
		w.update(func() { w.changed[change.URI] = true })
	}
}

// want watches resources. New events among them are read afterwards.
func (w *watcher) want(ctx context.Context, uris []string) {
	before := w.wanted
	w.wanted = slices.Sorted(slices.Values(uris))
	var dropped []string
	for _, uri := range before {
		if _, still := slices.BinarySearch(w.wanted, uri); !still {
			dropped = append(dropped, uri)
		}
	}
	if armed := w.following.Want(append(topicsOf(uris), engine.Topic{}), topicsOf(dropped)); armed != nil {
		select {
		case <-armed:
		case <-time.After(engine.ArmTimeout):
		case <-ctx.Done():
		}
	}
	for _, uri := range uris {
		if _, was := slices.BinarySearch(before, uri); gateway.IsEvent(uri) && !was {
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

// relist requests the list whenever it may have changed, until ctx ends. Nothing waits for it: a
// page that answers slowly holds back no changes of others.
func (w *watcher) relist(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case <-w.stale:
		case <-ctx.Done():
			return
		}
		if err := w.list(ctx, true); err != nil && ctx.Err() == nil {
			w.Logger.Warn("the list of resources could not be read", "error", err.Error())
			wait.For(ctx, maxRetryInterval)
			wait.Wake(w.stale)
		}
	}
}

// list requests the list of resources, for their names, and watches them. Pages whose list is
// another one are reported, unless it is the first.
func (w *watcher) list(ctx context.Context, isReported bool) error {
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
			} else if w.selects(page, r) {
				text := func(member string) string {
					text, _ := jsonrpc.Text(jsonrpc.Member(r.JSON, member))
					return text
				}
				names[r.Key] = watched{
					plain.Text(cmp.Or(text("title"), text("name")), plain.MaxName), plain.Text(text("description"), plain.MaxTitle),
					string(jsonrpc.Member(jsonrpc.Member(r.JSON, "_meta"), metaShow)) == "true",
				}
			}
		}
		if cursor = listing.Next; cursor == "" {
			break
		}
	}
	w.update(func() {
		for _, lists := range [...][2]map[string]watched{{names, w.names}, {w.names, names}} {
			for uri := range lists[0] {
				if _, inBoth := lists[1][uri]; !inBoth && isReported {
					w.relisted[access.PageOfURI(uri)] = true
				}
			}
		}
		w.names = names
	})
	wanted := slices.AppendSeq(named(w.URIs), maps.Keys(names))
	slices.Sort(wanted)
	w.want(ctx, slices.Compact(wanted))
	return nil
}

// named returns the URIs that have the name of a page.
func named(uris []string) []string {
	return slices.DeleteFunc(slices.Clone(uris), func(uri string) bool { return access.PageOfURI(uri) == "" })
}

// selects reports whether a resource of a page is watched.
func (w *watcher) selects(page string, r engine.Item) bool {
	switch {
	case w.Page != "" && w.Page != page:
		return slices.Contains(w.URIs, r.Key)
	case len(w.URIs) > 0:
		return slices.Contains(w.URIs, r.Key) || slices.Contains(w.URIs, strings.TrimPrefix(r.Key, page+"+"))
	}
	return string(jsonrpc.Member(jsonrpc.Member(r.JSON, "annotations"), "priority")) != "0"
}

// askUser reads the entry of a page that is not shared, once, so that its user is asked. The
// list changes if they allow it.
func (w *watcher) askUser(ctx context.Context, uri string) {
	if w.asked[uri] {
		return
	}
	w.asked[uri] = true
	go func() { // ends with the answer
		ctx, cancel := context.WithTimeout(ctx, askTime)
		defer cancel()
		if _, err := w.remote.Read(ctx, uri); err != nil && !errors.Is(err, context.Canceled) {
			w.Logger.Warn("a page is not shared with this assistant", "page", access.PageOfURI(uri), "error", err.Error())
		}
	}()
}

// run reports until ctx ends, at most once in Every.
func (w *watcher) run(ctx context.Context, report func(WatchReport) error) error {
	for next := time.Now(); ; {
		select {
		case <-w.wake:
		case <-ctx.Done():
			return nil
		}
		if !wait.For(ctx, max(collectTime, time.Until(next))) {
			return nil
		}
		r := w.report(ctx)
		if r.Resources == nil && r.Lists == nil && r.Events == nil && !r.Missed {
			continue
		}
		next = time.Now().Add(w.Every)
		if err := report(r); err != nil {
			return err
		}
	}
}

// report returns what has happened since the last one.
func (w *watcher) report(ctx context.Context) (r WatchReport) {
	w.mu.Lock()
	names, changed, lists := w.names, slices.Sorted(maps.Keys(w.changed)), slices.Sorted(maps.Keys(w.relisted))
	r = WatchReport{Time: time.Now(), Lists: lists, Missed: w.missed}
	clear(w.changed)
	clear(w.relisted)
	w.missed = false
	w.mu.Unlock()
	changed = narrowest(changed)
	texts := w.readEvents(ctx, changed)
	for _, uri := range changed {
		switch text, isRead := texts[uri]; {
		case gateway.IsEvent(uri):
			if !isRead {
				continue
			}
			if e := w.happened(uri, text); e.Count > 0 || e.Lost != 0 {
				e.Description = names[uri].description
				if !w.Contents || !names[uri].mayShow {
					e.Data = nil
				}
				r.Events = append(r.Events, e)
			}
		case r.Missed: // a new connection announces all
		case len(r.Resources) < WatchShown:
			r.Resources = append(r.Resources, WatchedChange{uri, names[uri].name})
		default:
			r.More++
		}
	}
	return r
}

// readEvents returns the contents of events, as far as their pages answer in time. Pages are read at the
// same time, so that none holds back another. One that is away announces its events as changed when it is
// back; one that answers too late is asked again.
func (w *watcher) readEvents(ctx context.Context, uris []string) map[string]string {
	byPage := map[string][]string{}
	for _, uri := range uris {
		if gateway.IsEvent(uri) {
			byPage[access.PageOfURI(uri)] = append(byPage[access.PageOfURI(uri)], uri)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	var mu sync.Mutex
	var reading sync.WaitGroup
	texts := map[string]string{}
	for _, events := range byPage {
		reading.Go(func() {
			for _, uri := range events {
				contents, err := w.remote.Read(ctx, uri)
				if ctx.Err() != nil {
					w.update(func() { w.changed[uri] = true })
				}
				if err == nil && len(contents) > 0 {
					text, _ := jsonrpc.Text(contents[0].Relayed.Body)
					mu.Lock()
					texts[uri] = text
					mu.Unlock()
				}
			}
		})
	}
	reading.Wait()
	return texts
}

// happened returns what an event has that its last read, or the beginning of the watcher, had not.
func (w *watcher) happened(uri, text string) WatchedEvent {
	e := WatchedEvent{URI: uri}
	later := gateway.Occurrences(text)
	known, isKnown := w.known[uri]
	w.known[uri] = gateway.LastOf(later)
	if isKnown {
		later, e.Lost = known.After(later)
	} else {
		later = slices.DeleteFunc(later, func(o gateway.Occurrence) bool {
			at, err := time.Parse(time.RFC3339, o.Time)
			return err != nil || at.Before(w.began)
		})
	}
	if e.Count = len(later); e.Count > 0 {
		e.Data = later[e.Count-1].Data
	}
	return e
}

// narrowest returns sorted URIs without each URI that is above another one: the store of a record
// that changed.
func narrowest(uris []string) []string {
	return slices.DeleteFunc(slices.Clone(uris), func(uri string) bool {
		at, _ := slices.BinarySearch(uris, uri+"/")
		return at < len(uris) && strings.HasPrefix(uris[at], uri+"/")
	})
}

// Lengths of texts in a line, in characters.
const (
	maxLineURI  = 300
	maxLineName = 100
	maxLineData = 500
)

// WatchLine returns a report as one line of plain text, for `pagemcp watch` and the channel of
// `pagemcp stdio`. Texts of pages are quoted, and marked as such.
func WatchLine(r WatchReport) string {
	var parts, changed []string
	if r.Missed {
		parts = append(parts, "there was no connection to the gateway for a time: any resource may have changed, read again what matters")
	}
	for _, one := range r.Resources {
		text := lineText(one.URI, maxLineURI)
		if one.Name != "" {
			text += fmt.Sprintf(" (named %q by the page)", lineText(one.Name, maxLineName))
		}
		changed = append(changed, text)
	}
	if r.More > 0 {
		changed = append(changed, fmt.Sprintf("and %d more", r.More))
	}
	if changed != nil {
		parts = append(parts, "changed, to be read by URI: "+strings.Join(changed, ", "))
	}
	for i := range r.Events {
		parts = append(parts, eventText(&r.Events[i]))
	}
	for _, page := range r.Lists {
		of := lineText(page, maxLineName)
		if page == "" {
			of = "the gateway itself"
		}
		parts = append(parts, "the list of resources of "+of+" has changed")
	}
	return r.Time.UTC().Format(time.RFC3339) + " " + strings.Join(parts, "; ")
}

func eventText(e *WatchedEvent) string {
	text := lineText(e.URI, maxLineURI)
	switch e.Count {
	case 0:
	case 1:
		text += " happened"
	default:
		text += fmt.Sprintf(" happened %d times", e.Count)
	}
	if e.Description != "" {
		text += fmt.Sprintf(" (the page says: %q)", lineText(e.Description, maxLineURI))
	}
	if e.Data != nil {
		text += ", the last time with " + lineText(string(e.Data), maxLineData)
	}
	switch {
	case e.Lost > 0:
		text += fmt.Sprintf(", and before that %d times that are not kept any more", e.Lost)
	case e.Lost < 0:
		text += ": the page was loaded again, what happened before that may be missing"
	}
	return text
}

// lineText returns text of others for a terminal: without hidden characters, cut, and with other
// characters that cannot be printed as escapes.
func lineText(text string, most int) string {
	var line strings.Builder
	for _, r := range plain.Text(text, most) {
		if unicode.IsPrint(r) {
			line.WriteRune(r)
		} else {
			fmt.Fprintf(&line, "\\u%04x", r)
		}
	}
	return line.String()
}
