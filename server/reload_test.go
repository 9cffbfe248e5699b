package server

import (
	"strings"
	"testing"
)

// If a page disconnects during a call, the call fails at once on its own stream; the
// error says that it may have had effects, and it is not retried. Requests without
// effects wait for the page and are answered once: a prompt, a completion, a list of
// tools. R-007 R-359.
func TestPageReloadsDuringCalls(t *testing.T) {
	g := startGateway(t, Options{})
	page := newConformancePage(t)
	page.join(g)
	const stream = "Accept: application/json, text/event-stream"
	c := openAble(t, g, "/mcp/conformance")
	post := func(body string, lines ...string) <-chan string {
		answer := make(chan string, 1)
		go func() {
			_, text := c.do(t.Context(), "POST", "/mcp/conformance", body, append(lines, v2026)...)
			answer <- text
		}()
		return answer
	}
	modernCall, _ := c.do(t.Context(), "POST", "/mcp/conformance", strings.Replace(modern("1", "tools/call", `"name":"test_slow"`), `"_meta":{`, `"_meta":{"progressToken":1,`, 1),
		v2026, stream, "Mcp-Method: tools/call", "Mcp-Name: test_slow")
	inModern, _ := events(t, modernCall.Body)
	inSession := c.call(t.Context(), "1", "test_slow", `,"_meta":{"progressToken":1}`)
	receive(t, inModern)
	receive(t, inSession)

	page.leave()
	for _, messages := range []<-chan string{inModern, inSession} {
		if got := receive(t, messages); !strings.Contains(got, `"id":1,"error"`) || !strings.Contains(got, `"reason":"interrupted"`) || !strings.Contains(got, `"retry":false`) {
			t.Errorf("the call that ran: %s", got)
		}
		ends(t, "after the error", messages)
	}
	page.awaitAway(g)
	prompt := post(modern("2", "prompts/get", `"name":"test_simple_prompt"`), "Mcp-Method: prompts/get", "Mcp-Name: test_simple_prompt")
	completion := post(modern("3", "completion/complete", `"ref":{"type":"ref/prompt","name":"test_prompt_with_arguments"},"argument":{"name":"arg1","value":"par"}`), "Mcp-Method: completion/complete")
	if _, body := c.request("4", "tools/list", ""); !strings.Contains(body, `"name":"list_resources"`) {
		t.Errorf("tools while it is away: %s", body)
	}

	again := newConformancePage(t)
	again.keyID, again.key = page.keyID, page.key
	again.join(g)
	if got := receive(t, prompt); !strings.Contains(got, "simple prompt") {
		t.Errorf("the prompt: %s", got)
	}
	if got := receive(t, completion); !strings.Contains(got, "paris") {
		t.Errorf("the completion: %s", got)
	}
	if _, body := c.request("5", "tools/call", `"name":"test_simple_text"`); !strings.Contains(body, "simple text") {
		t.Errorf("a call afterwards: %s", body)
	}
	if wire := strings.Join(again.received(), "\n"); strings.Contains(wire, "test_slow") || strings.Count(wire, `"name":"test_simple_prompt"`) != 1 {
		t.Errorf("what came to the page: %s", wire)
	}
}

// A page that reconnects without prompts and tools: the capabilities stay, and
// list_changed is sent. R-042 R-359.
func TestReloadedPageWithoutToolsAnnouncesIt(t *testing.T) {
	g := startGateway(t, Options{})
	page := newConformancePage(t)
	page.join(g)
	c := openAble(t, g, "/mcp/conformance")
	messages, _ := c.stream(t.Context())
	for _, list := range []string{"tools", "prompts"} {
		if _, body := c.request("1", list+"/list", ""); !strings.Contains(body, "test_simple_") {
			t.Errorf("%s: %s", list, body)
		}
	}
	page.leave()
	page.awaitAway(g)
	less := newPage(t, testOrigin, "conformance tab")
	less.app, less.keyID, less.key = "conformance", page.keyID, page.key
	less.join(g)
	received := ""
	for !strings.Contains(received, "tools/list_changed") || !strings.Contains(received, "prompts/list_changed") {
		received += receive(t, messages)
	}
	for _, list := range []string{"tools", "prompts"} {
		if status, body := c.request("2", list+"/list", ""); status != 200 || strings.Contains(body, "test_simple_") || !strings.Contains(body, `"`+list+`":[`) {
			t.Errorf("%s: %d %s", list, status, body)
		}
	}
	if _, body := c.request("3", "tools/call", `"name":"test_simple_text"`); !strings.Contains(body, "-32602") {
		t.Errorf("a tool that is gone: %s", body)
	}
}
