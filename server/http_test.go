package server

import (
	"bufio"
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/testlimit"
)

// A testCaller sends HTTP requests to a gateway with the right token.
type testCaller struct {
	t *testing.T
	g *Gateway
}

// streams is the header of clients that take event streams.
const streams = "Accept: application/json, text/event-stream"

// request makes a request with a token, or none if that is "". Header lines are "Name: value".
func request(ctx context.Context, g *Gateway, token, method, path, body string, lines ...string) *http.Request {
	r, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(g.URL(), "/mcp")+path, strings.NewReader(body))
	if err != nil {
		panic(err) // of tests
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ":")
		switch value = strings.TrimSpace(value); name {
		case "Host":
			r.Host = value
		case "Content-Type", "Accept":
			r.Header.Set(name, value)
		default:
			r.Header.Add(name, value)
		}
	}
	return r
}

// do sends one request. An answer that is no event stream is read as a whole.
func (c testCaller) do(ctx context.Context, method, path, body string, lines ...string) (*http.Response, string) {
	c.t.Helper()
	answer, err := testlimit.Client.Do(request(ctx, c.g, c.g.testToken(), method, path, body, lines...))
	if err != nil {
		c.t.Fatal(err)
	}
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") {
		return answer, ""
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return answer, string(data)
}

// events reads an event stream; each receive is one message.
func events(t *testing.T, body io.ReadCloser) (messages <-chan string, other <-chan string) {
	t.Helper()
	out, rest := make(chan string, 64), make(chan string, 64)
	go func() { // ends with the stream
		defer close(out)
		lines := bufio.NewScanner(body)
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				out <- data
			} else if lines.Text() != "" {
				rest <- lines.Text()
			}
		}
	}()
	t.Cleanup(func() { body.Close() })
	return out, rest
}

func receive(t *testing.T, messages <-chan string) string {
	t.Helper()
	select {
	case msg, ok := <-messages:
		if !ok {
			t.Fatal("the stream ended")
		}
		return msg
	case <-time.After(testTime):
		t.Fatal("nothing came")
	}
	return ""
}

const envelope = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

