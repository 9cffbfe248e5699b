package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/internal/testlimit"
)

// startApprovals starts a stdio process whose channel takes permission prompts, with the handshake done up to initialized. The
// pages that it opens are in links.
func startApprovals(t *testing.T) (assistant *parent, links chan string) {
	t.Helper()
	links = make(chan string, 10)
	open := func(_ context.Context, url string) error { links <- url; return nil }
	assistant = startStdio(t, StdioOptions{Gateway: Options{State: t.TempDir()}, Channel: true, As: "claude", OpenApprovals: open})
	if got := assistant.ask(initialize); !strings.Contains(got, `"experimental":{"claude/channel":{},"claude/channel/permission":{}}`) {
		t.Fatalf("the capabilities are not declared: %s", got)
	}
	return assistant, links
}

func (p *parent) send(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

// alive shows that all messages before were read.
func (p *parent) alive(when string) {
	p.t.Helper()
	if got := p.ask(`{"jsonrpc":"2.0","id":"alive","method":"ping"}`); got != `{"jsonrpc":"2.0","id":"alive","result":{}}` {
		p.t.Errorf("%s: %s", when, got)
	}
}

const initializedLine = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

func promptLine(id, preview string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/claude/channel/permission_request","params":{"request_id":%q,"tool_name":"Bash","description":"Lists files","input_preview":%q}}`, id, preview)
}

// An approvalTab does what the script of the page does.
type approvalTab struct {
	t      *testing.T
	client *http.Client
	origin string
	secret string
}

// openTab opens a link.
func openTab(t *testing.T, link string) *approvalTab {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	tab := &approvalTab{t: t, origin: "http://" + u.Host, secret: strings.TrimPrefix(u.Fragment, "approve=")}
	tab.client = &http.Client{Timeout: testlimit.Wait, Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, "127.0.0.1:"+u.Port()) // browsers resolve the name by themselves
	}}}
	t.Cleanup(tab.client.CloseIdleConnections)
	var answer struct {
		Secret string `json:"secret"`
	}
	if err := json.UnmarshalRead(tab.post("/tab", "{}").Body, &answer); err != nil {
		t.Fatal(err)
	}
	tab.secret = answer.Secret
	return tab
}

func (tab *approvalTab) post(path, body string) *http.Response {
	tab.t.Helper()
	r, err := http.NewRequestWithContext(tab.t.Context(), "POST", tab.origin+path, strings.NewReader(body))
	if err != nil {
		tab.t.Fatal(err)
	}
	r.Header = http.Header{"Origin": {tab.origin}, "Content-Type": {"application/json"}, "Authorization": {"Bearer " + tab.secret}}
	answer, err := tab.client.Do(r)
	if err != nil {
		tab.t.Fatal(err)
	}
	tab.t.Cleanup(func() { answer.Body.Close() })
	return answer
}

// shown returns the first line of the stream of questions.
func (tab *approvalTab) shown() string {
	tab.t.Helper()
	line, err := bufio.NewReader(tab.post("/questions", "{}").Body).ReadString('\n')
	if err != nil {
		tab.t.Fatal(err)
	}
	return line
}

// With the option a permission prompt is shown in a page, and its answer goes to the assistant: allow or deny, once.
func TestStdioAnswersPermissionPrompts(t *testing.T) {
	assistant, links := startApprovals(t)
	assistant.send(promptLine("early", "{}")) // before initialized
	assistant.alive("before initialized")
	assistant.send(initializedLine)
	for _, params := range []string{`{}`, `[]`, `{"request_id":7,"tool_name":"Bash","description":"","input_preview":"{}"}`, `{"request_id":"x","tool_name":{}}`, `{"tool_name":"Bash","input_preview":"{}"}`} {
		assistant.send(`{"jsonrpc":"2.0","method":"notifications/claude/channel/permission_request","params":` + params + `}`)
	}
	assistant.alive("prompts that are not understood")
	if len(links) != 0 {
		t.Fatalf("a page is opened: %s", <-links)
	}
	assistant.send(promptLine("abcde", `{"command":"ls"}`))
	assistant.send(promptLine("fghij", `{"command":"rm"}`))
	assistant.alive("prompts")
	tab := openTab(t, receive(t, links))
	if got := tab.shown(); !strings.HasPrefix(got, `{"assistant":"claude","questions":[{"number":1,"tool":"Bash","description":"Lists files","preview":"{\"command\":\"ls\"}","complete":true,`) || !strings.Contains(got, `"number":2`) {
		t.Errorf("shown is %s", got)
	}
	for body, want := range map[string]string{
		`{"question":1,"behavior":"allow"}`: `{"jsonrpc":"2.0","method":"notifications/claude/channel/permission","params":{"request_id":"abcde","behavior":"allow"}}`,
		`{"question":2,"behavior":"deny"}`:  `{"jsonrpc":"2.0","method":"notifications/claude/channel/permission","params":{"request_id":"fghij","behavior":"deny"}}`,
	} {
		if got := tab.post("/answer", body); got.StatusCode != http.StatusNoContent {
			t.Errorf("%s: %s", body, got.Status)
		}
		if got := receive(t, assistant.lines); got != want {
			t.Errorf("sent is %s\n want %s", got, want)
		}
		if got := tab.post("/answer", body); got.StatusCode != http.StatusConflict {
			t.Errorf("%s again: %s", body, got.Status)
		}
	}
	assistant.alive("nothing else was sent")
	assistant.end()
}

// A swapped prompt is another question, a cut one cannot be allowed, also if the cut leaves half a character; what is not
// answered when the process ends is not answered at all.
func TestStdioAnswersWhatWasShown(t *testing.T) {
	assistant, links := startApprovals(t)
	assistant.send(initializedLine)
	assistant.send(promptLine("abcde", `{"command":"ls"}`))
	tab := openTab(t, receive(t, links))
	assistant.send(promptLine("abcde", `{"command":"rm"}`))
	assistant.send(strings.Replace(promptLine("fghij", "PREVIEW"), "PREVIEW", strings.Repeat("x", 199)+`\ud83d`, 1))
	assistant.alive("the same id again")
	for body, want := range map[string]int{`{"question":1,"behavior":"allow"}`: http.StatusConflict, `{"question":3,"behavior":"allow"}`: http.StatusConflict} {
		if got := tab.post("/answer", body); got.StatusCode != want {
			t.Errorf("%s: %s", body, got.Status)
		}
	}
	if got := tab.shown(); strings.Contains(got, `"number":1`) || !strings.Contains(got, `rm`) || !strings.Contains(got, `\\u{fffd}","complete":false`) {
		t.Errorf("shown is %s", got)
	}
	assistant.alive("nothing was sent")
	assistant.end()
	for line := range assistant.lines {
		t.Errorf("at its end it sends %s", line)
	}
}

// Prompts are taken over a channel only.
func TestApprovalsNeedAChannel(t *testing.T) {
	err := ServeStdio(t.Context(), StdioOptions{Gateway: Options{State: t.TempDir()}, Listen: "127.0.0.1:0", OpenApprovals: func(context.Context, string) error { return nil }})
	if err == nil || err.Error() != "OpenApprovals requires Channel" {
		t.Error(err)
	}
}
