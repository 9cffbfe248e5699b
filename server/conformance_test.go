package server

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/conns"
)

// startFronted runs a gateway behind a handler that adds the token for clients that
// cannot send one, like the official suite. Host and Origin, which the suite tests, are
// not changed.
func startFronted(t *testing.T, opts Options) *Gateway {
	t.Helper()
	opts.State, opts.Version = t.TempDir(), "0.0.0-test"
	opts.Origins, opts.SamplingOrigins = []string{testOrigin}, []string{testOrigin}
	opts.ReadsPerSecond = 1000
	g, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	behind := g.handler()
	front := conns.HTTPServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+g.testToken())
		behind.ServeHTTP(w, r)
	}), nil, g.log)
	served := make(chan error, len(g.listeners))
	for _, listener := range g.listeners {
		go func() { served <- front.Serve(listener) }() // ends with the listener
	}
	t.Cleanup(func() {
		g.Close(context.Background())
		front.Close()
		for range g.listeners {
			if err := <-served; !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
				t.Error(err)
			}
		}
	})
	return g
}

// suite runs the official suite, and returns what it printed.
func suite(t *testing.T, url string, args ...string) (out string, ok bool) {
	t.Helper()
	web, err := filepath.Abs("../web")
	if err != nil {
		t.Fatal(err)
	}
	node, program := nodeProgram(web), filepath.Join(web, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	if _, err := os.Stat(program); err != nil {
		t.Fatalf("%v: run `npm install` in web", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, node, append([]string{program, "server", "--url", url}, args...)...)
	command.Dir = t.TempDir()
	text, err := command.CombinedOutput()
	return string(text), err == nil
}

// A score is how one scenario went.
type score struct {
	passed, failed, warnings int
	unscored                 bool // it is in no requirement set: an extension, or pending
}

var (
	scenarioLine = regexp.MustCompile(`(?m)^\s*\S+ ([a-z0-9-]+): (\d+) passed, (\d+) failed(?:, (\d+) warnings?)?`)
	unscoredLine = regexp.MustCompile(`(?m)^\s*\S+ ([a-z0-9-]+) \([a-z-]+\)$`)
)

// summary reads the end of a run, and logs it.
func summary(t *testing.T, out string) map[string]score {
	t.Helper()
	_, out, found := strings.Cut(out, "=== SUMMARY ===")
	if !found {
		t.Fatalf("the suite has no summary:\n%s", out)
	}
	t.Log(out)
	scores := map[string]score{}
	for _, m := range scenarioLine.FindAllStringSubmatch(out, -1) {
		var s score
		s.passed, _ = strconv.Atoi(m[2])
		s.failed, _ = strconv.Atoi(m[3])
		s.warnings, _ = strconv.Atoi(m[4])
		scores[m[1]] = s
	}
	for _, m := range unscoredLine.FindAllStringSubmatch(out, -1) {
		s := scores[m[1]]
		s.unscored = true
		scores[m[1]] = s
	}
	return scores
}

// The official conformance suite passes through the gateway and its hop: both
// requirement sets and the classic revisions on one URL, 30 of 30 and 37 of 37, and the
// scenarios of the extension for tasks. web/test/conformance runs it with a page in a
// browser. R-042 R-063 R-096 R-295…R-305 R-310…R-327 R-352 R-354 R-355
// R-356 R-358.
func TestConformanceNative(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	t.Parallel()
	g := startFronted(t, Options{Logging: true})
	page := newConformancePage(t)
	page.join(g)
	url := g.URL() + "/" + page.name
	for _, run := range []struct {
		args     []string
		required int            // scenarios; 0: the wire has no requirement set
		in       map[string]int // passed checks of scenarios with a status of their own
	}{
		{[]string{"--requirements", "2025-11-25"}, 30, map[string]int{"server-session-lifecycle": 3, "json-schema-2020-12": 6}},
		{[]string{"--requirements", "2026-07-28"}, 37, map[string]int{
			"http-header-validation": 14, "http-custom-header-server-validation": 10, "json-schema-2020-12": 6,
		}},
		{[]string{"--suite", "all", "--spec-version", "2025-06-18"}, 0, map[string]int{"server-session-lifecycle": 3}},
		{[]string{"--suite", "all", "--spec-version", "2025-03-26"}, 0, map[string]int{"server-session-lifecycle": 3}},
	} {
		t.Run(strings.Join(run.args, " "), func(t *testing.T) {
			out, ok := suite(t, url, run.args...)
			scores := summary(t, out)
			if !ok {
				t.Errorf("the suite is not content:\n%s", out)
			}
			required, tasks := 0, 0
			for name, s := range scores {
				if strings.HasPrefix(name, "tasks-") {
					tasks++
				}
				if name == "json-schema-2020-12" && s.failed == 2 && s.unscored {
					continue // composition at the top: model APIs refuse it, so it is said in the description
				}
				if s.failed > 0 || s.warnings > 0 {
					t.Errorf("%s: %+v", name, s)
				}
				if !s.unscored {
					required++
				}
			}
			if run.required > 0 && required != run.required {
				t.Errorf("%d scenarios count, of %d", required, run.required)
			}
			if want := map[bool]int{true: 10}[strings.Contains(t.Name(), "2026-07-28")]; tasks != want {
				t.Errorf("%d scenarios of tasks, of %d", tasks, want)
			}
			for name, want := range run.in {
				if s := scores[name]; s.passed != want {
					t.Errorf("%s: %d of %d checks pass", name, s.passed, want)
				}
			}
		})
	}
}
