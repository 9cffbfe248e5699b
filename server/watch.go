package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/wait"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/remote"
)

// WatchOptions of Watch.
type WatchOptions struct {
	State string   // directory of the gateway; default: the user's
	As    string   // name of the assistant, as in StdioOptions
	Page  string   // only what is of this page; "": of all
	URIs  []string // as resources/list at /mcp has them; none: all that are listed, at most 4,000

	// Contents lets reports have the data of events whose pages say that it may be shown.
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
// resources, but the data of events.
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
	URI         string         `json:"uri"`
	Count       int            `json:"count"`         // how often
	Lost        int64          `json:"lost,omitzero"` // earlier occurrences that are not kept any more; -1: some may be, since the page was loaded again
	Description string         `json:"description,omitempty"`
	Data        jsontext.Value `json:"data,omitempty"` // of the last time; see WatchOptions.Contents
}

// A WatchedDowntime is a time without a connection to the gateway, in which any of the resources may
// have changed. Events of that time are in the report.
type WatchedDowntime struct {
	Seconds float64 `json:"seconds"`
	Watched int     `json:"watched"` // how many resources
}

// WatchShown is how many resources a report names.
const WatchShown = 5

// maxWatched bounds the resources that are watched.
const maxWatched = 4_000

// askTime is how long the user of a page may take to answer whether it may be watched.
const askTime = time.Minute

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
	o.Settle, o.Every = cmp.Or(o.Settle, 500*time.Millisecond), cmp.Or(o.Every, time.Second)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := remote.New()
	defer r.Close()
	if err := attach(ctx, r, &o); err != nil {
		return err
	}
	var reconnecting sync.WaitGroup
	defer reconnecting.Wait()
	defer cancel(nil)
	reconnecting.Go(func() { reattach(ctx, cancel, r, &o) })
	if err := newWatcher(o, r).collect(ctx, report); err != nil {
		return err
	}
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) && !errors.Is(cause, context.DeadlineExceeded) {
		return cause
	}
	return nil
}

// attach connects a Remote to the running gateway.
func attach(ctx context.Context, r *remote.Remote, o *WatchOptions) error {
	p, err := dialLines(ctx, o.State, o.As)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, limits.AttachTime)
	defer cancel()
	if err := r.Reattach(ctx, p); err != nil {
		return fmt.Errorf("start MCP with the gateway: %w", err)
	}
	return nil
}

// reattach connects again whenever the gateway has closed the connection, until ctx ends. A
// refusal ends it.
func reattach(ctx context.Context, end context.CancelCauseFunc, r *remote.Remote, o *WatchOptions) {
	for delay := retryInterval; ; {
		select {
		case <-r.Gone():
		case <-ctx.Done():
			return
		}
		if !wait.For(ctx, delay) {
			return
		}
		switch err := attach(ctx, r, o); {
		case err == nil:
			delay = retryInterval
		case errors.As(err, new(*RefusedError)):
			end(fmt.Errorf("the gateway refuses this assistant: %w", err))
		default:
			delay = min(2*delay, maxRetryInterval)
		}
	}
}

// collect runs all parts of a watcher until ctx ends.
func (w *watcher) collect(ctx context.Context, report func(WatchReport) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	w.following = w.remote.Follow(ctx, w.note)
	w.want(ctx, w.URIs) // before the list, else a change in between is missed
	if err := w.list(ctx); err != nil {
		return err
	}
	w.relisted = nil // the first list is no change
	if refuser, ok := w.following.(engine.Refuser); ok {
		for _, uri := range w.URIs {
			if refuser.Refuses(engine.Topic{URI: uri}) {
				w.Logger.Warn("this resource cannot be watched now", "uri", uri)
			}
		}
	}
	running.Go(func() { w.noteLosses(ctx) })
	return w.run(ctx, report)
}
