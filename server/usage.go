package server

import (
	"bytes"
	"cmp"
	"strings"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/auditlog"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// usage counts by assistant and page what lines of the audit log say. Lines may be in any
// order.
type usage struct {
	midnight time.Time // counts are since then
	since    time.Time // the earliest line
	byName   map[string]*assistantUse
}

type assistantUse struct {
	calls string // what it calls itself
	at    time.Time
	apps  map[string]*AppUse
}

// Bounds of a report. An AppUse has at most 1.2 KB. Names of pages are those that requests
// had, so an assistant may make them up: that displaces only pages of the same assistant.
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
