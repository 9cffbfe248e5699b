package approvals

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/rawhttp"
	"github.com/pagemcp/pagemcp/server/internal/testlimit"
)

// Of two tabs one decides; both learn it, the assistant gets one answer, and the log has no input.
func TestDecisionIsSentOnce(t *testing.T) {
	for behavior, want := range map[string]string{"allow": "abcde true", "deny": "abcde false"} {
		w := newWorld(t, `{"command":"ls SECRET"}`)
		tab := w.enter()
		next, _ := w.follow(tab)
		other, _ := w.follow(tab)
		other()
		first := next()
		one := first.Questions[0]
		if len(first.Questions) != 1 || first.Assistant != `claude\u{202e}` || one.Tool != "Bash" || one.Preview != `{"command":"ls SECRET"}` || !one.Complete {
			t.Errorf("shown is %+v", first)
		}
		body := fmt.Sprintf(`{"question":%d,"behavior":%q}`, one.Number, behavior)
		if got := w.post("/answer", tab, body); got.StatusCode != http.StatusNoContent {
			t.Errorf("%s: %s", behavior, got.Status)
		}
		if got := await(t, "the answer is sent", w.sent); got != want {
			t.Errorf("sent is %q, want %q", got, want)
		}
		if n := len(next().Questions) + len(other().Questions); n != 0 {
			t.Errorf("%d questions are still shown", n)
		}
		if got := w.post("/answer", tab, body); got.StatusCode != http.StatusConflict || len(w.sent) != 0 {
			t.Errorf("answered twice: %s", got.Status)
		}
		text := w.log()
		if !strings.Contains(text, "tool=Bash behavior="+behavior) || strings.Contains(text, "SECRET") {
			t.Errorf("the log is %q", text)
		}
		for _, secret := range []string{tab, strings.TrimPrefix(w.link.Fragment, "approve="), w.link.Host} {
			if strings.Contains(text, secret) {
				t.Errorf("the log has %q", secret)
			}
		}
	}
}

// A preview that is cut is not allowed, whatever a page shows.
func TestCutPreviewIsNotAllowed(t *testing.T) {
	w := newWorld(t, strings.Repeat("x", cutLength))
	tab := w.enter()
	if got := w.post("/answer", tab, `{"question":1,"behavior":"allow"}`); got.StatusCode != http.StatusConflict || len(w.sent) != 0 {
		t.Errorf("allowed: %s", got.Status)
	}
	if got := w.post("/answer", tab, `{"question":1,"behavior":"deny"}`); got.StatusCode != http.StatusNoContent {
		t.Errorf("denied: %s", got.Status)
	}
}

