package server

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
)

// openDoor opens a door of a running gateway, until shut.
func openDoor(t *testing.T, g *Gateway, d Door) (opened Opened, shut func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	opened, err := connect(t, g).OpenDoor(ctx, d)
	if err != nil {
		t.Fatal(err)
	}
	return opened, func() {
		cancel()
		<-opened.Closed
	}
}

// What a door allows, and its port, are there until the command ends.
func TestDoorIsOpenWhileItsCommandRuns(t *testing.T) {
	t.Parallel()
	const origin = "http://127.0.0.1:8809"
	g := startGateway(t, Options{})
	port := gatewaytest.FreePorts(t, 1)[0]
	door := Door{Command: "serve", MCP: "127.0.0.1:" + strconv.Itoa(port), Origins: []string{origin}, Assistants: []string{origin}, Monitors: []string{origin}, Web: origin + "/",
		Settings: map[string]string{"no-token": "true", "lenient": "false"}}
	opened, shut := openDoor(t, g, door)
	second, shutSecond := openDoor(t, g, door)
	if opened.Port != port || second.Port != port || opened.MCP != fmt.Sprintf("http://127.0.0.1:%d/mcp", port) || fmt.Sprint(opened.Kept) != "[no-token]" {
		t.Errorf("%+v", opened)
	}
	allowed := func() string {
		return fmt.Sprint(g.origins.Contains(origin), g.assistantOrigins.Contains(origin), g.monitorOrigins.Contains(origin), g.doors.web().Web != "")
	}
	page := newPage(t, origin, "tab")
	page.write("notes://a", "1")
	page.joinPort(g, port)
	c := gatewaytest.Client{T: t, URL: strings.TrimSuffix(opened.MCP, "/mcp"), Token: g.testToken()}
	if answer, body := readNote(c); answer.StatusCode != 200 || answer.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("at the port of the door: %d %s", answer.StatusCode, body)
	}
	if answer, body := readNote(gatewaytest.Client{T: t, URL: c.URL}); answer.StatusCode != 401 {
		t.Errorf("without a token: %d %s", answer.StatusCode, body)
	}
	shut()
	if got := allowed(); got != "true true true true" {
		t.Errorf("with another door: %s", got)
	}
	shutSecond()
	gatewaytest.Eventually(t, "the door is closed", func() bool {
		_, err := http.Get(c.URL)
		return err != nil && allowed() == "true false false false" // its page has joined
	})
}

// One `pagemcp dev` runs at a time; the second one learns which.
func TestSecondDevLearnsWhoRuns(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	_, shut := openDoor(t, g, Door{Command: "dev", PID: 77, Web: "http://127.0.0.1:8809/"})
	_, err := connect(t, g).OpenDoor(t.Context(), Door{Command: "dev", PID: 78})
	const want = "`pagemcp dev` runs already, at http://127.0.0.1:8809/ (process 77)"
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(connect(t, g).Running.Dev, want) {
		t.Errorf("%v; %q", err, connect(t, g).Running.Dev)
	}
	shut()
	gatewaytest.Eventually(t, "another one may run", func() bool { return g.doors.dev() == nil })
	openDoor(t, g, Door{Command: "dev", PID: 78})
}

// Pages that have joined once may join each later gateway of the state directory, until they
// are revoked; a door with Only revokes all but its own.
func TestOriginsAreKeptWithTheirKeys(t *testing.T) {
	t.Parallel()
	const other = "https://other.example"
	state := t.TempDir()
	g := startGateway(t, Options{State: state, Origins: []string{testOrigin, other, "https://never.example"}})
	for _, origin := range []string{testOrigin, other} {
		newPage(t, origin, "tab").join(g)
	}
	g.Close(context.Background())
	for _, c := range []struct {
		door Door
		want string
	}{
		{Door{}, "[" + testOrigin + " " + other + "]"},
		{Door{Origins: []string{other}, Only: true}, "[" + other + "]"},
		{Door{}, "[" + other + "]"},
	} {
		g := startGateway(t, Options{State: state, Origins: []string{}})
		openDoor(t, g, c.door)
		if got := fmt.Sprint(g.origins.List()); got != c.want {
			t.Errorf("with %v: %s may join, not %s", c.door, got, c.want)
		}
		g.Close(context.Background())
	}
	g = startGateway(t, Options{State: state, Origins: []string{}})
	if revoked, err := connect(t, g).Revoke(t.Context(), other); err != nil || fmt.Sprint(revoked.Origins) != "["+other+"]" || revoked.Keys != 1 {
		t.Errorf("%+v, %v", revoked, err)
	}
	if g.origins.Contains(other) {
		t.Error("a revoked origin may join")
	}
}
