package server

import (
	"fmt"
	"strings"
	"testing"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/internal/access"
)

// auditDisk returns a disk with files of the audit log, which have the entries.
func auditDisk(t *testing.T, files map[string][]access.Entry) *memDisk {
	t.Helper()
	d := newMemDisk()
	for name, entries := range files {
		f, _, err := d.Append(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			line, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			f.Write(append(line, '\n'))
		}
		f.Write([]byte(`{"time":"2026-11-26T1`)) // the process was killed
		f.Close()
	}
	return d
}

// A report counts what was used today, by assistant and page; the last use and the last denial
// may be older, and in an earlier file.
func TestAccessReportCountsByAssistantAndPage(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 15, 0, 0, 0, time.UTC)
	at := func(hours int) time.Time { return now.Add(time.Duration(hours) * time.Hour) }
	entry := func(hours int, who, app, right, verb, uri, outcome, reason string) access.Entry {
		return access.Entry{Time: at(hours), Principal: who, Client: "Claude Code", Endpoint: "/mcp", Verb: verb, URI: uri, App: app, Right: right, Outcome: outcome, Reason: reason, Bytes: 10}
	}
	const read, act = access.RightRead, access.RightAct
	d := auditDisk(t, map[string][]access.Entry{
		auditOldest: {entry(-60, "ci", "notes", act, "tools/call", "notes__add", "-32603", "declined")},
		auditOlder: {
			entry(-40, "claude-code", "notes", read, "resources/read", "notes+x:1", "ok", ""), // yesterday
			entry(-40, "gone", "notes", read, "resources/read", "notes+x:1", "ok", ""),
		},
		auditFile: {
			entry(-5, "claude-code", "notes", read, "resources/read", "notes+x:1", "ok", ""),
			entry(-4, "claude-code", "notes", read, "prompts/get", "notes__ask", "ok", ""),
			entry(-4, "claude-code", "notes", read, "completion/complete", "notes__ask", "ok", ""), // no contents
			entry(-4, "claude-code", "", read, "resources/list", "", "ok", ""),
			entry(-3, "claude-code", "notes", act, "tools/call", "notes__add", "ok", ""),
			entry(-2, "claude-code", "notes", act, "tools/call", "notes__add", "-32603", "unanswered"),
			entry(-2, "claude-code", "notes", read, "resources/read", "notes+none:", "-32602", ""),
			entry(-1, "claude-code", "notes", "", "tools/call", "read_resource", "ok", ""), // its read counts
			entry(-1, "token", "mail", read, "resources/read", "mail+x:1", "-32603", "paused"),
			{Time: at(-1), Principal: "https://app.example", Endpoint: "/page", Verb: "join", URI: "notes", Outcome: "ok"},
		},
	})
	report, err := reportAccess(d, []NamedAssistant{
		{Name: "ci", ReadOnly: true, Apps: []string{"notes"}},
		{Name: "gone", Revoked: at(-1)},
		{Name: "never"},
	}, time.Time{}, now)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range report.Assistants {
		if len(a.Uses) == 0 {
			got = append(got, a.Name+" has used nothing")
		}
		for _, use := range a.Uses {
			line := fmt.Sprintf("%s %q %s: %d reads %d calls %d denied %d bytes, %v ago", a.Name, use.App, use.Right, use.Reads, use.Calls, use.Denied, use.Bytes, now.Sub(use.Used))
			if d := use.LastDenial; d != nil {
				line += fmt.Sprintf("; %s %v ago: %s %s %s", d.Reason, now.Sub(d.Time), d.Right, d.Method, d.Target)
			}
			got = append(got, line)
		}
	}
	want := []string{
		`unnamed "mail" act: 0 reads 0 calls 1 denied 10 bytes, 1h0m0s ago; paused 1h0m0s ago: read resources/read mail+x:1`,
		`claude-code "notes" act: 2 reads 1 calls 1 denied 60 bytes, 2h0m0s ago; unanswered 2h0m0s ago: act tools/call notes__add`,
		`claude-code "" act: 0 reads 0 calls 0 denied 10 bytes, 4h0m0s ago`,
		`gone "notes" none: 0 reads 0 calls 0 denied 0 bytes, 40h0m0s ago`,
		`ci "notes" read: 0 reads 0 calls 0 denied 0 bytes, 60h0m0s ago; declined 60h0m0s ago: act tools/call notes__add`,
		`never has used nothing`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if report.Assistants[1].Calls != "Claude Code" || !report.Since.Equal(at(-60)) || report.Reads[0].Target != "mail+x:1" && report.Reads[0].Target != "read_resource" {
		t.Errorf("%+v", report)
	}
}

// A file that is renamed while a report reads the files counts once.
func TestAccessReportReadsARenamedFileOnce(t *testing.T) {
	t.Parallel()
	entries := []access.Entry{{Time: time.Unix(7, 0), Principal: "ci", Verb: "resources/read", URI: "notes+x:1", App: "notes", Right: access.RightRead, Outcome: "ok"}}
	d := auditDisk(t, map[string][]access.Entry{auditFile: entries, auditOlder: entries})
	report, err := reportAccess(d, nil, time.Time{}, time.Unix(8, 0))
	if err != nil || len(report.Assistants) != 1 || report.Assistants[0].Uses[0].Reads != 1 {
		t.Errorf("%+v, %v", report, err)
	}
}

// An assistant that makes up pages displaces its own alone, and a report is bounded.
func TestAccessReportIsBounded(t *testing.T) {
	t.Parallel()
	now := time.Now()
	u := newUsage(now)
	u.add(&access.Entry{Time: now, Principal: "other", Verb: "resources/read", App: "notes", Right: access.RightRead, Outcome: "ok"})
	long := strings.Repeat("é", 5_000)
	for i := range 10_000 {
		u.add(&access.Entry{
			Time: now.Add(time.Duration(i)), Principal: "busy", Client: long, Verb: long, URI: long, App: fmt.Sprint("page-", i),
			Right: access.RightRead, Outcome: "-32603", Reason: access.ReasonDeclined,
		})
		u.add(&access.Entry{Time: now, Principal: fmt.Sprint("name-", i), Verb: "resources/read", App: "notes", Right: access.RightRead, Outcome: "ok"})
	}
	if reads := u.latest(); len(reads) != maxReads || reads[0].Time.Before(reads[1].Time) || len(reads[0].Target) > maxActivityText || cap(u.reads) > 4*maxReads {
		t.Errorf("%d reads, the first %.40q", len(reads), reads[0].Target)
	}
	all := u.assistants(nil, now)
	text, err := json.Marshal(all)
	if err != nil || len(all) != maxUsedAssistants || len(text) > 200_000 {
		t.Errorf("%d assistants in %d bytes, %v", len(all), len(text), err)
	}
	for _, a := range all {
		switch a.Name {
		case "busy":
			if len(a.Uses) != maxUsedApps || a.Uses[0].App != "page-9999" {
				t.Errorf("%d pages, the latest %s", len(a.Uses), a.Uses[0].App)
			}
		case "other":
			if len(a.Uses) != 1 || a.Uses[0].Reads != 1 {
				t.Errorf("%+v", a.Uses)
			}
		}
	}
}
