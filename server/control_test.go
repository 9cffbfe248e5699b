package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/socket"
)

// connect returns the Control of a running gateway.
func connect(t *testing.T, g *Gateway) *Control {
	t.Helper()
	control, err := Connect(t.Context(), g.state.dir)
	if err != nil {
		t.Fatal(err)
	}
	return control
}

func readNote(c gatewaytest.Client) (*http.Response, string) {
	const note = `"uri":"notes+notes://a"`
	return c.Do(c.T.Context(), "POST", "/mcp", gatewaytest.Modern("1", "resources/read", note), append(gatewaytest.HeadersOf("resources/read", note), gatewaytest.Streams)...)
}

// Status tells who is connected and what was read, without contents and secrets.
func TestStatusTellsPagesClientsAndReads(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	page := newPage(t, testOrigin, "tab")
	page.write("notes://a", "a private note")
	page.join(g)
	if answer, body := readNote(caller(t, g)); answer.StatusCode != 200 {
		t.Fatalf("%d %s", answer.StatusCode, body)
	}
	answer, err := connect(t, g).send(t.Context(), "status", none{})
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"a private note", "s3cret", g.testToken(), encodeBinary(page.key)} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the status contains %q", secret)
		}
	}
	status, err := connect(t, g).Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if status.PID != os.Getpid() || status.MCP != g.URL() || status.State != g.state.dir || status.Version != "0.0.0-test" || status.Started.IsZero() {
		t.Errorf("%+v", status)
	}
	if len(status.Pages) != 1 || status.Pages[0].Name != "notes" || status.Pages[0].Origin != testOrigin || status.Pages[0].URL != testOrigin+"/notes" || !status.Pages[0].Connected {
		t.Errorf("pages: %+v", status.Pages)
	}
	if len(status.Origins) != 1 || status.Origins[0].Allowed != "options" || status.Origins[0].Keys != 1 {
		t.Errorf("origins: %+v", status.Origins)
	}
	if len(status.Assistants) != 1 || status.Assistants[0].Name != "unnamed" || status.Assistants[0].Used.IsZero() {
		t.Errorf("assistants: %+v", status.Assistants)
	}
	if len(status.Reads) != 1 || status.Reads[0].Target != "notes+notes://a" || status.Reads[0].Outcome != "ok" || status.Reads[0].Bytes == 0 {
		t.Errorf("reads: %+v", status.Reads)
	}
}

