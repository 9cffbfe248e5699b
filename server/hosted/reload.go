package hosted

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pagemcp/pagemcp/server/hosted/config"
)

// reloadInterval is how often files are compared with those that are in use.
const reloadInterval = 30 * time.Second

// A reloader applies changes of the configuration and of the files that it names: on
// SIGHUP, and when their contents have changed. A configuration that is not valid is
// rejected as a whole, and the old one stays.
type reloader struct {
	load   func() (*config.Loaded, error)
	apply  func(old, next *config.Loaded) error // called by Run alone; on an error the old one stays
	log    *slog.Logger
	count  func(outcome string) // of the constants of pagemcp_reloads_total; may be nil
	hangup <-chan os.Signal     // SIGHUP; may be nil

	current  atomic.Pointer[config.Loaded]
	rejected atomic.Bool // the configuration on disk is not the one in use
	problem  string      // the last error that was logged; used by Run alone
}

// newReloader returns a reloader of first, which load has returned.
func newReloader(first *config.Loaded, load func() (*config.Loaded, error), apply func(old, next *config.Loaded) error, log *slog.Logger, hangup <-chan os.Signal, count func(outcome string)) *reloader {
	if count == nil {
		count = func(string) {}
	}
	r := &reloader{load: load, apply: apply, log: log, count: count, hangup: hangup}
	r.current.Store(first)
	return r
}

// Run applies changes until ctx ends.
func (r *reloader) Run(ctx context.Context) {
	tick := time.NewTicker(reloadInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.hangup:
			r.problem = "" // log it again: the operator waits for the result
			r.reload()
		case <-tick.C:
			// After an error also without a change: the file may name another one that is
			// not there yet.
			if r.problem != "" || r.current.Load().HasChanged() {
				r.reload()
			}
		}
	}
}

// reload loads and applies the configuration. An error that was logged is not logged and
// counted again.
func (r *reloader) reload() {
	old := r.current.Load()
	next, err := r.load()
	if err != nil {
		r.reject(reloadRejected, "the configuration is not valid; the old one stays in use", err)
		return
	}
	if keys := next.NeedsRestart(old); keys != nil {
		r.reject(reloadRejected, "the new configuration needs a restart; the old one stays in use", errors.New(strings.Join(keys, ", ")))
		return
	}
	if err := r.apply(old, next); err != nil {
		r.reject(reloadFailed, "the configuration could not be applied; the old one stays in use", err)
		return
	}
	r.problem = ""
	r.rejected.Store(false)
	r.current.Store(next)
	r.count(reloadApplied)
	r.log.Info("configuration reloaded")
}

// warning returns what /readyz says besides the readiness: a configuration that is rejected
// does not make the node unready.
func (r *reloader) warning() string {
	if !r.rejected.Load() {
		return ""
	}
	return "the last change of the configuration was rejected; the log has the reason, and the one before is in use"
}

func (r *reloader) reject(outcome, text string, err error) {
	r.rejected.Store(true)
	if err.Error() == r.problem {
		return
	}
	r.problem = err.Error()
	r.count(outcome)
	problems := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		problems = joined.Unwrap()
	}
	for _, problem := range problems {
		r.log.Error(text, "error", problem.Error())
	}
}
