package server

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
)

// A pause reaches assistants by each way in, and holds at the next gateway of the state
// directory, until the user ends it.
func TestPauseStopsAllAssistants(t *testing.T) {
	t.Parallel()
	state, port := t.TempDir(), gatewaytest.FreePorts(t, 1)[0]
	g := startGatewayAt(t, port, Options{State: state})
	page := newPage(t, testOrigin, "tab")
	page.write("notes://a", "secret")
	page.join(g)
	assistant := startStdio(t, StdioOptions{State: state})
	token := mustAdd(t, g, NewToken{Name: "claude"})
	check := func(when string, g *Gateway, want string) {
		t.Helper()
		read := `"uri":"notes+notes://a"`
		got := map[string]string{"a process that goes on": assistant.ask(gatewaytest.Modern("1", "resources/read", read))}
		for _, way := range []wayIn{byHTTP(t, g, token), bySession(t, g, token, "2025-11-25")} {
			got[way.name] = way.ask("resources/read", read)
			got[way.name+", a tool"] = way.ask("tools/call", `"name":"read_resource","arguments":{`+read+`}`)
		}
		for way, text := range got {
			if !strings.Contains(text, want) || want != "secret" && strings.Contains(text, "secret") {
				t.Errorf("%s, by %s: %s", when, way, text)
			}
		}
	}
	check("before", g, "secret")
	paused, err := connect(t, g).Pause(t.Context(), time.Hour)
	if err != nil || time.Until(paused.Until) < 59*time.Minute {
		t.Fatalf("%v, %v", paused, err)
	}
	check("in the pause", g, `"reason":"paused"`)
	g.Close(context.Background())
	page.leave()
	g = startGatewayAt(t, port, Options{State: state})
	page.joinAt(g.PageURL(), nil)
	if until := g.pause.Until(); !until.Equal(paused.Until) {
		t.Errorf("the next gateway is paused until %v, want %v", until, paused.Until)
	}
	check("in the pause, at the next gateway", g, `"reason":"paused"`)
	if resumed, err := connect(t, g).Pause(t.Context(), 0); err != nil || !resumed.Until.IsZero() {
		t.Errorf("%v, %v", resumed, err)
	}
	check("afterwards", g, "secret")
	assistant.end()
}
