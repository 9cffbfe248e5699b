package server

import (
	"strings"
	"testing"
)

// Headers are checked against the current schema of the page: a header that it has just
// begun to require is required at once. On a mismatch the response is -32020 with 400,
// and nothing is called. The page sees no header. R-304 R-305 R-360.
func TestParamHeadersFollowThePage(t *testing.T) {
	g := startGateway(t, Options{})
	page := newConformancePage(t)
	page.join(g)
	c := testCaller{t, g}
	call := func(path, name, arguments string, lines ...string) (int, string) {
		t.Helper()
		body := modern("1", "tools/call", `"name":"`+name+`","arguments":`+arguments)
		answer, text := c.do(t.Context(), "POST", path, body, append(lines, v2026, "Mcp-Method: tools/call", "Mcp-Name: "+name)...)
		return answer.StatusCode, text
	}
	for _, path := range []string{"/mcp/conformance", "/mcp"} {
		name := "test_x_mcp_header"
		if path == "/mcp" {
			name = "conformance." + name
		}
		if status, body := call(path, name, `{"region":"eu"}`, "Mcp-Param-Region: eu"); status != 200 || !strings.Contains(body, "In eu.") {
			t.Errorf("%s, equal: %d %s", path, status, body)
		}
		if status, body := call(path, name, `{"region":"eu"}`); status != 400 || !strings.Contains(body, "-32020") {
			t.Errorf("%s, missing: %d %s", path, status, body)
		}
		if status, body := call(path, name, `{"region":"eu"}`, "Mcp-Param-Region: us"); status != 400 || !strings.Contains(body, "-32020") {
			t.Errorf("%s, another: %d %s", path, status, body)
		}
	}
	if status, body := call("/mcp/conformance", "test_simple_text", `{}`, "Mcp-Param-Region: eu"); status != 200 || !strings.Contains(body, "simple text") {
		t.Errorf("a tool without such arguments: %d %s", status, body)
	}
	if status, body := call("/mcp/conformance", "test_none", `{}`, "Mcp-Param-Region: eu"); status != 200 || !strings.Contains(body, "-32602") {
		t.Errorf("no such tool: %d %s", status, body)
	}
	page.tool("test_simple_text", "Now it has one.", object{
		"type": "object", "properties": object{"region": object{"type": "string", "x-mcp-header": "Region"}},
	}, always("with a region"))
	if status, body := call("/mcp/conformance", "test_simple_text", `{"region":"eu"}`); status != 400 || !strings.Contains(body, "-32020") {
		t.Errorf("after the change: %d %s", status, body)
	}
}
