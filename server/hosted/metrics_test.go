package hosted

import (
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/oauth"
)

// scrape returns what Prometheus gets.
func scrape(t testing.TB, m *metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return w.Body.String()
}

// wantSeries checks that text has these lines.
func wantSeries(t *testing.T, text string, lines ...string) {
	t.Helper()
	all := strings.Split(text, "\n")
	for _, line := range lines {
		if !slices.Contains(all, line) {
			name, _, _ := strings.Cut(line, " ")
			t.Errorf("want %s; there is %q", line, regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(name)+` .*`).FindString(text))
		}
	}
}

type noAudit struct{}

func (noAudit) Record(access.Entry)        {}
func (noAudit) RecordRefusal(access.Entry) {}

func TestMetricsCountWhatTheAuditRecords(t *testing.T) {
	t.Parallel()
	m := newMetrics("1.2.3", func() uint64 { return 7 })
	audit := m.auditing(noAudit{})
	for _, e := range []access.Entry{
		{Endpoint: "/mcp", Verb: "resources/read", Outcome: "ok", Bytes: 100, Ms: 3},
		{Endpoint: "/mcp/notes-k7qd2m", Verb: "resources/read", Outcome: "-32602", Bytes: 20, Ms: 3},
		{Endpoint: "/mcp", Verb: "subscriptions/listen", Outcome: "ok", Bytes: 5, Ms: 60_000},
		{Endpoint: "/mcp", Verb: "acme/anything", Outcome: "any text", Bytes: -1},
		{Endpoint: "/page", Verb: "join", Outcome: "ok"},
		{Endpoint: "/page", Verb: "join", Outcome: "error"},
		{Endpoint: "/page", Verb: "join", Outcome: "refused"}, // by rejectJoin
		{Endpoint: "/page", Verb: "leave", Outcome: "ok"},
	} {
		audit.Record(e)
	}
	audit.RecordRefusal(access.Entry{Endpoint: "/mcp", Verb: "refuse", Outcome: "403"})
	audit.RecordRefusal(access.Entry{Endpoint: "/page", Verb: "connect", Outcome: "busy"})
	audit.RecordRefusal(access.Entry{Endpoint: "/mcp", Verb: "login", Outcome: "401"}) // by token
	wantSeries(t, scrape(t, m),
		`pagemcp_info{version="1.2.3"} 1`,
		`pagemcp_requests_total{method="resources/read",outcome="ok"} 1`,
		`pagemcp_requests_total{method="resources/read",outcome="error"} 1`,
		`pagemcp_requests_total{method="other",outcome="error"} 1`,
		`pagemcp_response_bytes_total{method="resources/read"} 120`,
		`pagemcp_request_duration_seconds_bucket{method="resources/read",le="0.005"} 2`,
		`pagemcp_joins_total{outcome="joined",reason=""} 1`,
		`pagemcp_joins_total{outcome="rejected",reason="attach"} 1`,
		`pagemcp_leaves_total 1`,
		`pagemcp_refusals_total{reason="guard"} 1`,
		`pagemcp_refusals_total{reason="busy"} 1`,
		`pagemcp_audit_entries_lost_total 7`,
	)
	if text := scrape(t, m); strings.Contains(text, `duration_seconds_count{method="subscriptions/listen"}`) {
		t.Error("the duration of a subscription is counted")
	}
}

// Labels are on this list, and whatever clients and pages send, the number of series stays
// the same.
func TestMetricsHaveNoLabelsOfUsers(t *testing.T) {
	t.Parallel()
	m := newMetrics("", nil)
	m.watch(func() nodeCounts { return nodeCounts{} }, func() bool { return false })
	fill := func(name string) {
		for _, verb := range []string{"resources/read", "join", "leave", "refuse", "connect", "login", name} {
			for _, door := range []string{"/mcp", "/mcp/" + name, "/page"} {
				m.count(access.Entry{Principal: name, Owner: access.Owner(name), Client: name, Endpoint: door, Verb: verb, URI: name, Outcome: name, Trace: name})
			}
		}
		m.token(pageIssuer, oauth.Reason(name))
		m.exceed(name)
		m.rejectJoin(name)
	}
	fill("alice")
	series := func() int { return strings.Count(scrape(t, m), "\npagemcp_") }
	before := series()
	for _, name := range []string{"bob", "https://app.example", strings.Repeat("x", 1_000), "\xff", "a\nb", `"`} {
		fill(name)
	}
	if now := series(); now != before {
		t.Errorf("%d series, then %d", before, now)
	}
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				if strings.HasPrefix(family.GetName(), "pagemcp_") && !slices.Contains([]string{"method", "outcome", "reason", "kind", "limit", "state", "version"}, label.GetName()) {
					t.Errorf("%s has the label %s", family.GetName(), label.GetName())
				}
			}
		}
	}
}
