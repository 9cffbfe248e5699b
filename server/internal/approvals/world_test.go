package approvals

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/internal/testlimit"
)

// A world is a site, what it has sent and logged, and the browser that it opens.
type world struct {
	t      *testing.T
	site   *Site
	links  chan string
	sent   chan string
	fails  error // of Send
	mu     sync.Mutex
	logged bytes.Buffer
	client http.Client
	link   *url.URL
}

func (w *world) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.logged.Write(p)
}

func (w *world) log() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.logged.String()
}

// newWorld returns a site with one question, whose page was opened.
func newWorld(t *testing.T, preview string) *world {
	t.Helper()
	w := &world{t: t, links: make(chan string, 1), sent: make(chan string, 100)}
	w.site = New(Options{
		Assistant: "claude\u202e",
		Send: func(_ context.Context, id string, allow bool) error {
			w.sent <- fmt.Sprint(id, " ", allow)
			return w.fails
		},
		Open: func(_ context.Context, url string) error { w.links <- url; return nil },
		Log:  slog.New(slog.NewTextHandler(w, nil)),
	})
	t.Cleanup(w.site.Close)
	// Browsers resolve the name by themselves.
	w.client = http.Client{Timeout: testlimit.Wait, Transport: &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		_, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		return new(net.Dialer).DialContext(ctx, network, "127.0.0.1:"+port)
	}}}
	t.Cleanup(w.client.CloseIdleConnections)
	w.site.Ask(question("abcde", preview))
	var err error
	if w.link, err = url.Parse(await(t, "the page is opened", w.links)); err != nil {
		t.Fatal(err)
	}
	return w
}

func await[T any](t *testing.T, what string, from <-chan T) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(testlimit.Wait):
		t.Fatalf("waited %v: %s", testlimit.Wait, what)
		panic("unreachable")
	}
}

func (w *world) origin() string { return "http://" + w.link.Host }

// post sends a request as the script of the page does, in a browser.
func (w *world) post(path, secret, body string) *http.Response {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), "POST", w.origin()+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header = http.Header{"Origin": {w.origin()}, "Sec-Fetch-Site": {"same-origin"}, "Content-Type": {"application/json"}, "Authorization": {"Bearer " + secret}}
	response, err := w.client.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { response.Body.Close() })
	return response
}

// enter uses the link, and returns the secret of the tab.
func (w *world) enter() string {
	w.t.Helper()
	var got struct{ Secret string }
	response := w.post("/tab", strings.TrimPrefix(w.link.Fragment, "approve="), "{}")
	if err := json.UnmarshalRead(response.Body, &got, json.MatchCaseInsensitiveNames(true)); err != nil || len(got.Secret) != 64 {
		w.t.Fatalf("%s, %+v, %v", response.Status, got, err)
	}
	return got.Secret
}

// follow returns the lines of the stream of questions.
func (w *world) follow(secret string) (next func() state, closeTab func()) {
	w.t.Helper()
	response := w.post("/questions", secret, "{}")
	if response.StatusCode != http.StatusOK {
		w.t.Fatalf("the stream: %s", response.Status)
	}
	lines := bufio.NewScanner(response.Body)
	return func() (s state) {
		w.t.Helper()
		if !lines.Scan() || json.Unmarshal(lines.Bytes(), &s) != nil {
			w.t.Fatalf("the stream ended: %v", lines.Err())
		}
		return s
	}, func() { response.Body.Close() }
}