// Requests of other pages, of programs without the secret, and such as are not understood, change nothing.
func TestOnlyThePageAnswers(t *testing.T) {
	w := newWorld(t, "{}")
	tab := w.enter()
	port, err := strconv.Atoi(w.link.Port())
	if err != nil {
		t.Fatal(err)
	}
	body := `{"question":1,"behavior":"allow"}`
	send := func(replace ...string) int {
		t.Helper()
		request := "POST /answer HTTP/1.1\nHost: HOST\nOrigin: ORIGIN\nSec-Fetch-Site: same-origin\nContent-Type: application/json\nAuthorization: Bearer TAB\n" +
			fmt.Sprintf("Content-Length: %d\n\n%s", len(body), body)
		request = strings.NewReplacer(replace...).Replace(request)
		request = strings.NewReplacer("HOST", w.link.Host, "ORIGIN", w.origin(), "TAB", tab).Replace(request)
		status, header, _ := rawhttp.Send(t, port, request)
		for name := range header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%q: the answer has %s", replace, name)
			}
		}
		return status
	}
	for _, replace := range [][]string{
		{"Host: HOST", "Host: 127.0.0.2:%d"}, {"Host: HOST", "Host: localhost:%d"}, {"Host: HOST", "Host: evil.example"}, {"Host: HOST", "Host: pagemcp.localhost:%d"},
		{"Host: HOST\nOrigin: ORIGIN", "Host: localhost:%d\nOrigin: http://localhost:%d"},
		{"Origin: ORIGIN\n", ""}, {"Origin: ORIGIN", "Origin: null"}, {"Origin: ORIGIN", "Origin: http://127.0.0.1:8808"}, {"Origin: ORIGIN", "Origin: http://localhost:8809"},
		{"Origin: ORIGIN", "Origin: http://[::1]:%d"}, {"Origin: ORIGIN", "Origin: https://evil.example"}, {"Origin: ORIGIN", "Origin: ORIGIN\nOrigin: ORIGIN"},
		{"same-origin", "same-site"}, {"same-origin", "cross-site"}, {"same-origin", "cross-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: document"},
		{"application/json", "text/plain"}, {"Content-Type: application/json\n", ""},
		{"Bearer TAB", "Bearer " + strings.Repeat("0", 64)}, {"Authorization: Bearer TAB\n", ""}, {"Bearer TAB", "Bearer "}, {"Bearer TAB", "TAB"}, {"Bearer TAB", "Bearer " + strings.TrimPrefix(w.link.Fragment, "approve=")},
		{"/answer HTTP", "/answer?secret=TAB HTTP", "Authorization: Bearer TAB\n", ""}, {"POST", "GET"}, {"POST", "PUT"}, {"POST", "OPTIONS"},
	} {
		if status := send(replace...); status != http.StatusForbidden {
			t.Errorf("%q: %d", replace, status)
		}
	}
	for _, wrong := range []string{`"question":2`, `"question":0`} {
		if status := send(`"question":1`, wrong); status != http.StatusConflict {
			t.Errorf("%s: %d", wrong, status)
		}
	}
	for _, wrong := range []string{`"Allow"`, `"allow "`, `"ALLOW"`, `"x"    `} {
		if status := send(`"allow"`, wrong[:min(len(wrong), 7)]); status != http.StatusBadRequest {
			t.Errorf("%s: %d", wrong, status)
		}
	}
	if status := send("/answer", "/tab"); status != http.StatusForbidden {
		t.Errorf("a tab gets another secret: %d", status)
	}
	if status := send("/answer", "/other"); status != http.StatusNotFound {
		t.Errorf("another path: %d", status)
	}
	if len(w.sent) != 0 {
		t.Fatalf("sent is %s", <-w.sent)
	}
	if status := send(); status != http.StatusNoContent || await(t, "the answer is sent", w.sent) != "abcde true" {
		t.Errorf("the page itself: %d", status)
	}
}

// The page has no secret in it, forbids everything that it does not need, and can be opened by a link of a local file, as on
// macOS, but not be embedded.
func TestPageIsStrict(t *testing.T) {
	w := newWorld(t, "{}")
	port, err := strconv.Atoi(w.link.Port())
	if err != nil {
		t.Fatal(err)
	}
	get := func(path, lines string) (int, http.Header, string) {
		t.Helper()
		return rawhttp.Send(t, port, "GET "+path+" HTTP/1.1\nHost: "+w.link.Host+"\n"+lines+"\n")
	}
	for _, path := range []string{"/", "/page.js", "/texts.js", "/page.css"} {
		status, header, body := get(path, "Sec-Fetch-Site: same-origin\n")
		if status != http.StatusOK || len(body) < 100 || strings.Contains(body, "{{") {
			t.Errorf("%s: %d, %d bytes", path, status, len(body))
		}
		for name, want := range map[string]string{
			"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin", "X-Frame-Options": "DENY",
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
		} {
			if header.Get(name) != want {
				t.Errorf("%s: %s: %q", path, name, header.Get(name))
			}
		}
	}
	for lines, want := range map[string]int{
		"Sec-Fetch-Site: none\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: document\n":       200,
		"Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: document\n": 200,
		"Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: iframe\n":   403,
		"Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: no-cors\nSec-Fetch-Dest: script\n":    403,
		"Sec-Fetch-Site: same-site\nSec-Fetch-Mode: cors\nSec-Fetch-Dest: empty\n":         403,
		"Origin: http://127.0.0.1:8809\n":                                                  403,
	} {
		if status, _, _ := get("/", lines); status != want {
			t.Errorf("%q: %d, want %d", lines, status, want)
		}
	}
	if status, _, _ := get("/page.js", "Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: document\n"); status != 403 {
		t.Errorf("a file of the page: %d", status)
	}
	for _, host := range []string{"localhost:%d", "127.0.0.2:%d", "[::1]:%d", "pagemcp.localhost:%d", "evil.example"} {
		if status, _, _ := rawhttp.Send(t, port, "GET / HTTP/1.1\nHost: "+host+"\n\n"); status != 403 {
			t.Errorf("at %s: %d", host, status)
		}
	}
	if w.link.Path != "/" || w.link.RawQuery != "" || len(w.link.Fragment) != len("approve=")+64 {
		t.Errorf("the link is %s", w.link)
	}
}

