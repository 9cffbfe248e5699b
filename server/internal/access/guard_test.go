package access

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// guarded returns a guard of a gateway at 127.0.0.1:8808, and what reaches it: the status of a
// request is 418 if it passes.
func guarded(g Guard) *Guard {
	g.Hosts = []string{"127.0.0.1:8808", "localhost:8808"}
	g.OwnOrigins = []string{"http://127.0.0.1:8808", "http://localhost:8808"}
	g.Next = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	return &g
}

// send sends a request with these headers: lines of `Name: value`.
func send(t *testing.T, g *Guard, method, path, lines string) *httptest.ResponseRecorder {
	t.Helper()
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(method + " " + path + " HTTP/1.1\nHost: 127.0.0.1:8808\n" + lines + "\n")))
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	g.ServeHTTP(w, r)
	return w
}

// No site opens a page socket unless its origin is listed exactly.
func TestPageEndpointRejectsForeignOrigins(t *testing.T) {
	refused := 0
	g := guarded(Guard{PageOrigins: NewOrigins("https://app.example", "http://localhost:5173"), OnRefusal: func(*http.Request) { refused++ }})
	lines := []string{
		"Origin:", "Origin: null", "Origin: file://", "Origin: https://evil.example", "Origin: https://app.example.", "Origin: https://APP.example",
		"Origin: HTTPS://app.example", "Origin: https://app.example:443", "Origin: https://app.example:444", "Origin: http://app.example",
		"Origin: https://app.example/", "Origin: https://user@app.example", "Origin: https://app.example.evil.example", "Origin: https://evilapp.example",
		"Origin: https://xn--app-.example", "Origin: http://localhost:5174", "Origin: http://localhost", "Origin: http://localhost.evil:5173",
		"Origin: http://127.0.0.1:5173", "Origin: http://[::1]:5173", "Origin: http://127.0.0.1:8809", "Origin: https://app.example https://evil.example",
		"Origin: https://app.example\nOrigin: https://evil.example", "Origin: https://app.example\nOrigin: https://app.example", "Origin: *", "Origin: https://*.example",
	}
	for _, origin := range lines {
		if origin != "" {
			origin += "\n"
		}
		for _, path := range []string{PagePath, MonitorPath} {
			if w := send(t, g, "GET", path, origin); w.Code != http.StatusForbidden || w.Body.String() != "forbidden\n" {
				t.Errorf("%q at %s: %d %q", origin, path, w.Code, w.Body)
			}
		}
	}
	if refused == 0 || g.MayJoin("") {
		t.Errorf("%d refusals are reported; without an Origin a page may join: %v", refused, g.MayJoin(""))
	}
	if w := send(t, g, "GET", PagePath, "Origin: http://localhost:5173\n"); w.Code != http.StatusTeapot || !g.MayJoin("http://localhost:5173") {
		t.Errorf("a listed origin: %d", w.Code)
	}
}

// Browsers cannot open the assistants' socket, not even from the same site, nor can they send
// requests to endpoints.
func TestAssistantEndpointsRejectSites(t *testing.T) {
	g := guarded(Guard{AssistantOrigins: NewOrigins("https://assistant.example")})
	for lines, want := range map[string]int{
		"Origin: https://evil.example\n":                                  403,
		"Origin: null\n":                                                  403,
		"Sec-Fetch-Site: cross-site\n":                                    403,
		"Sec-Fetch-Site: same-site\n":                                     403,
		"Sec-Fetch-Site: none\nSec-Fetch-Site: none\n":                    403,
		"Origin: http://127.0.0.1:8808\nSec-Fetch-Site: same-site\n":      403,
		"Origin: http://127.0.0.1:8808\nSec-Fetch-Site: same-origin\n":    418,
		"Origin: https://assistant.example\nSec-Fetch-Site: cross-site\n": 418,
		"Sec-Fetch-Site: none\n":                                          418,
		"":                                                                418,
	} {
		for _, path := range []string{SocketPath, "/mcp", "/mcp/notes"} {
			if w := send(t, g, "GET", path, lines); w.Code != want {
				t.Errorf("%q at %s: %d, want %d", lines, path, w.Code, want)
			}
		}
	}
}

// A host that is not the gateway's is rejected, though it may resolve to this machine.
func TestHostsAreComparedLiterally(t *testing.T) {
	g := guarded(Guard{})
	for host, want := range map[string]int{
		"127.0.0.1:8808": 418, "localhost:8808": 418, "evil.example": 403, "evil.example:8808": 403, "localhost": 403, "localhost.:8808": 403, "LOCALHOST:8808": 403, "": 403,
	} {
		r := httptest.NewRequest("GET", "/mcp", nil)
		r.Host = host
		w := httptest.NewRecorder()
		if g.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%q: %d, want %d", host, w.Code, want)
		}
	}
}

