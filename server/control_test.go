package server

import (
	"context"
	"errors"
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
	_, text := caller(t, g).Do(t.Context(), "GET", controlStatus, "")
	for _, secret := range []string{"a private note", "s3cret", g.testToken(), encodeBinary(page.key)} {
		if strings.Contains(text, secret) {
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
	if len(status.Clients) != 1 || status.Clients[0].Endpoint != "/mcp" || status.Clients[0].Requests != 1 {
		t.Errorf("clients: %+v", status.Clients)
	}
	if len(status.Reads) != 1 || status.Reads[0].Target != "notes+notes://a" || status.Reads[0].Outcome != "ok" || status.Reads[0].Bytes == 0 {
		t.Errorf("reads: %+v", status.Reads)
	}
}

// Only a program with the token gets an answer of the control endpoints, also with
// NoToken. No browser does, not even a page that may send requests as an assistant.
func TestControlNeedsTheTokenAndNoBrowser(t *testing.T) {
	t.Parallel()
	const assistant = "https://assistant.example"
	for _, noToken := range []bool{false, true} {
		g := startGateway(t, Options{NoToken: noToken, AssistantOrigins: []string{assistant}})
		for path, method := range map[string]string{
			controlStatus: "GET", controlPair: "POST", controlRevoke: "POST", controlToken: "POST", controlLog: "GET",
		} {
			for _, c := range []struct {
				name, header string
				want         int
			}{
				{"a page of an assistant", "Origin: " + assistant, 403},
				{"a page that may join", "Origin: " + testOrigin, 403},
				{"a page of the gateway's own origin", "Origin: http://127.0.0.1", 403},
				{"a document of any site", "Sec-Fetch-Site: none", 403},
				{"a second token", "Authorization: Bearer x", 401},
			} {
				if answer, body := caller(t, g).Do(t.Context(), method, path, `{"all":true}`, c.header); answer.StatusCode != c.want {
					t.Errorf("%s of %s: %d %s", path, c.name, answer.StatusCode, body)
				}
			}
			answer, err := gatewaytest.HTTP.Do(caller(t, g).As("").Request(t.Context(), method, path, ""))
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != 401 {
				t.Errorf("%s without a token: %d", path, answer.StatusCode)
			}
			if answer, _ := caller(t, g).Do(t.Context(), "PUT", path, "{}"); answer.StatusCode != 405 || answer.Header.Get("Allow") != method {
				t.Errorf("PUT %s: %d %v", path, answer.StatusCode, answer.Header)
			}
		}
		if answer, _ := caller(t, g).Do(t.Context(), "POST", controlPair, strings.Repeat("x", maxControlBody+1)); answer.StatusCode != 413 {
			t.Errorf("a large body: %d", answer.StatusCode)
		}
	}
}

// Bad commands change nothing and say what is wrong.
func TestControlRejectsBadCommands(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	for _, c := range []struct{ path, body, want string }{
		{controlPair, `{"origin":"https://app.example/"}`, `browsers send it as "https://app.example"`},
		{controlPair, `{"origin":"*"}`, "want scheme, host and port"},
		{controlPair, `[]`, "want {"},
		{controlRevoke, `{}`, "name an origin, or all"},
		{controlRevoke, `{"origin":"https://app.example","all":true}`, "name an origin, or all"},
	} {
		if answer, body := caller(t, g).Do(t.Context(), "POST", c.path, c.body); answer.StatusCode != 400 || !strings.Contains(body, c.want) {
			t.Errorf("%s %s: %d %s", c.path, c.body, answer.StatusCode, body)
		}
	}
	if g.origins.Contains("*") || len(g.paired.names()) > 0 {
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
	g.AllowOrigins(origin)
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
// has opened ends: streams and sockets.
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
	log := make(chan error, 1)
	following, stop := context.WithTimeout(t.Context(), testTime)
	defer stop()
	followed := make(chan struct{}, 100)
	go func() { // ends with the token
		log <- control.Log(following, true, func([]byte) error { followed <- struct{}{}; return nil })
	}()
	g.log.Info("for the follower")
	<-followed

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
	if err := <-log; err != nil || following.Err() != nil {
		t.Errorf("the log: %v, %v", err, following.Err())
	}
	if _, err := control.Status(t.Context()); err == nil || !strings.Contains(err.Error(), "the bearer token is missing or wrong") {
		t.Errorf("the old token: %v", err)
	}
	if _, err := connect(t, g).Status(t.Context()); err != nil {
		t.Errorf("the new token: %v", err)
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

// A gateway of an older version has no control endpoints: the error says so.
func TestControlOfOlderGateway(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	control := connect(t, g)
	control.Running.MCP = strings.TrimSuffix(g.URL(), "/mcp") + "/"
	_, err := control.send(t.Context(), "GET", "/control/none", nil)
	if err == nil || !strings.Contains(err.Error(), "an older version") {
		t.Error(err)
	}
}
