package server

import (
	"fmt"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/wasm/plain"
)

// pauseFile has the end of a pause, which holds for every gateway of the state directory.
const pauseFile = "pause.json"

// MaxPause is the longest pause.
const MaxPause = 30 * 24 * time.Hour

type storedPause struct {
	Until   time.Time            `json:"until"`
	Stopped map[string]time.Time `json:"stopped,omitzero"` // single assistants
}

// endlessPause is how long a pause is whose end is not known: until somebody resumes.
const endlessPause = 100 * 365 * 24 * time.Hour

// restorePause continues a pause that an earlier gateway began. A file that cannot be read is one, too.
func (g *Gateway) restorePause() error {
	g.pauseDoc = doc{state: g.state, name: pauseFile, snapshot: func() any { return storedPause{g.pause.Until(), g.pause.Stopped()} }}
	stored, _, broken, err := parse[storedPause](g.state, pauseFile, nil, json.RejectUnknownMembers(true))
	if err != nil {
		return err
	}
	if broken != nil {
		g.log.Warn("a file is broken: all assistants are paused until you run `pagemcp resume`", "file", g.state.path(pauseFile), "error", plain.Text(broken.Error(), 200))
		if text, err := g.state.disk.ReadFile(pauseFile); err == nil {
			if err := g.state.write(pauseFile+brokenSuffix, text); err != nil { // a copy: without the file there would be no pause
				return err
			}
		}
		g.pause.Set(time.Now().Add(endlessPause))
		return g.savePause()
	}
	g.pause.Set(stored.Until)
	for assistant, until := range stored.Stopped {
		g.pause.Stop(assistant, until)
	}
	return nil
}

// Paused tells until when assistants are paused; zero: they are not.
type Paused struct {
	Until time.Time `json:"until,omitzero"`
}

// pauseByCommand begins or ends a pause. It holds before it is stored: a full disk does not
// keep a user from stopping assistants.
func (g *Gateway) pauseByCommand(seconds float64) (any, error) {
	if seconds < 0 || seconds > MaxPause.Seconds() {
		return nil, badControl{fmt.Errorf("a pause has 0 to %.0f seconds", MaxPause.Seconds())}
	}
	if seconds == 0 {
		g.pause.Resume()
	} else {
		g.pause.Set(time.Now().Add(time.Duration(seconds * float64(time.Second))))
	}
	until := g.pause.Until()
	g.monitors.PagesChanged()
	if until.IsZero() {
		g.log.Info("assistants may read again")
	} else {
		g.log.Info("assistants are paused", "until", until.Format(time.RFC3339))
	}
	if err := g.savePause(); err != nil {
		return nil, fmt.Errorf("it holds for this gateway only: %w", err)
	}
	return Paused{until}, nil
}

func (g *Gateway) savePause() error { return g.pauseDoc.save() }

// monitorStop is for how long a monitor stops assistants. It ends by itself, since a monitor cannot
// end it: no page of a browser gives an assistant anything back.
const monitorStop = time.Hour

// stopByMonitor stops an assistant, or all with "". It never shortens a pause.
func (g *Gateway) stopByMonitor(origin, assistant string) {
	until := time.Now().Add(monitorStop)
	isLater := func(earlier time.Time) bool { return until.Sub(earlier) > time.Minute } // each stop is written to the disk
	switch {
	case assistant == "" && isLater(g.pause.Until()):
		g.pause.Set(until)
	case access.ValidName(assistant) && isLater(g.pause.UntilOf(assistant)):
		g.pause.Stop(assistant, until)
	default:
		return
	}
	g.monitors.PagesChanged()
	g.audit.Record(access.Entry{Principal: origin, Endpoint: access.MonitorPath, Verb: "stop", URI: assistant, Outcome: "ok"})
	g.log.Info("assistants are stopped by a monitor", "origin", origin, "assistant", assistant, "until", until.Format(time.RFC3339))
	if err := g.savePause(); err != nil {
		g.log.Warn("the stop of an assistant holds for this gateway only", "error", err)
	}
}
