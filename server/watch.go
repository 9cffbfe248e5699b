package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/remote"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// WatchOptions of Watch.
type WatchOptions struct {
	State string   // directory of the gateway; default: the user's
	As    string   // name of the assistant, as in StdioOptions
	Page  string   // only what is of this page; "": of all
	URIs  []string // as resources/list at /mcp has them; none: all whose changes are announced

	// Event is the name of an event, with that of its page, such as notes.saved: it is watched
	// instead of resources, also before its page has joined.
	Event string
	// AllEvents watches the events of all apps, besides resources.
	AllEvents bool
	// Contents lets reports have the data of an event, if its page says that it may be shown.
	Contents bool

	// Every is the least time between two reports. Default 1 s.
	Every time.Duration
	// Settle is the pause after which a change is reported as soon as Every allows, with those of
	// the next 20 ms. Other changes wait until nothing has changed for Settle, but not longer than
	// Every. Default 500 ms.
	Settle time.Duration

	Logger *slog.Logger
}

// A WatchReport says what has happened since the report before it. It never has contents of
// resources.
type WatchReport struct {
	Time      time.Time        `json:"time"`
	Resources []WatchedChange  `json:"resources"`        // that changed, at most WatchShown
	More      int              `json:"more,omitzero"`    // further resources that changed
	Lists     []string         `json:"lists,omitempty"`  // pages whose list has other resources than before
	Events    []WatchedEvent   `json:"events,omitempty"` // that happened
	Missed    *WatchedDowntime `json:"missed,omitzero"`  // a time without a connection; nil: there was none
}

// A WatchedChange is a resource that changed. Name is a text of the page, cleaned as
// [engine.PlainText] does.
type WatchedChange struct {
	URI  string `json:"uri"`
	Name string `json:"name,omitempty"`
}

// A WatchedEvent is an event that happened. Description is a text of the page, cleaned.
type WatchedEvent struct {
	Name        string         `json:"name"`
	Count       int            `json:"count"` // how often
	Description string         `json:"description,omitempty"`
	Data        jsontext.Value `json:"data,omitempty"` // of the last time; see WatchOptions.Contents
}

// A WatchedDowntime is a time without a connection to the gateway, or to a page. What has happened
// in it and is known is in the report.
type WatchedDowntime struct {
	Seconds float64 `json:"seconds"`
	Gateway bool    `json:"gateway"`          // not only a page was away
	Unknown bool    `json:"unknown"`          // something may have happened that is not in any report
	Watched int     `json:"watched,omitzero"` // how many resources were listed
}

// WatchShown is how many resources a report names.
const WatchShown = 5

// maxWatched bounds the resources whose names are known, as a Remote bounds a list.
const maxWatched = 10_000

// askTime is how long the user of a page may take to answer whether it may be watched.
const askTime = time.Minute

// Watch calls report with the changes of resources at the running gateway, or with an event, until
// ctx ends or report returns an error, which it returns. It reconnects by itself, and goes on where
// it was: pages keep for some minutes what happens meanwhile. A page that has not been shared with
// the assistant asks its user. The error is ErrNotRunning if no gateway runs at the beginning;
// later ones are waited for.
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
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	l := &gatewayLink{
		opts:   StdioOptions{Gateway: Options{State: o.State}, As: o.As},
		remote: remote.New(), log: o.Logger, onlyRunning: true, declare: func([]byte) {},
		onRefused: func(err error) { cancel(fmt.Errorf("the gateway refuses this assistant: %w", err)) },
	}
	defer l.close()
	if err := l.connect(ctx); err != nil {
		return err
	}
	var reconnecting sync.WaitGroup
	defer reconnecting.Wait()
	defer cancel(nil)
	reconnecting.Go(func() { l.reconnectLoop(ctx) })
	return newWatcher(o, l.remote).collect(ctx, report)
}

// collect runs all parts of a watcher until ctx ends, and returns why, if it is for a reason.
func (w *watcher) collect(ctx context.Context, report func(WatchReport) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel(nil)
	w.following = w.remote.Follow(ctx, w.note)
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
	running.Go(func() { w.noteLosses(ctx) })
	running.Go(func() {
		if err := w.stream(ctx, cmp.Or(w.Event, engine.EventResourceUpdated)); err != nil {
			cancel(err)
		}
	})
	if w.AllEvents {
		running.Go(func() { w.streamAll(ctx) })
	}
	if err := w.run(ctx, report); err != nil {
		return err
	}
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) && !errors.Is(cause, context.DeadlineExceeded) {
		return cause
	}
	return nil
}

// streamAgain is how often an event is looked for that no page has.
const streamAgain = time.Second

// stream receives the events until ctx ends. The error says, in words, why there will be no more.
func (w *watcher) stream(ctx context.Context, name string) error {
	query := engine.EventQuery{Name: name}
	if name == engine.EventResourceUpdated && len(w.URIs) > 0 {
		query.Arguments = resourceArguments(w.URIs)
	}
	isLogged := false
	for {
		err := w.remote.StreamEvents(ctx, query, func(n engine.EventNote) bool {
			query.Cursor = cmp.Or(n.Event.Cursor, n.Cursor, query.Cursor)
			return w.take(n)
		})
		var wire *jsonrpc.Error
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, engine.ErrNotFound):
			return errors.New("the gateway that runs is older than this program and has no events: restart it")
		case !errors.As(err, &wire):
			return fmt.Errorf("watch: %w", err)
		case jsonrpc.Member(wire.Data, "names") != nil:
			return fmt.Errorf("these resources cannot be watched: %s", jsonrpc.Member(wire.Data, "names"))
		case name != w.Event || jsonrpc.Member(wire.Data, "kind") == nil:
			return errors.New(wire.Message)
		case !isLogged:
			isLogged = true
			w.Logger.Warn("no page has this event yet", "event", w.Event)
		}
		if !pause(ctx, streamAgain) {
			return nil
		}
	}
}

// maxStreams bounds the events that streamAll watches, as the gateway does.
const maxWatchedEvents = 32

// streamAll receives the events of all apps, also of pages that join later, until ctx ends.
func (w *watcher) streamAll(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	ended := make(chan string)
	open := map[string]bool{}
	for {
		all, err := w.remote.Events(ctx)
		if err != nil && ctx.Err() == nil {
			w.Logger.Warn("the list of events could not be read", "error", err.Error())
		}
		for _, event := range all {
			name := event.Name
			if name == engine.EventResourceUpdated || open[name] || len(open) >= maxWatchedEvents {
				continue
			}
			open[name] = true
			running.Go(func() {
				err := w.stream(ctx, name)
				if err != nil {
					w.Logger.Info("an event has ended", "event", name, "error", err.Error())
				}
				select {
				case ended <- name:
				case <-ctx.Done():
				}
			})
		}
		select {
		case <-w.events:
		case name := <-ended:
			delete(open, name)
		case <-ctx.Done():
			return
		}
	}
}

// resourceArguments returns the arguments of engine.EventResourceUpdated.
func resourceArguments(uris []string) []byte {
	arguments := []byte(`{"uri":`)
	for i, uri := range uris {
		arguments = jsonrpc.AppendString(append(arguments, "[,"[min(i, 1)]), uri)
	}
	return append(arguments, "]}"...)
}
