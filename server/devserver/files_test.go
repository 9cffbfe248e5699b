package devserver

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
)

func startWeb(t *testing.T, files map[string][]byte) *Web {
	t.Helper()
	return serveWeb(t, New(), files)
}

func serveWeb(t *testing.T, w *Web, files map[string][]byte) *Web {
	t.Helper()
	if err := w.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	w.Set(files)
	served := make(chan error, 1)
	go func() { served <- w.Serve(8808) }()
	t.Cleanup(func() {
		w.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	if answer, err := gatewaytest.HTTP.Get(w.URL()); err != nil { // now it serves
		t.Fatal(err)
	} else {
		answer.Body.Close()
	}
	return w
}

// Close may be called at any time: before, during and after Serve, which ends then.
func TestCloseEndsServeAtAnyTime(t *testing.T) {
	for range 50 {
		w := New()
		if err := w.Listen("127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
		served := make(chan error, 1)
		go func() { served <- w.Serve(8808) }()
		w.Close()
		if err := <-served; err != nil {
			t.Fatal(err)
		}
		if err := w.Serve(8808); err != nil {
			t.Fatalf("after Close: %v", err)
		}
	}
}

// The playground may connect to any server; in a frame of another page it may use its
// MessagePort or its own files only.
func TestContentSecurityPolicyOfThePlayground(t *testing.T) {
	w := startWeb(t, map[string][]byte{"/playground/index.html": {}, "/playground/embed.html": {}, "/playground/embed-scenario.html": {}, "/playground/apps/sandbox.html": {}, "/docs/index.html": {}, "/demo/notes/index.html": {}})
	for path, want := range map[string][]string{
		"/playground/":                    {"connect-src 'self' http: https: ws: wss:;", "frame-src http: https:;", "frame-ancestors 'none';"},
		"/playground/embed.html":          {"default-src 'none';", "script-src 'self';", "frame-ancestors 'self' http://127.0.0.1:* http://localhost:*;", "trusted-types 'none'"},
		"/playground/apps/sandbox.html":   {"frame-src 'none';", "form-action 'none';", "frame-ancestors 'self';", "sandbox allow-scripts;"},
		"/playground/embed-scenario.html": {"default-src 'none';", "connect-src 'self';", "'wasm-unsafe-eval'", "frame-ancestors 'self' http://127.0.0.1:* http://localhost:*;"},
		"/demo/notes/index.html":          {"default-src 'none';", "frame-ancestors 'none';"},
		"/docs/index.html":                {"default-src 'none';", "frame-ancestors 'none';"},
	} {
		_, header, _ := gatewaytest.SendRaw(t, w.port, "GET "+path+" HTTP/1.1\nHost: localhost:%d\nConnection: close\n\n")
		policy := header.Get("Content-Security-Policy") + ";"
		if (path == "/demo/notes/index.html" || path == "/docs/index.html") && strings.Contains(policy, "frame-src") {
			t.Errorf("%s may have frames: %s", path, policy)
		}
		if path == "/playground/embed.html" && strings.Contains(policy, "connect-src") {
			t.Errorf("%s may connect: %s", path, policy)
		}
		for _, directive := range want {
			if !strings.Contains(policy, directive) {
				t.Errorf("%s: %s is missing in %s", path, directive, policy)
			}
		}
	}
}

// A link of another site, and a local file that leads here, open a page in a window of its own.
func TestLinksOpenPages(t *testing.T) {
	files := map[string][]byte{}
	for _, name := range []string{"/index.html", "/playground/index.html", "/playground/embed.html", "/demo/notes/index.html", "/demo/notes/main.js", "/docs/index.html", "/docs/guide.html"} {
		files[name] = []byte("1")
	}
	web, app := startWeb(t, files), serveWeb(t, NewApp(false), files)
	const headers = " HTTP/1.1\nHost: localhost:%d\nConnection: close\nSec-Fetch-Site: cross-site\nSec-Fetch-Mode: "
	const window = "navigate\nSec-Fetch-Dest: document\n"
	for _, x := range []struct {
		w       *Web
		request string
		status  int
	}{
		{web, "GET /" + headers + window, 200},
		{web, "GET /playground/" + headers + window, 200},
		{web, "GET /docs/guide.html" + headers + window, 200},
		{web, "GET /demo/notes/" + headers + window, 200},
		{web, "GET /demo/notes/main.js" + headers + window, 403},
		{web, "GET /playground/embed.html" + headers + window, 403},
		{web, "GET /" + headers + "navigate\nSec-Fetch-Dest: iframe\n", 403},
		{web, "GET /" + headers + "no-cors\nSec-Fetch-Dest: script\n", 403},
		{web, "GET /" + headers + window + "Origin: https://evil.example\n", 403},
		{web, "POST /" + headers + window, 403},
		{app, "GET /" + headers + window, 200},
		{app, "GET /demo/notes/" + headers + window, 403},
	} {
		if status, _, _ := gatewaytest.SendRaw(t, x.w.port, x.request+"\n"); status != x.status {
			t.Errorf("%q: %d, want %d", x.request, status, x.status)
		}
	}
}

// A page on another port of this machine may embed the playground: its element by a module
// script, and its document in a frame. Other sites, and other files, are rejected.
func TestPagesOfThisMachineMayEmbedThePlayground(t *testing.T) {
	const element, chunk, frame = "/playground/element.js", "/playground/chunks/a-X.js", "/playground/embed.html"
	w := startWeb(t, map[string][]byte{
		element: []byte("1"), chunk: []byte("2"), frame: []byte("<!doctype html>"), "/playground/index.html": {}, "/playground/main.js": {}, "/index.html": {},
		"/playground/apps/sandbox.html": {},
	})
	const navigation = "Sec-Fetch-Mode: navigate\nSec-Fetch-Dest: iframe\nSec-Fetch-Site: "
	for _, x := range []struct {
		path, lines string
		status      int
		shared      string
	}{
		{element, "Origin: http://localhost:3000\nSec-Fetch-Site: cross-site\n", 200, "http://localhost:3000"},
		{element, "Origin: http://127.0.0.1:3000\nSec-Fetch-Site: same-site\n", 200, "http://127.0.0.1:3000"},
		{element, "Origin: https://[::1]:3000\nSec-Fetch-Site: cross-site\n", 200, "https://[::1]:3000"},
		{chunk, "Origin: http://localhost:3000\nSec-Fetch-Site: cross-site\n", 403, ""},
		{frame, navigation + "cross-site\n", 200, ""},
		{"/playground/apps/sandbox.html", navigation + "same-site\n", 403, ""},
		{frame, navigation + "same-site\n", 200, ""},
		{frame, "Sec-Fetch-Mode: navigate\nSec-Fetch-Dest: document\nSec-Fetch-Site: cross-site\n", 403, ""},
		{frame, "Sec-Fetch-Mode: no-cors\nSec-Fetch-Dest: iframe\nSec-Fetch-Site: cross-site\n", 403, ""},
		{frame, "Origin: http://localhost:3000\nSec-Fetch-Site: cross-site\n", 403, ""},
		{element, "Sec-Fetch-Site: cross-site\n", 403, ""},
		{element, navigation + "cross-site\n", 403, ""},
		{element, "Origin: null\n", 403, ""},
		{element, "Origin: https://evil.example\n", 403, ""},
		{element, "Origin: http://localhost.evil.example\n", 403, ""},
		{element, "Origin: http://localhost:3000@evil.example\n", 403, ""},
		{element, "Origin: http://127.0.0.1.:3000\n", 403, ""},
		{element, "Origin: http://127.1\n", 403, ""},
		{element, "Origin: chrome-extension://abcdefghijklmnopabcdefghijklmnop\n", 403, ""},
		{element, "Origin: http://localhost:3000\nOrigin: http://localhost:3000\n", 403, ""},
		{"/playground/main.js", "Origin: http://localhost:3000\n", 403, ""},
		{"/playground/", navigation + "cross-site\n", 403, ""},
		{"/", navigation + "cross-site\n", 403, ""},
		{"/live", "Origin: http://localhost:3000\n", 403, ""},
	} {
		status, header, _ := gatewaytest.SendRaw(t, w.port, "GET "+x.path+" HTTP/1.1\nHost: localhost:%d\n"+x.lines+"Connection: close\n\n")
		if status != x.status || header.Get("Access-Control-Allow-Origin") != x.shared {
			t.Errorf("%s with %q: %d %v", x.path, x.lines, status, header)
		}
		ancestors := "frame-ancestors 'none'"
		if x.path == frame {
			ancestors = "frame-ancestors 'self' http://127.0.0.1:* http://localhost:*;"
		}
		if status == 200 && !strings.Contains(header.Get("Content-Security-Policy"), ancestors) {
			t.Errorf("%s: %s", x.path, header.Get("Content-Security-Policy"))
		}
	}
	if status, _, _ := gatewaytest.SendRaw(t, w.port, "GET "+frame+" HTTP/1.1\nHost: evil.example\n"+navigation+"same-origin\nConnection: close\n\n"); status != 403 {
		t.Errorf("under another name: %d", status)
	}
}

// Built files are served, and no others, however they are requested.
func TestOnlyBuiltFilesAreServed(t *testing.T) {
	w := startWeb(t, map[string][]byte{
		"/index.html": []byte("<!doctype html>start"), "/demo/notes/index.html": []byte("notes"), "/pagemcp/engine.wasm": []byte("\x00asm"),
	})
	for path, want := range map[string]int{
		"/": 200, "/index.html": 200, "/demo/notes/": 200, "/demo/notes": 301, "/pagemcp/engine.wasm": 200, "/live.js": 200,
		"/demo/": 404, "/nothing": 404, "/pagemcp/": 404, "//index.html": 404, "/./index.html": 404, "/demo/../index.html": 404,
		"/%2e%2e/%2e%2e/etc/passwd": 404, "/..%2f..%2fetc%2fpasswd": 404, "/..%5c..%5cetc": 404, "/%252e%252e/x": 404, "/index.html%00": 404,
		"/@fs/etc/passwd": 404, "/.env": 404, "/.git/config": 404, "/index.html.": 404, "/index.html%20": 404, "/INDEX.HTML": 404,
		"/index.html/": 404, "/" + strings.Repeat("a", 8000): 404,
	} {
		status, header, body := gatewaytest.SendRaw(t, w.port, "GET "+path+" HTTP/1.1\nHost: localhost:%d\nConnection: close\n\n")
		if status != want {
			t.Errorf("%s: %d, want %d", path, status, want)
		}
		policy := header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") || header.Get("X-Content-Type-Options") != "nosniff" ||
			header.Get("Cross-Origin-Resource-Policy") != "same-origin" || header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %v", path, header)
		}
		if strings.Contains(body, "root:") {
			t.Errorf("%s served a file of the machine", path)
		}
	}
	for _, lines := range []string{
		"Host: evil.example\n", "Host: localhost:%d\nOrigin: https://evil.example\n", "Host: localhost:%d\nSec-Fetch-Site: cross-site\n",
		"Host: localhost:%d\nSec-Fetch-Site: same-site\n",
	} {
		for _, path := range []string{"/", "/live", "/pagemcp/engine.wasm"} {
			if status, _, body := gatewaytest.SendRaw(t, w.port, "GET "+path+" HTTP/1.1\n"+lines+"Connection: close\n\n"); status != 403 || body != "forbidden\n" {
				t.Errorf("%s with %q: %d %s", path, lines, status, body)
			}
		}
	}
	if status, _, _ := gatewaytest.SendRaw(t, w.port, "POST / HTTP/1.1\nHost: localhost:%d\nContent-Length: 0\nConnection: close\n\n"); status != 405 {
		t.Errorf("POST: %d", status)
	}
}

// A page that was open while the server restarted gets the first build when it reloads,
// not a 404.
func TestFirstBuildIsAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := New()
		ask := func(ctx context.Context, path string) (*httptest.ResponseRecorder, chan struct{}) {
			answer, done := httptest.NewRecorder(), make(chan struct{})
			go func() {
				w.serve(answer, httptest.NewRequestWithContext(ctx, "GET", path, nil))
				close(done)
			}()
			return answer, done
		}
		ctx, leave := context.WithCancel(t.Context())
		_, left := ask(ctx, "/")
		page, done := ask(t.Context(), "/")
		synctest.Wait()
		select {
		case <-done:
			t.Errorf("before the first build: %d", page.Code)
		default:
		}
		leave()
		<-left
		w.Set(map[string][]byte{"/index.html": []byte("<!doctype html>")})
		<-done
		w.Close()
		if page.Code != http.StatusOK {
			t.Errorf("%d, %q", page.Code, page.Body)
		}
	})
}

