package server

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/access"
)

// auditCount counts the entries that reach the audit log.
type auditCount struct {
	access.Audit
	entries int
}

func (a *auditCount) Record(access.Entry) { a.entries++ }

// What is remembered is bounded: the clients that are inactive for longest and the oldest
// reads are dropped, long texts are cut. The audit log gets every entry whole.
func TestActivityIsBounded(t *testing.T) {
	t.Parallel()
	audit := &auditCount{}
	a := newActivity(audit, nil)
	now := time.Unix(0, 0)
	a.now = func() time.Time { now = now.Add(time.Second); return now }
	const total = 1_000
	for i := range total {
		a.Record(access.Entry{Client: fmt.Sprintf("client %d %s", i, strings.Repeat("x", 5_000)), Endpoint: "/mcp", Verb: "resources/read", URI: strings.Repeat("é", 5_000), Outcome: "ok"})
	}
	clients, reads := a.snapshot()
	if len(clients) != maxActiveClients || !strings.HasPrefix(clients[0].Client, "client 999 ") || len(clients[0].Client) > maxActivityText {
		t.Errorf("%d clients, the first %.40q", len(clients), clients[0].Client)
	}
	if len(reads) != maxReads || !reads[0].Time.After(reads[1].Time) || len(reads[0].Target) > maxActivityText || strings.ContainsRune(reads[0].Target, '\uFFFD') {
		t.Errorf("%d reads, the first %.40q", len(reads), reads[0].Target)
	}
	if audit.entries != total {
		t.Errorf("the audit log has %d entries", audit.entries)
	}
}

// Requests of assistants count; what pages and unknown clients do does not.
func TestActivityCountsAssistants(t *testing.T) {
	t.Parallel()
	a := newActivity(&auditCount{}, nil)
	for _, e := range []access.Entry{
		{Endpoint: "/mcp/notes", Client: "one", Verb: "tools/list"},
		{Endpoint: "/mcp/notes", Client: "one", Verb: "tools/call", URI: "add", Outcome: "-32603"},
		{Endpoint: access.SocketPath, Verb: "prompts/get", URI: "plan", Outcome: "ok"},
		{Endpoint: access.MonitorPath, Client: "playground", Verb: "resources/list"},
		{Endpoint: access.MonitorPath, Verb: "watch"},
		{Endpoint: stdioEndpoint, Principal: "claude-code", Verb: "resources/list"},
		{Endpoint: access.PagePath, Verb: "join", URI: "notes"},
	} {
		a.Record(e)
	}
	clients, reads := a.snapshot()
	if len(clients) != 4 || len(reads) != 2 || reads[1].Target != "add" || reads[1].Outcome != "-32603" {
		t.Errorf("%+v %+v", clients, reads)
	}
	for _, c := range clients {
		if c.Endpoint == "/mcp/notes" && c.Requests != 2 {
			t.Errorf("%+v", c)
		}
	}
}

// The log keeps the last lines within its bounds, and counts what a slow reader missed.
func TestLogRingIsBounded(t *testing.T) {
	t.Parallel()
	l := newLogRing()
	for i := range 3 * maxLogLines {
		fmt.Fprintf(l, "%d %s\n", i, strings.Repeat("x", 300))
	}
	lines, next, lost, _ := l.after(0)
	size := 0
	for _, line := range lines {
		size += len(line)
	}
	if size > maxLogBytes || len(lines) > maxLogLines || next != 3*maxLogLines || lost != next-len(lines) || !strings.HasPrefix(string(lines[len(lines)-1]), fmt.Sprint(next-1, " ")) {
		t.Errorf("%d lines, %d bytes, next %d, lost %d", len(lines), size, next, lost)
	}
	l.Write([]byte(strings.Repeat("x", maxLogLine+1)))
	l.Write([]byte("last\n"))
	if lines, _, lost, _ := l.after(next); len(lines) != 1 || lost != 0 || string(lines[0]) != "last\n" {
		t.Errorf("%q, lost %d", lines, lost)
	}
	if lines, _, _, changed := l.after(next + 1); len(lines) != 0 {
		t.Errorf("%q", lines)
	} else {
		select {
		case <-changed:
			t.Error("changed without a new line")
		default:
		}
	}
}
