package server

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

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

// With any contents of the files in the state directory the gateway starts, sets
// unreadable files aside, and starts again with the same identity and token.
func FuzzStateFiles(f *testing.F) {
	names := []string{namesFile, keysFile, auditFile, sessionFile(testSession)}
	for i := range names {
		for _, text := range []string{"", "{", "null", "[null]", "{}", `[{"name":"a","used":"2999-01-01T00:00:00Z"}]`, `{"a":"0001-01-01T00:00:00Z"}`,
			`{"gateway":"x","keys":[null]}`, `{"revision":"2025-11-25","capabilities":{},"subscriptions":["a:b"],"expires":"2999-01-01T00:00:00Z"}`, "\xff"} {
			f.Add(uint8(i), []byte(text), uint8(i+1), []byte("["))
		}
	}
	f.Fuzz(func(t *testing.T, one uint8, first []byte, two uint8, second []byte) {
		d := newMemDisk()
		files := map[string][]byte{names[int(one)%len(names)]: first}
		files[names[int(two)%len(names)]] = second
		for name, data := range files {
			d.put(name, string(data))
		}
		options := func() *Options { return &Options{State: "/state", disk: d.process(), lockWait: -1} }
		g, err := New(*options())
		if err != nil {
			t.Fatal(err)
		}
		id, token := g.keys.gateway, g.token.text()
		g.names.claim(t.Context(), testOrigin, "", "page", "notes")
		g.core.Sessions.Sweep(time.Now())
		g.core.Sessions.Store.Load(t.Context(), "", testSession)
		g.Close(context.Background())
		for name, data := range files {
			for aside, text := range d.texts() {
				if strings.HasPrefix(aside, name+brokenSuffix) && text != string(data) {
					t.Errorf("%s was %q, and %s is %q", name, data, aside, text)
				}
			}
		}
		g, err = New(*options())
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close(context.Background())
		if g.keys.gateway != id || g.token.text() != token {
			t.Error("another identity or token")
		}
	})
}

// texts returns all files.
func (d *memDisk) texts() map[string]string {
	all := map[string]string{}
	for _, name := range d.names() {
		all[name] = d.text(name)
	}
	return all
}