func TestFilesAreRevalidated(t *testing.T) {
	text := strings.Repeat("let a = 1\n", 1000)
	w := startWeb(t, map[string][]byte{"/index.html": {}, "/a.js": []byte(text), "/b.js": []byte("1")})
	get := func(path string, lines ...string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "GET", strings.TrimSuffix(w.URL(), "/")+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			name, value, _ := strings.Cut(line, ": ")
			r.Header.Set(name, value)
		}
		answer, err := (&http.Transport{DisableCompression: true}).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { answer.Body.Close() })
		return answer
	}
	plain := get("/a.js")
	if data, err := io.ReadAll(plain.Body); err != nil || string(data) != text || plain.Header.Get("Content-Type") != "text/javascript; charset=utf-8" {
		t.Errorf("%v %v", plain.Header, err)
	}
	if again := get("/a.js", "If-None-Match: "+plain.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
		t.Errorf("unchanged: %d", again.StatusCode)
	}
	w.Set(map[string][]byte{"/index.html": {}, "/a.js": []byte("2")})
	if again := get("/a.js", "If-None-Match: "+plain.Header.Get("ETag")); again.StatusCode != http.StatusOK {
		t.Errorf("changed: %d", again.StatusCode)
	}
	if gone := get("/b.js"); gone.StatusCode != http.StatusNotFound {
		t.Errorf("a file of the build before: %d", gone.StatusCode)
	}
}

