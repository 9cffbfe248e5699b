package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// lockedText collects what several goroutines write.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// A supervisor finds out that the gateway serves; --metrics adds a listener, and
// --log-format json writes records with the time.
func TestOperations(t *testing.T) {
	state := t.TempDir()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	in, out := io.Pipe()
	ended := make(chan error, 1)
	var log lockedText
	go func() {
		ended <- run(ctx, []string{"serve", "--json", "--state", state, "--mcp", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--log-format", "json"}, streams{strings.NewReader(""), out, &log})
		out.Close()
	}()
	lines := bufio.NewScanner(in)
	if !lines.Scan() {
		t.Fatal(<-ended)
	}
	var line ready
	if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
		t.Fatal(err)
	}
	get := func(url string, header ...string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range header {
			name, value, _ := strings.Cut(h, ": ")
			r.Header.Set(name, value)
		}
		answer, err := httpClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text)
	}
	health := strings.TrimSuffix(line.MCP, "mcp") + "healthz"
	if status, text := get(health); status != 200 || text != "ok\n" {
		t.Errorf("%d %s", status, text)
	}
	if status, _ := get(health, "Sec-Fetch-Site: cross-site"); status != 403 {
		t.Errorf("health for a web site: %d", status)
	}
	_, url, ok := strings.Cut(log.String(), "metrics at ")
	if !ok {
		t.Fatalf("no address of the metrics: %s", log.String())
	}
	if status, text := get(strings.TrimSpace(strings.SplitN(url, "\n", 2)[0])); status != 200 || !strings.Contains(text, "pagemcp_info") {
		t.Errorf("%d %s", status, text)
	}
	if _, err := runForOutput(t, "pair", "http://localhost:5173", "--state", state); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), `"level":"INFO","msg":"pages may join","origin":"http://localhost:5173"}`) || !strings.Contains(log.String(), `{"time":"`) {
		t.Errorf("the log: %s", log.String())
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