func modern(id, method, params string) string {
	if params != "" {
		params = "," + params
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + envelope + params + `}}`
}

const v2026 = "MCP-Protocol-Version: 2026-07-28"

// The statuses and codes of the modern era, in the order of the checks. R-280 R-284
// R-286 R-295…R-306.
func TestModernStatuses(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	page := newPage(t, testOrigin, "tab")
	page.write("notes://%C3%A9", "text")
	page.join(g)
	c := testCaller{t, g}
	read := modern("1", "resources/read", `"uri":"notes+notes://%C3%A9"`)
	const uri = "notes+notes://%C3%A9"
	wrapped := "=?base64?" + base64.StdEncoding.EncodeToString([]byte(uri)) + "?="
	for _, test := range []struct {
		name, body string
		lines      []string
		status     int
		want       string // in the body
	}{
		{"discover", modern("1", "server/discover", ""), []string{v2026, "Mcp-Method: server/discover"}, 200, `"id":1`},
		{"string id", modern(`"1"`, "server/discover", ""), []string{v2026, "Mcp-Method: server/discover"}, 200, `"id":"1"`},
		{"large id", modern("9007199254740993", "server/discover", ""), []string{v2026, "Mcp-Method: server/discover"}, 200, `"id":9007199254740993`},
		{"spaces around the values", modern("1", "server/discover", ""), []string{"MCP-Protocol-Version:  2026-07-28 ", "mcp-method: server/discover\t"}, 200, `"result"`},
		{"no version header", modern("1", "server/discover", ""), []string{"Mcp-Method: server/discover"}, 400, "-32020"},
		{"another version header", modern("1", "server/discover", ""), []string{"MCP-Protocol-Version: 2025-11-25", "Mcp-Method: server/discover"}, 400, "-32020"},
		{"version header twice", modern("1", "server/discover", ""), []string{v2026, v2026, "Mcp-Method: server/discover"}, 400, "-32600"},
		{"unknown version, other header", strings.Replace(modern("1", "server/discover", ""), "2026-07-28", "2030-01-01", 1), []string{v2026, "Mcp-Method: server/discover"}, 400, "-32020"},
		{"unknown version", strings.Replace(modern("1", "server/discover", ""), "2026-07-28", "2030-01-01", 1), []string{"MCP-Protocol-Version: 2030-01-01", "Mcp-Method: server/discover"}, 400, "-32022"},
		{"no Mcp-Method", modern("1", "server/discover", ""), []string{v2026}, 400, "-32020"},
		{"Mcp-Method in another case", modern("1", "server/discover", ""), []string{v2026, "Mcp-Method: Server/Discover"}, 400, "-32020"},
		{"unknown method", modern("1", "acme/x", ""), []string{v2026, "Mcp-Method: acme/x"}, 404, "-32601"},
		{"initialize with an envelope", modern("1", "initialize", ""), []string{v2026, "Mcp-Method: initialize"}, 404, "-32601"},
		{"no envelope", `{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{}}`, []string{v2026, "Mcp-Method: resources/list"}, 400, "-32602"},
		{"discover without envelope", `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, nil, 400, "-32602"},
		{"half an envelope", `{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, []string{v2026, "Mcp-Method: resources/list"}, 400, "-32602"},
		{"read without Mcp-Name", read, []string{v2026, "Mcp-Method: resources/read"}, 400, "-32020"},
		{"read with another Mcp-Name", read, []string{v2026, "Mcp-Method: resources/read", "Mcp-Name: notes://x"}, 400, "-32020"},
		{"read, plain", read, []string{v2026, "Mcp-Method: resources/read", "Mcp-Name: " + uri}, 200, `"text":"text"`},
		{"read, raw UTF-8", modern("1", "resources/read", `"uri":"notes+notes://é"`), []string{v2026, "Mcp-Method: resources/read", "Mcp-Name: notes+notes://é"}, 200, `"text":"text"`},
		{"read, Base64", read, []string{v2026, "Mcp-Method: resources/read", "Mcp-Name: " + wrapped}, 200, `"text":"text"`},
		{"read, broken Base64", read, []string{v2026, "Mcp-Method: resources/read", "Mcp-Name: =?base64?%%%?="}, 400, "-32020"},
		{"not found", modern("1", "resources/read", `"uri":"notes+notes://none"`), []string{v2026, "Mcp-Method: resources/read", "Mcp-Name: notes+notes://none"}, 200, "-32602"},
		{"bad cursor", modern("1", "resources/list", `"cursor":"x"`), []string{v2026, "Mcp-Method: resources/list"}, 200, "-32602"},
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, []string{v2026}, 202, ""},
		{"a notification without headers, with envelope", `{"jsonrpc":"2.0","method":"notifications/x","params":{` + envelope + `}}`, nil, 202, ""},
		{"a response", `{"jsonrpc":"2.0","id":1,"result":{}}`, []string{v2026}, 400, "-32600"},
		{"an array", "[" + modern("1", "server/discover", "") + "]", []string{v2026, "Mcp-Method: server/discover"}, 400, "-32600"},
		{"not JSON", "{", []string{v2026}, 400, "-32700"},
		{"a BOM", "\ufeff" + modern("1", "server/discover", ""), []string{v2026}, 400, "-32700"},
		{"not UTF-8", `{"jsonrpc":"2.0","id":1,"method":"` + "\xff" + `"}`, []string{v2026}, 400, "-32700"},
		{"nothing", "", []string{v2026}, 400, "-32700"},
		{"a name twice", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, nil, 400, "-32600"},
		{"a fraction as id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, nil, 400, "-32600"},
		{"too deep", strings.Repeat("[", 200) + strings.Repeat("]", 200), nil, 400, "-32"},
		{"a listen that takes no stream", modern("1", "subscriptions/listen", `"notifications":{}`), []string{v2026, "Mcp-Method: subscriptions/listen", "Accept: application/json"}, 406, "-32600"},
		{"a listen without a filter", modern("1", "subscriptions/listen", ""), []string{v2026, "Mcp-Method: subscriptions/listen", "Accept: application/json, text/event-stream"}, 200, "-32602"},
		{"a session id is ignored", modern("1", "server/discover", ""), []string{v2026, "Mcp-Method: server/discover", "Mcp-Session-Id: none"}, 200, `"result"`},
		{"ping without a session", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, nil, 200, `"result":{}`},
		{"a list without anything", `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`, nil, 200, `"resources":[`},
		{"initialized without a session", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, 202, ""},
		{"too large", strings.Repeat(" ", limits.MaxMessage) + "{}", nil, 413, "-32600"},
		{"as large as may be", modern("1", "server/discover", "") + strings.Repeat(" ", limits.MaxMessage-len(modern("1", "server/discover", ""))), []string{v2026, "Mcp-Method: server/discover"}, 200, `"result"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), testTime)
			defer cancel()
			answer, body := testCaller{t, g}.do(ctx, "POST", "/mcp", test.body, test.lines...)
			if answer.StatusCode != test.status || !strings.Contains(body, test.want) {
				t.Errorf("%d %s; want %d with %s", answer.StatusCode, body, test.status, test.want)
			}
			if test.status == 202 && body != "" {
				t.Errorf("a body: %q", body)
			}
			if kind := answer.Header.Get("Content-Type"); body != "" && kind != "application/json" {
				t.Errorf("as %q", kind)
			}
			if answer, body := c.do(ctx, "POST", "/mcp", modern("7", "server/discover", ""), v2026, "Mcp-Method: server/discover"); answer.StatusCode != 200 || !strings.Contains(body, `"id":7`) {
				t.Errorf("afterwards: %d %s", answer.StatusCode, body)
			}
		})
	}
	for _, test := range []struct {
		method, path string
		lines        []string
		status       int
	}{
		{"GET", "/mcp", nil, 405}, {"DELETE", "/mcp", nil, 405}, {"PUT", "/mcp", nil, 405}, {"OPTIONS", "/mcp", nil, 405}, {"HEAD", "/mcp", nil, 405},
		{"GET", "/mcp", []string{"Mcp-Session-Id: none", "Accept: text/event-stream"}, 404},
		{"GET", "/mcp", []string{"Mcp-Session-Id: none"}, 406}, {"DELETE", "/mcp", []string{"Mcp-Session-Id: none"}, 404},
		{"POST", "/mcp/", nil, 404}, {"POST", "/mcp/Notes", nil, 404}, {"POST", "/mcp/a/b", nil, 404}, {"POST", "/mcp/a%2Fb", nil, 404},
		{"POST", "/MCP", nil, 404}, {"POST", "/mcp/../mcp", nil, 404}, {"GET", "/ws", nil, 426},
	} {
		answer, _ := c.do(t.Context(), test.method, test.path, "", test.lines...)
		if answer.StatusCode != test.status {
			t.Errorf("%s %s %v: %d, want %d", test.method, test.path, test.lines, answer.StatusCode, test.status)
		}
		if test.status == 405 && !strings.Contains(answer.Header.Get("Allow"), "POST") {
			t.Errorf("%s %s: no Allow", test.method, test.path)
		}
	}
}

// Reads are rate-limited by principal: the error is 429 with Retry-After. R-260.
func TestReadsAreRateLimited(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{Limits: Limits{ReadsPerSecond: 0.001}})
	c := testCaller{t, g}
	busy := 0
	for range 1 + 3 { // one at once, at this rate
		answer, body := c.do(t.Context(), "POST", "/mcp", modern("1", "resources/read", `"uri":"a:b"`), v2026, "Mcp-Method: resources/read", "Mcp-Name: a:b")
		if answer.StatusCode == 429 && answer.Header.Get("Retry-After") != "" && strings.Contains(body, `"reason":"busy"`) {
			busy++
		}
	}
	if busy != 3 {
		t.Errorf("%d were refused", busy)
	}
	if answer, _ := c.do(t.Context(), "POST", "/mcp", discover, v2026, "Mcp-Method: server/discover"); answer.StatusCode != 200 {
		t.Errorf("discover: %d", answer.StatusCode)
	}
}
