package server

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/loopback"
)

// A request reaches routing only with a Host of the gateway, and from no site but its
// own and listed origins, whatever its headers are.
func FuzzGuard(f *testing.F) {
	for _, seed := range [][3]string{
		{"127.0.0.1:8808", "", ""}, {"localhost:8808", "https://app.example", "cross-site"}, {"[::1]:8808", "http://[::1]:8808", "same-origin"},
		{"evil.example:8808", "http://evil.example:8808", "same-origin"}, {"127.0.0.1:8808", "null", "none"}, {"localhost.:8808", "https://app.example.", ""},
		{"127.0.0.1:8808 ", "https://app.example/", "same-site"}, {"LOCALHOST:8808", "https://app.example:443", "none"},
	} {
		f.Add(seed[0], seed[1], seed[2], false)
	}
	f.Fuzz(func(t *testing.T, host, origin, site string, twice bool) {
		reached := false
		g := loopback.NewGuard(8808, false, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
		g.AssistantOrigins = access.NewOrigins(testOrigin)
		r := httptest.NewRequest("POST", "/mcp", nil)
		r.Host = host
		for name, value := range map[string]string{"Origin": origin, "Sec-Fetch-Site": site} {
			if value != "" {
				r.Header.Add(name, value)
			}
			if value != "" && twice {
				r.Header.Add(name, value)
			}
		}
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		if !reached {
			if w.Code != http.StatusForbidden || w.Body.String() != "forbidden\n" {
				t.Errorf("host %q, origin %q, site %q: %d %q", host, origin, site, w.Code, w.Body)
			}
			return
		}
		ours := []string{"127.0.0.1:8808", "localhost:8808", "[::1]:8808"}
		isOwn := strings.HasPrefix(origin, "http://") && slices.Contains(ours, strings.TrimPrefix(origin, "http://"))
		fromUs := site == "" || site == "none" || site == "same-origin"
		switch {
		case !slices.Contains(ours, host):
			t.Errorf("host %q reached routing", host)
		case twice && (origin != "" || site != ""):
			t.Errorf("two values of a header reached routing: %q, %q", origin, site)
		case origin != testOrigin && (origin != "" && !isOwn || !fromUs):
			t.Errorf("origin %q, site %q reached routing", origin, site)
		}
		if shared := w.Header().Get("Access-Control-Allow-Origin"); shared != "" && (shared != origin || origin != testOrigin) {
			t.Errorf("origin %q may read: %q", origin, shared)
		}
	})
}
