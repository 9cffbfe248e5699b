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
	away := "a page was away"
	if m.Gateway {
		away = "no connection to the gateway"
	}
	text := fmt.Sprintf("%s for %.0f s", away, m.Seconds)
	if !m.Gateway && m.Seconds < 1 {
		text = "a page was loaded again"
	}
	if m.Unknown {
		return text + ", more than this line has may have happened meanwhile: read again what matters"
	}
	return text + ", meanwhile"
}

func eventText(e *WatchedEvent) string {
	text := lineText(e.Name, maxLineName) + " happened"
	if e.Count > 1 {
		text += fmt.Sprintf(" %d times", e.Count)
	}
	if e.Description != "" {
		text += fmt.Sprintf(" (the page says: %q)", lineText(e.Description, maxLineURI))
	}
	if e.Data != nil {
		text += ", the last time with " + lineText(string(e.Data), maxLineData)
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
