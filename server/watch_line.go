package server

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// Lengths of texts in a line, in characters.
const (
	maxLineURI  = 300
	maxLineName = 100
	maxLineData = 500
)

// WatchLine returns a report as one line of plain text, for `pagemcp watch` and the channel of
// `pagemcp stdio`. Texts of pages are quoted, and marked as such.
func WatchLine(r WatchReport) string {
	return r.Time.UTC().Format(time.RFC3339) + " " + watchText(r)
}

// watchText is WatchLine without the time.
func watchText(r WatchReport) string {
	var parts []string
	if m := r.Missed; m != nil {
		parts = append(parts, downtime(m))
	}
	var changed []string
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
	return strings.Join(parts, "; ")
}

func downtime(m *WatchedDowntime) string {
	return fmt.Sprintf("no connection to the gateway for %.0f s: any of the %d resources may have changed, read again what matters", m.Seconds, m.Watched)
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
	for _, r := range engine.PlainText(text, most) {
		if unicode.IsPrint(r) {
			line.WriteRune(r)
		} else {
			fmt.Fprintf(&line, "\\u%04x", r)
		}
	}
	return line.String()
}