// A closed tab, or the end of the process, answers nothing.
func TestNothingIsAnsweredByItself(t *testing.T) {
	w := newWorld(t, "{}")
	tab := w.enter()
	next, closeTab := w.follow(tab)
	if n := len(next().Questions); n != 1 {
		t.Fatalf("%d questions", n)
	}
	closeTab()
	for deadline := time.Now().Add(testlimit.Wait); ; time.Sleep(time.Millisecond) {
		w.site.mu.Lock()
		connected := w.site.connected
		w.site.mu.Unlock()
		if connected == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("waited %v: the closed tab is noticed", testlimit.Wait)
		}
	}
	response := w.post("/questions", tab, "{}")
	w.site.Close()
	if text, err := io.ReadAll(response.Body); err == nil && strings.Count(string(text), `"tool"`) > 1 {
		t.Errorf("after the end the stream has %s", text)
	}
	if _, err := net.Dial("tcp", "127.0.0.1:"+w.link.Port()); err == nil {
		t.Error("it still listens")
	}
	if len(w.sent) != 0 {
		t.Errorf("sent is %s", <-w.sent)
	}
}

// An answer that cannot be sent is reported as such.
func TestUnsentAnswerIsReported(t *testing.T) {
	w := newWorld(t, "{}")
	w.fails = errors.New("closed")
	tab := w.enter()
	if got := w.post("/answer", tab, `{"question":1,"behavior":"allow"}`); got.StatusCode != http.StatusBadGateway || !strings.Contains(w.log(), "was not sent") {
		t.Errorf("%s, %q", got.Status, w.log())
	}
}

// Tabs have streams of their own, a few at a time.
func TestTabsAreBounded(t *testing.T) {
	w := newWorld(t, "{}")
	tab := w.enter()
	for range maxTabs {
		w.follow(tab)
	}
	if got := w.post("/questions", tab, "{}"); got.StatusCode != http.StatusTooManyRequests {
		t.Errorf("one more: %s", got.Status)
	}
}

// A page that cannot be opened is reported without its address.
func TestUnopenedPageIsReported(t *testing.T) {
	w := &world{t: t}
	tried := make(chan string, 1)
	w.site = New(Options{
		Open: func(_ context.Context, url string) error { tried <- url; return errors.New("no browser") },
		Log:  slog.New(slog.NewTextHandler(w, nil)),
	})
	w.site.Ask(question("a", "{}"))
	link := await(t, "the page is opened", tried)
	w.site.Close()
	for deadline := time.Now().Add(testlimit.Wait); !strings.Contains(w.log(), "no browser"); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v: the failure is logged, %q", testlimit.Wait, w.log())
		}
	}
	if strings.Contains(w.log(), link) || strings.Contains(w.log(), "approve=") {
		t.Errorf("the log has the link: %s", w.log())
	}
}

// The page has a host of its own, except where the browser may not know its name.
func TestHostIsItsOwn(t *testing.T) {
	first, second := hostName("linux"), hostName("windows")
	if first == second || !strings.HasSuffix(first, ".localhost") || len(first) > 40 || hostName("darwin") != "127.0.0.1" {
		t.Errorf("%s, %s", first, second)
	}
}
