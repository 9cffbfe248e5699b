package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	json "github.com/go-json-experiment/json"
)

// An AccessReport tells which assistants may use what, and what they have used, by the audit
// log. It has no contents.
type AccessReport struct {
	Paused     time.Time         `json:"paused,omitzero"` // assistants, until then
	Since      time.Time         `json:"since,omitzero"`  // the earliest request in the log; zero: there is none
	Assistants []AssistantAccess `json:"assistants"`      // with a token, or in the log; the last used first
}

// An AssistantAccess is one assistant with the pages that it has used, as far as the audit log
// goes back.
type AssistantAccess struct {
	NamedAssistant          // only Name and Used, for one without a token
	HasToken       bool     `json:"hasToken"`       // rights are those of the token; without one it may do everything
	Calls          string   `json:"calls,omitzero"` // what it calls itself, as it says
	Uses           []AppUse `json:"uses"`           // of pages; the last used first
}

// An AppUse is what one assistant has used of one page. Counts are since midnight.
type AppUse struct {
	App        string    `json:"app"`   // name of the page; empty: lists of all pages
	Right      string    `json:"right"` // what the gateway lets the assistant do there: "none", "read" or "act", which includes read
	Reads      int       `json:"reads"` // resources, prompts and skills that it got
	Calls      int       `json:"calls"` // tools that it has run
	Denied     int       `json:"denied"`
	Bytes      int       `json:"bytes"` // of all answers
	Used       time.Time `json:"used"`
	LastDenial *Denial   `json:"lastDenial,omitempty"` // also of an earlier day
}

// A Denial is a request that was denied.
type Denial struct {
	Time   time.Time `json:"time"`
	Right  string    `json:"right"`  // that it needs
	Method string    `json:"method"` // such as resources/read
	Target string    `json:"target"` // URI, or name of the prompt or tool; may be empty
	Reason string    `json:"reason"`
}

// flushTime is how long a report waits for lines that are not written yet.
const flushTime = time.Second

func (g *Gateway) access(ctx context.Context) (AccessReport, error) {
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	g.audit.Flush(ctx)
	return reportAccess(g.state.disk, g.named.list(), g.pause.Until(), time.Now())
}

// StoredAccess returns the report of a state directory that no gateway uses.
func StoredAccess(dir string) (AccessReport, error) {
	stored, err := readAssistants(dir)
	if err != nil {
		return AccessReport{}, err
	}
	var named []NamedAssistant
	for _, one := range stored {
		named = append(named, one.NamedAssistant)
	}
	now := time.Now()
	var pause storedPause
	if data, err := (osDisk{dir}).ReadFile(pauseFile); err == nil && (json.Unmarshal(data, &pause) != nil || !now.Before(pause.Until)) {
		pause = storedPause{}
	}
	return reportAccess(osDisk{dir}, named, pause.Until, now)
}

// reportAccess reads the files of the audit log, which are 30 MiB at most, one at a time.
func reportAccess(d disk, named []NamedAssistant, paused, now time.Time) (AccessReport, error) {
	u := newUsage(now)
	err := eachAuditFile(d, func(text []byte) (more bool) {
		for line := range bytes.Lines(text) {
			u.addLine(line)
		}
		return true
	})
	if err != nil {
		return AccessReport{}, err
	}
	return AccessReport{Paused: paused, Since: u.since, Assistants: u.assistants(named, now)}, nil
}

// eachAuditFile calls do with the files of the audit log, the latest first, until it returns
// false. A file that is renamed meanwhile is not read twice: its first line has the same time.
func eachAuditFile(d disk, do func(text []byte) (more bool)) error {
	var last []byte
	for _, name := range [...]string{auditFile, auditOlder, auditOldest} {
		text, err := d.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read the audit log: %w", err)
		}
		first, _, _ := bytes.Cut(text, []byte("\n"))
		if len(text) > 0 && !bytes.Equal(first, last) {
			last = bytes.Clone(first)
			if !do(text) {
				return nil
			}
		}
	}
	return nil
}

// assistants joins the tokens with what was used.
func (u *usage) assistants(named []NamedAssistant, now time.Time) []AssistantAccess {
	all := make([]AssistantAccess, 0, len(named)+len(u.byName))
	for _, one := range named {
		all = append(all, AssistantAccess{NamedAssistant: one, HasToken: one.Revoked.IsZero()})
	}
	for name, used := range u.byName {
		i := slices.IndexFunc(all, func(a AssistantAccess) bool { return a.Name == name })
		if i < 0 {
			i, all = len(all), append(all, AssistantAccess{NamedAssistant: NamedAssistant{Name: name}})
		}
		a := &all[i]
		a.Calls = used.calls
		for _, app := range used.apps {
			app.Right = a.rightAt(app.App, now)
			a.Uses = append(a.Uses, *app)
			if app.Used.After(a.Used) {
				a.Used = app.Used
			}
		}
	}
	for i := range all {
		if all[i].Uses == nil {
			all[i].Uses = []AppUse{}
		}
		slices.SortFunc(all[i].Uses, func(x, y AppUse) int { return latestFirst(x.Used, y.Used, x.App, y.App) })
	}
	slices.SortFunc(all, func(x, y AssistantAccess) int { return latestFirst(x.Used, y.Used, x.Name, y.Name) })
	return all
}