// Commands are on the socket alone, which only this user can open: no token and no origin
// gets an answer at the port.
func TestCommandsAreOnTheSocketAlone(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{NoToken: true, AssistantOrigins: []string{"https://assistant.example"}})
	for name := range g.commands() {
		for _, method := range []string{"GET", "POST"} {
			if answer, body := caller(t, g).Do(t.Context(), method, commandPath+name, "{}"); answer.StatusCode != 404 {
				t.Errorf("%s %s at the port: %d %s", method, name, answer.StatusCode, body)
			}
		}
	}
	for name, mode := range map[string]os.FileMode{".": 0o700, socketName: 0o600} {
		if info, err := os.Stat(filepath.Join(g.state.dir, name)); err != nil || !hasMode(info, mode) {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

// Bad commands change nothing and say what is wrong.
func TestControlRejectsBadCommands(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	control := connect(t, g)
	for _, c := range []struct {
		name   string
		params any
		want   string
	}{
		{"pair", originName{"https://app.example/"}, `browsers send it as "https://app.example"`},
		{"pair", originName{"*"}, "want scheme, host and port"},
		{"pair", []string{}, "are not valid"},
		{"pair", originName{strings.Repeat("x", maxControlBody)}, "are too large"},
		{"revoke", revokeRequest{}, "name an origin, or all"},
		{"revoke", revokeRequest{"https://app.example", true}, "name an origin, or all"},
		{"pause", pauseRequest{-1}, "a pause has 0 to"},
		{"pause", pauseRequest{1e10}, "a pause has 0 to"},
		{"door", Door{Origins: []string{"*"}}, "want scheme, host and port"},
		{"door", Door{MCP: "0.0.0.0:1"}, "this machine only"},
	} {
		if err := control.call(t.Context(), c.name, c.params, &none{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: %v", c.name, c.params, err)
		}
	}
	if g.origins.Contains("*") || len(g.paired.List()) > 0 || !g.pause.Until().IsZero() {
		t.Errorf("origins: %q", g.origins.List())
	}
}

// A paired origin may join at once and after a restart, until it is revoked: then its
// pages are disconnected, their keys are refused, and their names are free.
func TestPairAndRevoke(t *testing.T) {
	t.Parallel()
	const origin = "http://localhost:5173"
	dir := t.TempDir()
	options := Options{State: dir, Origins: []string{}}
	g := startGateway(t, options)
	page := newPage(t, origin, "tab")
	page.write("notes://a", "1")
	invitation, err := connect(t, g).Pair(t.Context(), origin)
	if err != nil || invitation.URL != origin+"/"+invitation.Fragment {
		t.Fatalf("%+v, %v", invitation, err)
	}
	page.join(g)
	g.Close(context.Background())
	g = startGateway(t, options)
	page.join(g) // by its key
	if answer, body := readNote(caller(t, g)); answer.StatusCode != 200 {
		t.Fatalf("%d %s", answer.StatusCode, body)
	}
	unused := readFragment(t, g.Fragment())
	if log := audited(t, g); !strings.Contains(log, `"door":"/control/pair","verb":"pair","uri":"`+origin+`","outcome":"ok"`) {
		t.Errorf("the audit log does not name the origin: %s", log)
	}

	revoked, err := connect(t, g).Revoke(t.Context(), origin)
	if err != nil || revoked.Keys != 1 || !slices.Equal(revoked.Origins, []string{origin}) || !slices.Equal(revoked.Pages, []string{"notes"}) || len(revoked.Remaining) > 0 {
		t.Errorf("%+v, %v", revoked, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	if _, _, err := page.conn.Read(ctx); err == nil {
		t.Error("the page is still connected")
	}
	if _, body := readNote(caller(t, g)); !strings.Contains(body, `"error"`) || strings.Contains(body, "away") {
		t.Errorf("a read after revoking: %s", body)
	}
	if _, _, err := websocket.Dial(ctx, g.PageURL(), &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {origin}}, Subprotocols: []string{gateway.PageProtocol}}); err == nil {
		t.Error("the origin may connect after it was revoked")
	}
	g.allow(Door{Origins: []string{origin}})
	for name, open := range map[string]opening{
		"the key":              {Version: 1, Address: g.PageURL(), Key: page.keyID},
		"an unused invitation": {Version: 1, Address: g.PageURL(), Secret: unused.ID},
	} {
		conn := page.dial(ctx, g.PageURL())
		_, err := prove(ctx, conn, open, origin, page.key, nil)
		if websocket.CloseStatus(err) != socket.CloseRefused {
			t.Errorf("%s is valid after revoking: %v", name, err)
		}
	}
	if names := g.names.remembered(); len(names) > 0 {
		t.Errorf("names: %q", names)
	}
}

// What the command line allows stays allowed when it is revoked, but needs a new
// invitation. Pages of other origins are not affected.
func TestRevokeOneOfTheOptions(t *testing.T) {
	t.Parallel()
	const other = "https://other.example"
	g := startGateway(t, Options{Origins: []string{testOrigin, other}})
	page, kept := newPage(t, testOrigin, "tab"), newPage(t, other, "tab")
	page.join(g)
	kept.join(g)
	revoked, err := connect(t, g).Revoke(t.Context(), testOrigin)
	if err != nil || !slices.Equal(revoked.Remaining, []string{testOrigin}) || len(revoked.Origins) > 0 {
		t.Errorf("%+v, %v", revoked, err)
	}
	if !g.core.Views("").IsConnected(kept.name) {
		t.Error("a page of another origin was disconnected")
	}
	page.keyID = ""
	page.join(g) // by a new invitation
	if revoked, err = connect(t, g).RevokeAll(t.Context()); err != nil || revoked.Keys != 2 || len(revoked.Remaining) != 2 {
		t.Errorf("%+v, %v", revoked, err)
	}
	gatewaytest.Eventually(t, "all pages are gone", func() bool { return len(g.core.Views("").Pages()) == 0 })
}

// A page that is joining while it is revoked does not stay.
func TestRevokingReachesPagesThatAreJoining(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	open, key := invited(t, g)
	page := newPage(t, testOrigin, "tab")
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	conn := page.dial(ctx, g.PageURL())
	// The welcome is sent before the socket is registered: revoking comes between.
	done, err := prove(ctx, conn, open, testOrigin, key, &gateway.Hello{Page: "tab", Name: "notes"})
	if err != nil || done.Joined == nil {
		t.Fatalf("%+v, %v", done, err)
	}
	closed := make(chan error, 1)
	go func() { // ends with the connection: messages of the gateway to the page may come first
		for {
			if _, _, err := conn.Read(ctx); err != nil {
				closed <- err
				return
			}
		}
	}()
	if _, err := g.revoke(func(string) bool { return true }); err != nil {
		t.Fatal(err)
	}
	if err := gatewaytest.Await(t, "the page to be disconnected", closed); ctx.Err() != nil {
		t.Errorf("the page is still connected: %v", err)
	}
	gatewaytest.Eventually(t, "the page is not served", func() bool { return len(g.core.Views("").Pages()) == 0 })
}

// A new token is valid at once and after a restart; the old one is refused, and what it
// has opened ends: streams and sockets. Commands need none.
func TestRotateTheToken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	g := startGateway(t, Options{State: dir})
	old := g.testToken()
	control := connect(t, g)
	answer, _ := caller(t, g).Do(t.Context(), "POST", "/mcp", gatewaytest.Modern("1", "subscriptions/listen", `"notifications":{"resourcesListChanged":true}`),
		gatewaytest.V2026, "Mcp-Method: subscriptions/listen", "Accept: text/event-stream")
	messages := gatewaytest.NewStream(t, answer).Messages
	gatewaytest.Receive(t, messages)
	socket := caller(t, g).Wire("/ws", gateway.AssistantProtocol)
	rotated, err := control.RotateToken(t.Context())
	if err != nil || rotated.TokenFile != filepath.Join(dir, "token") {
		t.Fatalf("%+v, %v", rotated, err)
	}
	stored, err := os.ReadFile(rotated.TokenFile)
	if err != nil || strings.TrimSpace(string(stored)) == old || strings.TrimSpace(string(stored)) != g.testToken() {
		t.Errorf("the file has %d bytes, %v", len(stored), err)
	}
	if info, err := os.Stat(rotated.TokenFile); err != nil || !hasMode(info, 0o600) {
		t.Errorf("%v, %v", info, err)
	}
	for range messages { // until the stream ends
	}
	if _, _, err := socket.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusPolicyViolation || !strings.Contains(err.Error(), "the token is no longer valid") {
		t.Errorf("the socket: %v", err)
	}
	g.Close(context.Background())
	if again := startGateway(t, Options{State: dir}); again.testToken() != strings.TrimSpace(string(stored)) {
		t.Error("another token after a restart")
	}
}

// The log has the lines since the start, and follows until the gateway closes.
func TestLogIsFollowed(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	g.log.Info("before", "page", "notes")
	lines, ended := make(chan string, 10), make(chan error, 1)
	control := connect(t, g)
	go func() {
		ended <- control.Log(t.Context(), true, func(line []byte) error { lines <- string(line); return nil })
	}()
	if line := gatewaytest.Receive(t, lines); !strings.Contains(line, `"msg":"before","page":"notes"`) {
		t.Errorf("%s", line)
	}
	g.log.Warn("after")
	if line := gatewaytest.Receive(t, lines); !strings.Contains(line, `"level":"WARN","msg":"after"`) {
		t.Errorf("%s", line)
	}
	g.Close(context.Background())
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := Connect(t.Context(), g.state.dir); !errors.Is(err, ErrNotRunning) {
		t.Errorf("after the end: %v", err)
	}
}
