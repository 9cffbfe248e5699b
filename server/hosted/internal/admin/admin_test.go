package admin

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

var testMetrics = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "pagemcp_info{version=\"1\"} 1\n") })

func TestAdminAnswersProbes(t *testing.T) {
	ready := &Readiness{}
	ready.Set("listeners", false)
	ready.Require("keys of assistants", func() bool { return false })
	h := Handler(ready, testMetrics, nil)
	get := func(method, target string, header ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, target, nil)
		r.Host = "10.1.2.3:9090"
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	for _, test := range []struct {
		method, target string
		status         int
		body           string
	}{
		{"GET", "/livez", 200, "ok\n"},
		{"HEAD", "/livez", 200, ""},
		{"GET", "/readyz", 503, "not ready: listeners, keys of assistants\n"},
		{"HEAD", "/readyz", 503, ""},
		{"GET", "/readyz?verbose", 503, "not ready: listeners, keys of assistants\n"},
		{"POST", "/livez", 405, ""},
		{"PUT", "/metrics", 405, ""},
		{"DELETE", "/readyz", 405, ""},
		{"OPTIONS", "/metrics", 405, ""},
		{"CONNECT", "/livez", 405, ""},
		{"GET", "/", 404, ""},
		{"GET", "/debug/pprof/goroutine", 200, ""},
		{"POST", "/debug/pprof/goroutine", 405, ""},
		{"GET", "/debug/pprof/cmdline", 404, ""},
		{"GET", "/whereis", 404, ""},
		{"GET", "/mcp", 404, ""},
		{"POST", "/quit", 404, ""},
		{"GET", "/livez/", 404, ""},
	} {
		w := get(test.method, test.target)
		if w.Code != test.status || test.body != "" && w.Body.String() != test.body {
			t.Errorf("%s %s: %d %q", test.method, test.target, w.Code, w.Body)
		}
		if allow := w.Header().Get("Allow"); (test.status == 405) != (allow == "GET, HEAD") {
			t.Errorf("%s %s: Allow is %q", test.method, test.target, allow)
		}
	}
	ready.Set("listeners", true)
	ready.Require("keys of assistants", func() bool { return true })
	if w := get("GET", "/readyz", "Origin", "https://evil.example"); w.Code != 200 || w.Body.String() != "ready\n" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	ready.Set("draining", false)
	if w := get("GET", "/readyz"); w.Code != 503 || w.Body.String() != "not ready: draining\n" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := get("GET", "/metrics"); w.Code != 200 || !strings.Contains(w.Body.String(), `pagemcp_info{version="1"} 1`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// Liveness does not depend on a condition that hangs.
func TestLivenessDependsOnTheProcessAlone(t *testing.T) {
	ready, hang := &Readiness{}, make(chan struct{})
	entered := make(chan struct{})
	ready.Require("nats", sync.OnceValue(func() bool { close(entered); <-hang; return true }))
	h := Handler(ready, http.NotFoundHandler(), nil)
	done := make(chan struct{})
	go func() { // ends with hang
		defer close(done)
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/readyz", nil))
	}()
	<-entered
	ready.Set("draining", false) // neither does a condition that is set
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/livez", nil))
	if w.Code != 200 {
		t.Error(w.Code)
	}
	close(hang)
	<-done
}

func startAdmin(t *testing.T) *Listener {
	t.Helper()
	a, err := Listen("127.0.0.1:0", Handler(&Readiness{}, http.NotFoundHandler(), nil), slog.Default())
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- a.Serve() }() // ends with Close
	t.Cleanup(func() {
		a.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return a
}

func TestAdminAnswersWithoutAHostOfItsOwn(t *testing.T) {
	a := startAdmin(t)
	for _, host := range []string{"10.0.0.1:9090", "mcp.app.example", "any"} {
		conn, err := net.Dial("tcp", a.Address().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "GET /livez HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", host)
		if line, _ := bufio.NewReader(conn).ReadString('\n'); !strings.HasPrefix(line, "HTTP/1.1 200") {
			t.Errorf("%s: %q", host, line)
		}
	}
}

func TestAdminAddressInUseIsAnError(t *testing.T) {
	a := startAdmin(t)
	if _, err := Listen(a.Address().String(), http.NotFoundHandler(), slog.Default()); err == nil || !strings.HasPrefix(err.Error(), "admin.listen: ") {
		t.Error(err)
	}
	unused, err := Listen("127.0.0.1:0", http.NotFoundHandler(), slog.Default())
	if err != nil {
		t.Fatal(err)
	}
	unused.Close() // frees the address although it was never served
	again, err := net.Listen("tcp", unused.Address().String())
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}
