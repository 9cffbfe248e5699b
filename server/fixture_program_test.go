package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
)

// fixtureVariable makes this test binary a program for server/interop, whose module has
// the client libraries of others: a gateway with two pages, which ends with its standard
// input.
const fixtureVariable = "PAGEMCP_TEST_FIXTURE"

// A fixture is what the program prints, in one line.
type fixture struct {
	MCP     string `json:"mcp"`
	Token   string `json:"token"`
	Control string `json:"control"` // POST ?write=URI; GET ?running=N waits for N calls of test_slow
}

// The fixture for clients of others serves its pages, and they can be controlled.
func TestFixtureForOtherClients(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{ReadsPerSecond: 1000, SamplingOrigins: []string{testOrigin}})
	notes := newPage(t, testOrigin, "tab-1")
	notes.write("notes://list/milk", "2 bottles")
	notes.join(g)
	page := newConformancePage(t)
	page.join(g)
	control := httptest.NewServer(controlOf(notes, page))
	defer control.Close()
	f := fixture{g.URL(), g.testToken(), control.URL}
	if os.Getenv(fixtureVariable) != "" {
		line, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(string(line))
		io.Copy(io.Discard, os.Stdin)
		return
	}
	for _, request := range []struct{ method, query string }{
		{http.MethodPost, "?write=test://watched-resource"}, {http.MethodGet, "?running=0"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), request.method, f.Control+request.query, strings.NewReader("new"))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := gatewaytest.HTTP.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Errorf("%s %s: %s", request.method, request.query, answer.Status)
		}
	}
	_, text := caller(t, g).Do(t.Context(), "POST", "/mcp", gatewaytest.Modern("1", "resources/read", `"uri":"conformance+test://watched-resource"`), gatewaytest.V2026, "Mcp-Method: resources/read", "Mcp-Name: conformance+test://watched-resource")
	if !strings.Contains(text, `"new"`) {
		t.Errorf("read after a write: %s", text)
	}
}

// controlOf returns the handler by which the program's parent acts on the pages.
func controlOf(notes, page *testPage) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if uri := r.URL.Query().Get("write"); uri != "" {
			text, err := io.ReadAll(r.Body)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			if strings.HasPrefix(uri, "notes:") {
				notes.write(uri, string(text))
			} else {
				page.write(uri, string(text))
			}
			return
		}
		want, err := strconv.Atoi(r.URL.Query().Get("running"))
		if err != nil {
			http.Error(w, "want ?write=URI or ?running=N", http.StatusBadRequest)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), testTime)
		defer cancel()
		if !page.awaitSlow(ctx, want) {
			http.Error(w, fmt.Sprintf("waited %v and still not %d calls of test_slow", testTime, want), http.StatusGatewayTimeout)
		}
	})
}

// awaitSlow waits until want calls of test_slow run.
func (p *testPage) awaitSlow(ctx context.Context, want int) bool {
	for p.running() != want {
		select {
		case <-time.After(2 * time.Millisecond):
		case <-ctx.Done():
			return false
		}
	}
	return true
}

func (p *testPage) running() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.slow
}
