package main

import (
	"strings"
	"sync"
	"testing"
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

// A supervisor finds out that the gateway serves, and --log-format json writes records with the time.
func TestOperations(t *testing.T) {
	state := t.TempDir()
	var log lockedText
	line, _ := startLogged(t, &log, "serve", "--json", "--state", state, "--mcp", "127.0.0.1:0", "--log-format", "json")
	health := strings.TrimSuffix(line.MCP, "mcp") + "healthz"
	if status, text := fetch(t, health); status != 200 || text != "ok\n" {
		t.Errorf("%d %s", status, text)
	}
	if status, _ := fetch(t, health, "Sec-Fetch-Site: cross-site"); status != 403 {
		t.Errorf("health for a web site: %d", status)
	}
	if _, err := runForOutput(t, "pair", "http://localhost:5173", "--state", state); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), `"level":"INFO","msg":"pages may join","origin":"http://localhost:5173"}`) || !strings.Contains(log.String(), `{"time":"`) {
		t.Errorf("the log: %s", log.String())
	}
}
