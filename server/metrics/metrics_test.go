package metrics

import (
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server"
	"github.com/pagemcp/pagemcp/server/internal/labels"
	"github.com/pagemcp/pagemcp/server/internal/testlimit"
)

// startGateway runs a gateway with metrics.
func startGateway(t *testing.T, m *Metrics) *server.Gateway {
	t.Helper()
	g, err := server.New(server.Options{State: t.TempDir(), Version: "1.2.3", Observe: m.Observe})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- g.Serve(context.Background()) }()
	t.Cleanup(func() {
		g.Close(context.Background())
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	m.Watch(g)
	return g
}

func send(t *testing.T, method, url, body string, header ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	answer, err := testlimit.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// Requests, refusals and pages are counted; no label has a name or text of a client.
func TestMetricsOfAGateway(t *testing.T) {
	m := New("1.2.3")
	g := startGateway(t, m)
	l, err := m.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	ctx, stop := context.WithCancel(t.Context())
	go func() { ended <- l.Serve(ctx) }()
	token, err := os.ReadFile(g.TokenFile())
	if err != nil {
		t.Fatal(err)
	}
	bearer := "Authorization: Bearer " + strings.TrimSpace(string(token))
	const envelope = `"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	for _, method := range []string{"resources/list", "a/secret/method"} {
		send(t, "POST", g.URL(), `{"jsonrpc":"2.0","id":1,"method":"`+method+`",`+envelope, bearer, "Content-Type: application/json", "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: "+method)
	}
	if status, _ := send(t, "POST", g.URL(), "{}"); status != 401 {
		t.Errorf("without a token: %d", status)
	}
	if status, _ := send(t, "POST", g.URL(), "{}", "Origin: https://evil.example"); status != 403 {
		t.Errorf("from a web site: %d", status)
	}
	status, text := send(t, "GET", l.URL(), "")
	if status != 200 {
		t.Fatalf("%d %s", status, text)
	}
	for _, want := range []string{
		`pagemcp_info{version="1.2.3"} 1`, `pagemcp_requests_total{method="resources/list",outcome="ok"} 1`, `pagemcp_requests_total{method="other",outcome="error"} 1`,
		`pagemcp_refusals_total{reason="token"} 1`, `pagemcp_refusals_total{reason="origin"} 1`, `pagemcp_pages{state="connected"} 0`, `pagemcp_sockets 0`, `pagemcp_sessions 0`,
		`pagemcp_request_duration_seconds_count{method="resources/list"} 1`, "go_goroutines", "process_resident_memory_bytes",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, "secret") || strings.Contains(text, "evil") {
		t.Errorf("texts of clients: %s", text)
	}
	for _, header := range []string{"Origin: https://evil.example", "Sec-Fetch-Site: cross-site"} {
		if status, _ := send(t, "GET", l.URL(), "", header); status != 403 {
			t.Errorf("with %s: %d", header, status)
		}
	}
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("the listener goes on after its context has ended")
	}
}

// Every event has bounded labels.
func TestLabelsAreBounded(t *testing.T) {
	for text, want := range map[string]string{"ok": "ok", "busy": "busy", "-32603": "error", "-1": "error", "401": "rejected", "429": "rejected", "500": "error", "anything": "error"} {
		if got := labels.Outcome(text); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
	m := New("1.2.3")
	for _, e := range []server.Event{
		{Endpoint: "/page", Verb: "join", Outcome: "ok"}, {Endpoint: "/page", Verb: "join", Outcome: "refused"}, {Endpoint: "/page", Verb: "leave", Outcome: "ok"}, {Endpoint: "/page", Verb: "pair", Outcome: "ok"},
		{Endpoint: "/watch", Verb: "watch", Outcome: "ok"}, {Endpoint: "/ws", Verb: "connect", Outcome: "busy"}, {Endpoint: "stdio", Verb: "tools/call", Outcome: "ok"},
	} {
		m.Observe(e)
	}
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var series []string
	for _, family := range families {
		if !strings.HasPrefix(family.GetName(), "pagemcp_") {
			continue
		}
		for _, metric := range family.GetMetric() {
			var labels []string
			for _, label := range metric.GetLabel() {
				labels = append(labels, label.GetValue())
			}
			series = append(series, family.GetName()+" "+strings.Join(labels, " "))
		}
	}
	for _, want := range []string{"pagemcp_page_events_total join", "pagemcp_page_events_total refused", "pagemcp_page_events_total leave", "pagemcp_page_events_total pair", "pagemcp_refusals_total busy", "pagemcp_requests_total tools/call ok"} {
		if !strings.Contains(strings.Join(series, "\n"), want) {
			t.Errorf("there is no %s in %q", want, series)
		}
	}
	if len(series) != 9 { // those, its bytes and time, and the version
		t.Errorf("%d series: %q", len(series), series)
	}
}
