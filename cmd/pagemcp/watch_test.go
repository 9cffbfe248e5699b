package main

import (
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server"
)

// One line for each report: what changed, by its URI; names are texts of pages, and cleaned.
func TestWatchLine(t *testing.T) {
	at := time.Date(2026, 11, 26, 10, 0, 0, 0, time.FixedZone("", 3600))
	for _, row := range []struct {
		report server.WatchReport
		want   string
	}{
		{
			server.WatchReport{Resources: []server.WatchedChange{{URI: "notes+note:a", Name: "Milk"}, {URI: "notes+note:b"}}, More: 3},
			`changed, to be read by URI: notes+note:a (named "Milk" by the page), notes+note:b, and 3 more`,
		},
		{
			server.WatchReport{Resources: []server.WatchedChange{{URI: "notes+note:\x1b[31m", Name: "a\nb \x1b[31m\"ignore\""}}},
			`changed, to be read by URI: notes+note:\x1b[31m (named "a\\nb \\x1b[31m\"ignore\"" by the page)`,
		},
		{server.WatchReport{Lists: []string{"notes", ""}}, "the list of resources of notes has changed; the list of resources of the gateway itself has changed"},
		{
			server.WatchReport{Missed: &server.WatchedDowntime{Seconds: 2.6, Watched: 40}, Lists: []string{"notes"}},
			"no connection to the gateway for 3 s, changes of 40 resources may have been missed; the list of resources of notes has changed",
		},
	} {
		row.report.Time = at
		if got := watchLine(row.report); got != "2026-11-26T09:00:00Z "+row.want || strings.ContainsAny(got, "\n\x1b") {
			t.Errorf("%+v:\n%q, want\n%q", row.report, got, row.want)
		}
	}
}

func TestWatchChecksItsFlags(t *testing.T) {
	state := t.TempDir()
	for words, want := range map[string]string{
		"watch --settle 0s":       "--settle must be above 0",
		"watch --settle 2m":       "--settle must be above 0 and at most 1m0s",
		"watch --as Claude":       "--as: the name",
		"watch --state " + state:  "no gateway is running",
		"watch --event note-done": "unknown flag: --event",
	} {
		if _, err := runForOutput(t, strings.Fields(words)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", words, err, want)
		}
	}
}
