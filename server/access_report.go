package server

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/auditlog"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// An AccessReport tells which assistants may use what, and what they have used, by the audit
// log. It has no contents.
type AccessReport struct {
	Paused     time.Time         `json:"paused,omitzero"` // assistants, until then
	Since      time.Time         `json:"since,omitzero"`  // the earliest request in the log; zero: there is none
	Assistants []AssistantAccess `json:"assistants"`      // with a token, or in the log; the last used first
	Reads      []Read            `json:"reads"`           // the last 50, the latest first
}

// A Read is what an assistant got, or tried to get, from a page: a resource, a prompt, or
// the result of a tool. It has no contents.
type Read struct {
	Time      time.Time `json:"time"`
	Assistant string    `json:"assistant"`
	Client    string    `json:"client,omitempty"` // what it calls itself
	Method    string    `json:"method"`           // resources/read, prompts/get or tools/call
	Target    string    `json:"target"`           // URI, or name of the prompt or tool
	Outcome   string    `json:"outcome"`
	Bytes     int       `json:"bytes"`
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
	return AccessReport{Paused: paused, Since: u.since, Assistants: u.assistants(named, now), Reads: u.latest()}, nil
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

// usage counts by assistant and page what lines of the audit log say. Lines may be in any
// order.
type usage struct {
	midnight time.Time // counts are since then
	since    time.Time // the earliest line
	byName   map[string]*assistantUse
	reads    []Read // at most twice as many as latest returns
}

type assistantUse struct {
	calls string // what it calls itself
	at    time.Time
	apps  map[string]*AppUse
}

// Bounds of a report. An AppUse has at most 1.2 KB. Names of pages come from requests,
// so an assistant may make them up: that displaces only pages of the same assistant.
const (
	maxUsedAssistants = 100
	maxUsedApps       = 32 // of each
)

func newUsage(now time.Time) *usage {
	year, month, day := now.Date()
	return &usage{midnight: time.Date(year, month, day, 0, 0, 0, 0, now.Location()), byName: map[string]*assistantUse{}}
}

// addLine adds a line of the audit log. Lines without a right are no decisions about
// assistants, and lines that are not valid were written in part.
func (u *usage) addLine(line []byte) {
	if !bytes.Contains(line, []byte(`"right":`)) {
		return
	}
	var e access.Entry
	if json.Unmarshal(line, &e) == nil && e.Right != "" {
		u.add(&e)
	}
}

func (u *usage) add(e *access.Entry) {
	if u.since.IsZero() || e.Time.Before(u.since) {
		u.since = e.Time
	}
	name := auditlog.Truncate(assistantName(e.Principal), maxActivityText)
	who := u.byName[name]
	if who == nil {
		if len(u.byName) >= maxUsedAssistants {
			return
		}
		who = &assistantUse{apps: map[string]*AppUse{}}
		u.byName[name] = who
	}
	if e.Client != "" && !gateway.IsGenerated(e.Client) && !e.Time.Before(who.at) {
		who.calls, who.at = auditlog.Truncate(e.Client, maxActivityText), e.Time
	}
	who.app(e.App, e.Time).add(e, u.midnight)
	if known := engine.MethodOf(e.Verb); !known.Repeated || known.Named == "taskId" { // it gets nothing of a page by name
		return
	}
	if u.reads = append(u.reads, Read{
		e.Time, name, auditlog.Truncate(e.Client, maxActivityText), e.Verb, auditlog.Truncate(e.URI, maxActivityText), e.Outcome, e.Bytes,
	}); len(u.reads) == 2*maxReads {
		u.reads = u.latest()
	}
}

// latest returns the last reads, the latest first.
func (u *usage) latest() []Read {
	slices.SortStableFunc(u.reads, func(x, y Read) int { return y.Time.Compare(x.Time) })
	return u.reads[:min(len(u.reads), maxReads)]
}

// app returns the use of a page, which replaces that of the page that was not used for
// longest if there are too many.
func (a *assistantUse) app(name string, at time.Time) *AppUse {
	if use := a.apps[name]; use != nil {
		return use
	}
	if len(a.apps) >= maxUsedApps {
		var oldest *AppUse
		for _, use := range a.apps {
			if oldest == nil || use.Used.Before(oldest.Used) {
				oldest = use
			}
		}
		if at.Before(oldest.Used) {
			return &AppUse{} // forgotten at once
		}
		delete(a.apps, oldest.App)
	}
	use := &AppUse{App: name}
	a.apps[name] = use
	return use
}

func (a *AppUse) add(e *access.Entry, midnight time.Time) {
	if e.Time.After(a.Used) {
		a.Used = e.Time
	}
	denied := e.Reason != ""
	if denied && (a.LastDenial == nil || !e.Time.Before(a.LastDenial.Time)) {
		a.LastDenial = &Denial{Time: e.Time, Right: e.Right, Method: auditlog.Truncate(e.Verb, maxActivityText), Target: auditlog.Truncate(e.URI, maxActivityText), Reason: e.Reason}
	}
	if e.Time.Before(midnight) {
		return
	}
	a.Bytes += e.Bytes
	switch {
	case denied:
		a.Denied++
	case e.Outcome != "ok":
	case e.Right == access.RightAct:
		a.Calls++
	case engine.MethodOf(e.Verb).Named != "": // a list has no contents
		a.Reads++
	}
}

// rightAt returns AppUse.Right.
func (a *AssistantAccess) rightAt(app string, now time.Time) string {
	one := assistant{NamedAssistant: a.NamedAssistant}
	switch {
	case !a.Revoked.IsZero() || a.IsExpired(now) || app != "" && !one.seesPage(app):
		return "none"
	case a.ReadOnly:
		return access.RightRead
	}
	return access.RightAct
}

// latestFirst orders by time of use, the latest first, and then by name.
func latestFirst(usedX, usedY time.Time, x, y string) int {
	return cmp.Or(usedY.Compare(usedX), strings.Compare(x, y))
}