// Live reload sends a version only. The page itself shows the error.
func TestLiveReloadSendsOnlyAVersion(t *testing.T) {
	w := startWeb(t, nil)
	w.SetLive(map[string][]byte{"/index.html": []byte("<!doctype html>")})
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second) // over it a version is missing
	defer cancel()
	conn, _, err := websocket.Dial(ctx, w.URL()+"live", &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {w.Origins()[0]}}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	nextVersion := func() string {
		t.Helper()
		_, version, err := conn.Read(ctx)
		if err != nil {
			t.Fatalf("no version came: %v", err)
		}
		return string(version)
	}
	first := nextVersion()
	if _, _, text := gatewaytest.SendRaw(t, w.port, "GET /live HTTP/1.1\nHost: localhost:%d\nConnection: close\n\n"); text != first {
		t.Errorf("a request without a WebSocket gets %q, want %q", text, first)
	}
	w.Fail(`web/demo/main.ts:1:2: ERROR: <script>`)
	second := nextVersion()
	if first == second || len(second) > 16 {
		t.Errorf("%q, then %q", first, second)
	}
	page, err := gatewaytest.HTTP.Get(w.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer page.Body.Close()
	text, err := io.ReadAll(page.Body)
	if err != nil || page.StatusCode != 500 || !strings.Contains(string(text), "&lt;script&gt;") || !strings.Contains(string(text), scriptPath) {
		t.Errorf("%d %s %v", page.StatusCode, text, err)
	}
	w.Set(map[string][]byte{"/index.html": []byte("fixed")})
	if third := nextVersion(); third == second {
		t.Errorf("%q again", third)
	}
	w.Close() // ends the connection, so that pages connect again
	if _, _, err := conn.Read(ctx); websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("after Close: %v", err)
	}
}

// Live reload is a WebSocket of this server's own pages.
func TestLiveReloadIsNotForOtherSites(t *testing.T) {
	w := startWeb(t, map[string][]byte{"/index.html": {}})
	const upgrade = "Connection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\n"
	for lines, want := range map[string]int{
		"Connection: close\nUpgrade: h2c\n":        426,
		upgrade + "Origin: https://evil.example\n": 403,
		upgrade + "Origin: null\n":                 403,
		upgrade + "Origin: http://localhost:1\n":   403,
		upgrade + "Sec-Fetch-Site: cross-site\n":   403,
	} {
		if status, _, _ := gatewaytest.SendRaw(t, w.port, "GET /live HTTP/1.1\nHost: localhost:%d\n"+lines+"\n"); status != want {
			t.Errorf("%q: %d, want %d", lines, status, want)
		}
	}
}