// Pages of this machine may embed the listed documents and scripts, and nothing else.
func TestPagesOfThisMachineEmbedListedCode(t *testing.T) {
	g := guarded(Guard{Frames: []string{"/frame.html"}, Scripts: []string{"/code/"}})
	const frame = "Sec-Fetch-Site: cross-site\nSec-Fetch-Dest: iframe\nSec-Fetch-Mode: navigate\n"
	for _, x := range []struct {
		method, path, lines string
		want                int
	}{
		{"GET", "/frame.html", frame, 418},
		{"POST", "/frame.html", frame, 403},
		{"GET", "/other.html", frame, 403},
		{"GET", "/frame.html", "Sec-Fetch-Site: cross-site\nSec-Fetch-Dest: script\n", 403},
		{"GET", "/code/a.js", "Origin: http://localhost:5173\nSec-Fetch-Site: cross-site\n", 418},
		{"GET", "/code/a.js", "Origin: http://[::1]:5173\n", 418},
		{"GET", "/code/a.js", "Origin: https://evil.example\n", 403},
		{"GET", "/code/a.json", "Origin: http://localhost:5173\n", 403},
		{"GET", "/mcp", "Origin: http://localhost:5173\n", 403},
	} {
		w := send(t, g, x.method, x.path, x.lines)
		if shared := w.Header().Get("Access-Control-Allow-Origin") != ""; w.Code != x.want || shared != (x.want == 418 && strings.Contains(x.lines, "Origin:")) {
			t.Errorf("%s %s, %q: %d, shared %v", x.method, x.path, x.lines, w.Code, shared)
		}
	}
}

// CORS headers are for listed origins only, and a preflight needs no token.
func TestPreflightIsForListedOrigins(t *testing.T) {
	g := guarded(Guard{AssistantOrigins: NewOrigins("https://app.example")})
	answer := send(t, g, "OPTIONS", "/mcp", "Origin: https://app.example\nSec-Fetch-Site: cross-site\n"+
		"Access-Control-Request-Method: POST\nAccess-Control-Request-Headers: authorization, mcp-param-region, mcp-param-(, x-other\nAccess-Control-Request-Private-Network: true\n").Result()
	allowed := answer.Header.Get("Access-Control-Allow-Headers")
	if answer.StatusCode != http.StatusNoContent || answer.Header.Get("Access-Control-Allow-Origin") != "https://app.example" || !strings.Contains(strings.Join(answer.Header.Values("Vary"), ","), "Origin") ||
		!strings.Contains(allowed, "Authorization") || !strings.HasSuffix(allowed, ", mcp-param-region") ||
		answer.Header.Get("Access-Control-Allow-Private-Network") != "true" || answer.Header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("%d %v", answer.StatusCode, answer.Header)
	}
	stranger := send(t, g, "OPTIONS", "/mcp", "Origin: https://evil.example\nAccess-Control-Request-Method: POST\n")
	if stranger.Code != http.StatusForbidden || stranger.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("a stranger: %d %v", stranger.Code, stranger.Header())
	}
	if w := send(t, g, "POST", "/mcp", ""); w.Code != http.StatusTeapot || w.Header().Get("Access-Control-Allow-Origin") != "" || w.Header().Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("a program: %d %v", w.Code, w.Header())
	}
}

// A link of another site, such as a local file that leads to the gateway, opens what is listed for
// that, in a window of its own.
func TestLinksOpenListedDocuments(t *testing.T) {
	g := guarded(Guard{Documents: []string{"/"}})
	const window = "Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: document\n"
	for _, one := range []struct {
		method, path, lines string
		want                int
	}{
		{"GET", "/", window, 418},
		{"GET", "/other", window, 403},
		{"GET", "/mcp", window, 403},
		{"POST", "/", window, 403},
		{"GET", "/", window + "Origin: https://evil.example\n", 403},
		{"GET", "/", strings.Replace(window, "document", "iframe", 1), 403},
		{"GET", "/", strings.Replace(window, "navigate", "no-cors", 1), 403},
		{"GET", "/", "Sec-Fetch-Site: cross-site\n", 403},
	} {
		if w := send(t, g, one.method, one.path, one.lines); w.Code != one.want {
			t.Errorf("%s %s %q: %d, want %d", one.method, one.path, one.lines, w.Code, one.want)
		}
	}
}
