package server

import (
	"context"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/monitor"
	"github.com/pagemcp/pagemcp/server/internal/socket"
)

// A testMonitor is a page that monitors the traffic.
type testMonitor struct {
	t    *testing.T
	ctx  context.Context
	conn *websocket.Conn
}

// openMonitor connects to /watch as a page of testOrigin that is allowed to.
func openMonitor(t *testing.T, g *Gateway, what string) testMonitor {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	t.Cleanup(cancel)
	first, key := invited(t, g)
	first.Address = "ws://127.0.0.1:" + strconv.Itoa(g.Port()) + access.MonitorPath
	conn := newPage(t, testOrigin, "").dialFor(ctx, first.Address, monitorProtocol)
	t.Cleanup(func() { conn.CloseNow() })
	conn.SetReadLimit(limits.MaxAnswer * 2)
	if done, err := proveFor(ctx, conn, first, testOrigin, key, reply{Open: what}); err != nil || done.Joined != nil || done.Key == "" {
		t.Fatalf("%+v, %v", done, err)
	}
	return testMonitor{t, ctx, conn}
}

// A key is valid at /watch only in the gateway process that made it: another program may
// take the port of the origin for which the browser stores it. Pages can still join with
// it.
func TestOldKeysDoNotOpenMonitor(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	g := watchedGateway(t, Options{State: state})
	first, key := invited(t, g)
	first.Address = "ws://127.0.0.1:" + strconv.Itoa(g.Port()) + access.MonitorPath
	open := func(g *Gateway, endpoint, protocol string, first opening, answer reply) (welcome, error) {
		ctx, cancel := context.WithTimeout(t.Context(), testTime)
		defer cancel()
		first.Address = "ws://127.0.0.1:" + strconv.Itoa(g.Port()) + endpoint
		conn := newPage(t, testOrigin, "").dialFor(ctx, first.Address, protocol)
		defer conn.CloseNow()
		return proveFor(ctx, conn, first, testOrigin, key, answer)
	}
	made, err := open(g, access.MonitorPath, monitorProtocol, first, reply{Open: "watch"})
	if err != nil {
		t.Fatal(err)
	}
	first.Secret, first.Key = "", made.Key
	if _, err := open(g, access.MonitorPath, monitorProtocol, first, reply{Open: "watch"}); err != nil {
		t.Fatalf("the key in the same process: %v", err)
	}
	g.Close(context.Background())

	g = watchedGateway(t, Options{State: state})
	for _, what := range []string{"watch", "/mcp"} {
		if _, err := open(g, access.MonitorPath, monitorProtocol, first, reply{Open: what}); websocket.CloseStatus(err) != socket.CloseRefused {
			t.Errorf("%s with a key of the process before: %v", what, err)
		}
	}
	if _, err := open(g, "/page", gateway.PageProtocol, first, reply{Pair: true}); err != nil {
		t.Errorf("a page with the same key: %v", err)
	}
}

// A monitorMessage is a state, a frame, or entries of the audit log.
type monitorMessage struct {
	State *monitor.State   `json:"state"`
	Frame *monitor.Frame   `json:"frame"`
	Audit []jsontext.Value `json:"audit"`
}

func (w testMonitor) next() monitorMessage {
	w.t.Helper()
	var message monitorMessage
	_, text, err := w.conn.Read(w.ctx)
	if err == nil {
		err = json.Unmarshal(text, &message)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return message
}

// state returns the next state that is as wanted.
func (w testMonitor) state(is func(monitor.State) bool) monitor.State {
	w.t.Helper()
	for {
		if message := w.next(); message.State != nil && is(*message.State) {
			return *message.State
		}
	}
}

// frame returns the next frame whose text holds a text.
func (w testMonitor) frame(holds string) monitor.Frame {
	w.t.Helper()
	for {
		if message := w.next(); message.Frame != nil && strings.Contains(message.Frame.Text, holds) {
			return *message.Frame
		}
	}
}

func watchedGateway(t *testing.T, opts Options) *Gateway {
	g := startGateway(t, opts)
	g.allow(Door{Monitors: []string{testOrigin}})
	return g
}

// A monitor gets the state, and the messages between a real client and a page unchanged,
// in both directions and both eras.
func TestMonitorSeesMessages(t *testing.T) {
	t.Parallel()
	g := watchedGateway(t, Options{})
	w := openMonitor(t, g, "watch")
	first := w.state(func(monitor.State) bool { return true })
	if len(first.Pages) != 0 || len(first.MayJoin) != 1 || len(first.MayWatch) != 1 || first.NoToken {
		t.Errorf("at first: %+v", first)
	}
	page := newPage(t, testOrigin, "tab-1")
	page.write("notes://cart", "2 apples")
	page.join(g)
	there := w.state(func(s monitor.State) bool { return len(s.Pages) == 1 })
	if p := there.Pages[0]; p.Name != "notes" || p.Title != "Notes" || p.Origin != testOrigin || !p.Connected || p.Since == 0 {
		t.Errorf("joined: %+v", p)
	}

	read := `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"claude","version":"1"}},"uri":"notes+notes://cart"}}`
	_, answer := caller(t, g).Do(w.ctx, http.MethodPost, "/mcp", read, gatewaytest.V2026, "Mcp-Method: resources/read", "Mcp-Name: notes+notes://cart")
	if !strings.Contains(answer, "2 apples") {
		t.Fatal(answer)
	}
	request := w.frame(`"resources/read"`)
	if request.To != "page" || request.Page != "notes" || request.Client != "claude" || request.Endpoint != "/mcp" || request.Principal != "token" || request.Time == 0 {
		t.Errorf("asked: %+v", request)
	}
	said := w.frame("2 apples")
	if said.To != "assistant" || said.Page != "notes" || said.Client != "claude" || said.Size != len(said.Text) {
		t.Errorf("said: %+v", said)
	}
	if strings.Contains(request.Text+said.Text, g.testToken()) {
		t.Error("the token is in a frame")
	}
	counted := w.state(func(s monitor.State) bool { return s.Pages[0].Reads == 1 })
	if counted.Pages[0].Bytes != said.Size {
		t.Errorf("counted: %+v, not %d bytes", counted.Pages[0], said.Size)
	}

	plain := caller(t, g).Wire("/ws", gateway.AssistantProtocol)
	plain.Send(`{"jsonrpc":"2.0","id":1,`)
	if broken := w.frame(`"id":1,`); broken.To != "page" || broken.Endpoint != "/ws" {
		t.Errorf("what is no JSON: %+v", broken)
	}
	page.leave()
	w.state(func(s monitor.State) bool { return len(s.Pages) == 1 && !s.Pages[0].Connected })
	log := audited(t, g)
	if !strings.Contains(log, `"verb":"watch"`) || strings.Contains(log, "apples") {
		t.Errorf("the audit log: %s", log)
	}
}

// At the same endpoint a monitor can send requests to all pages, or to one. Other
// monitors do not see them.
func TestMonitorSendsRequests(t *testing.T) {
	t.Parallel()
	g := watchedGateway(t, Options{})
	page := newPage(t, testOrigin, "tab-1")
	page.write("notes://cart", "2 apples")
	page.join(g)
	for open, uri := range map[string]string{"/mcp": "notes+notes://cart", "/mcp/notes": "notes://cart"} {
		w := openMonitor(t, g, open)
		looks := openMonitor(t, g, "watch")
		looks.state(func(monitor.State) bool { return true }) // from now on it sees all
		request := gatewaytest.Modern("1", "resources/read", `"uri":"`+uri+`"`)
		if err := w.conn.Write(w.ctx, websocket.MessageText, []byte(request)); err != nil {
			t.Fatal(err)
		}
		if _, answer, err := w.conn.Read(w.ctx); err != nil || !strings.Contains(string(answer), "2 apples") {
			t.Errorf("%s: %s, %v", open, answer, err)
		}
		plain := caller(t, g).Wire("/ws", gateway.AssistantProtocol)
		plain.Send(`{"jsonrpc":"2.0","id":"fence","method":"ping"}`)
		for message := looks.next(); ; message = looks.next() {
			if message.Frame != nil {
				if !strings.Contains(message.Frame.Text, "fence") {
					t.Errorf("%s: %s is shown", open, message.Frame.Text)
				}
				break
			}
		}
	}
	if log := audited(t, g); !strings.Contains(log, `"verb":"connect","uri":"/mcp/notes"`) || !strings.Contains(log, `"who":"playground"`) {
		t.Errorf("the audit log: %s", log)
	}
}

// A monitor needs more than a page: an origin that is allowed to monitor, a proof for
// this endpoint, and a valid "open".
func TestMonitorNeedsPermission(t *testing.T) {
	t.Parallel()
	const upgrade = "GET /watch HTTP/1.1\nHost: 127.0.0.1:%d\nSec-WebSocket-Protocol: " + monitorProtocol + "\n" + upgradeLines
	joins := startGateway(t, Options{})
	if status, _, _ := gatewaytest.SendRaw(t, joins.Port(), upgrade+"Origin: "+testOrigin+"\n\n"); status != http.StatusForbidden {
		t.Errorf("an origin that may only join: %d", status)
	}
	g := watchedGateway(t, Options{Origins: []string{testOrigin, "https://other.example"}})
	for _, origin := range []string{"", "Origin: null\n", "Origin: https://evil.example\n", "Origin: https://other.example\n", "Origin: http://127.0.0.1:%[1]d\n"} {
		if status, _, _ := gatewaytest.SendRaw(t, g.Port(), strings.ReplaceAll(upgrade, "%d", "%[1]d")+origin+"Authorization: Bearer "+g.testToken()+"\n\n"); status != http.StatusForbidden {
			t.Errorf("%q: %d", origin, status)
		}
	}
	address := "ws://127.0.0.1:" + strconv.Itoa(g.Port()) + access.MonitorPath
	for name, try := range map[string]struct {
		change func(*opening, []byte)
		answer reply
	}{
		"an unknown secret":      {func(o *opening, _ []byte) { o.Secret = "AAAAAAAAAAA" }, reply{Open: "watch"}},
		"the address of /page":   {func(o *opening, _ []byte) { o.Address = strings.Replace(o.Address, access.MonitorPath, "/page", 1) }, reply{Open: "watch"}},
		"no wish":                {nil, reply{}},
		"an unknown wish":        {nil, reply{Open: "/mcp/Not A Name"}},
		"a page's hello":         {nil, reply{Open: "watch", Hello: &gateway.Hello{Page: "x", Name: "notes"}}},
		"a wish to pair as well": {nil, reply{Open: "watch", Pair: true}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), testTime)
			defer cancel()
			first, key := invited(t, g)
			first.Address = address
			if try.change != nil {
				try.change(&first, key)
			}
			conn := newPage(t, testOrigin, "").dialFor(ctx, address, monitorProtocol)
			defer conn.CloseNow()
			if _, err := proveFor(ctx, conn, first, testOrigin, key, try.answer); websocket.CloseStatus(err) != socket.CloseRefused {
				t.Errorf("%v", err)
			}
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	first, key := invited(t, g)
	page := newPage(t, testOrigin, "").dial(ctx, first.Address)
	defer page.CloseNow()
	if _, err := proveFor(ctx, page, first, testOrigin, key, reply{Open: "watch"}); websocket.CloseStatus(err) != socket.CloseRefused {
		t.Errorf("looking on at /page: %v", err)
	}
	if log := audited(t, g); !strings.Contains(log, `"door":"/watch","verb":"watch","outcome":"refused"`) {
		t.Errorf("the audit log: %s", log)
	}
}

// A monitor that does not read is disconnected, and delays no others.
func TestSlowMonitorIsDisconnected(t *testing.T) {
	t.Parallel()
	g := watchedGateway(t, Options{ReadsPerSecond: 1000})
	page := newPage(t, testOrigin, "tab-1")
	page.write("notes://cart", strings.Repeat("apples ", 40_000)) // 280 kB
	page.join(g)
	w := openMonitor(t, g, "watch")
	w.state(func(monitor.State) bool { return true })
	ctx, cancel := context.WithTimeout(t.Context(), 4*testTime)
	defer cancel()
	c := caller(t, g)
	for i := 0; g.monitors.Active(); i++ {
		if i == 400 {
			t.Fatal("100 MB wait for a watcher that does not read")
		}
		answer, _ := c.Do(ctx, "POST", "/mcp/notes", gatewaytest.Modern("1", "resources/read", `"uri":"notes://cart"`), gatewaytest.V2026, "Mcp-Method: resources/read", "Mcp-Name: notes://cart")
		if answer.StatusCode != http.StatusOK {
			t.Fatalf("read %d: %d", i, answer.StatusCode)
		}
	}
}

// entries returns the next entries of the audit log.
func (w testMonitor) entries() []string {
	w.t.Helper()
	for {
		if message := w.next(); len(message.Audit) > 0 {
			all := make([]string, len(message.Audit))
			for i, entry := range message.Audit {
				all[i] = string(entry)
			}
			return all
		}
	}
}

// A monitor gets the entries about requests that need a right, as the audit log has them: at
// first the latest ones, then each when it is recorded. The texts are those of the log.
func TestMonitorGetsAuditEntries(t *testing.T) {
	t.Parallel()
	g := watchedGateway(t, Options{})
	assistantPage(t, g, "notes", false)
	way := byHTTP(t, g, mustAdd(t, g, NewToken{Name: "reader", ReadOnly: true}))
	way.ask("resources/read", `"uri":"notes+note:a"`)
	way.ask("server/discover", "")
	w := openMonitor(t, g, "watch")
	got := w.entries()
	way.ask("tools/call", `"name":"notes__act","arguments":{}`)
	got = append(got, w.entries()...)
	if _, err := connect(t, g).Pause(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	w.state(func(s monitor.State) bool { return s.Paused > time.Now().UnixMilli() })
	way.ask("resources/read", `"uri":"notes+note:a"`)
	got = append(got, w.entries()...)
	var want []string
	for line := range strings.Lines(audited(t, g)) {
		if strings.Contains(line, `"right":`) {
			want = append(want, strings.TrimSpace(line))
		}
	}
	if !slices.Equal(got, want) || len(want) != 3 || !strings.Contains(want[1], `"reason":"rights"`) || !strings.Contains(want[2], `"reason":"paused"`) {
		t.Errorf("the monitor got\n%s\nand the log has\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if later := openMonitor(t, g, "watch").entries(); !slices.Equal(later, want) {
		t.Errorf("a later monitor got %q", later)
	}
}

// A monitor stops one assistant, or all, for an hour: also for the next gateway of the directory,
// until the user ends it by the command. It cannot end a stop, and what else it sends is ignored.
func TestMonitorStopsAssistants(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	g := watchedGateway(t, Options{State: state})
	page := assistantPage(t, g, "notes", false)
	one, other := mustAdd(t, g, NewToken{Name: "one"}), mustAdd(t, g, NewToken{Name: "other"})
	check := func(when string, g *Gateway, want ...bool) {
		t.Helper()
		for i, token := range []string{one, other} {
			for _, request := range [][2]string{{"resources/read", `"uri":"notes+note:a"`}, {"tools/call", `"name":"read_resource","arguments":{"uri":"notes+note:a"}`}} {
				if got := byHTTP(t, g, token).ask(request[0], request[1]); strings.Contains(got, `"reason":"paused"`) != want[i] {
					t.Errorf("%s, assistant %d: %s", when, i, got)
				}
			}
		}
	}
	check("before", g, false, false)
	w := openMonitor(t, g, "watch")
	send := func(text string) {
		t.Helper()
		if err := w.conn.Write(w.ctx, websocket.MessageText, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	for _, ignored := range []string{"", "[]", "{", `{"stop":1}`, `{"stop":null}`, `{"stop":"No name"}`, `{"resume":""}`, `{"pause":{"seconds":1}}`} {
		send(ignored)
	}
	send(`{"stop":"one"}`)
	send(`{"stop":"one"}`) // within the same minute it changes nothing
	stopped := w.state(func(s monitor.State) bool { return len(s.Stopped) > 0 })
	if got := stopped.Stopped[0]; len(stopped.Stopped) != 1 || got.Assistant != "one" || got.Until < time.Now().Add(59*time.Minute).UnixMilli() || stopped.Paused != 0 {
		t.Errorf("the state has %+v", stopped)
	}
	check("one is stopped", g, true, false)
	if until := g.pause.Stopped()["one"]; time.Until(until) < 59*time.Minute {
		t.Errorf("the status has %v", until)
	}
	if n := strings.Count(audited(t, g), `"verb":"stop","uri":"one"`); n != 1 {
		t.Errorf("%d entries of the audit log: %s", n, audited(t, g))
	}
	g.Close(context.Background())
	page.leave()
	g = watchedGateway(t, Options{State: state})
	page.joinAt(g.PageURL(), nil)
	check("at the next gateway", g, true, false)
	w = openMonitor(t, g, "watch")
	send(`{"stop":""}`)
	w.state(func(s monitor.State) bool { return s.Paused > time.Now().UnixMilli() })
	check("all are stopped", g, true, true)
	if _, err := connect(t, g).Pause(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	check("resumed", g, false, false)
	if text, err := os.ReadFile(g.state.path(pauseFile)); err != nil || strings.Contains(string(text), "one") {
		t.Errorf("%s, %v", text, err)
	}
}

// What a monitor gets of the log when it connects is bounded, the latest entries, from all files.
func TestAuditHistoryIsBounded(t *testing.T) {
	t.Parallel()
	g := watchedGateway(t, Options{})
	line := func(i int) string { return `{"right":"read","count":` + strconv.Itoa(i) + `}` }
	write := func(name string, from, to int) {
		var text strings.Builder
		for i := from; i < to; i++ {
			text.WriteString(line(i) + "\n" + `{"verb":"join"}` + "\n")
		}
		if err := os.WriteFile(g.state.path(name), []byte(text.String()+`{"right":"cut`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(auditOldest, 0, 5_000)
	write(auditOlder, 5_000, 6_000)
	write(auditFile, 6_000, 6_500)
	all := g.auditHistory()
	if len(all) != maxHistory || string(all[0]) != line(4_500) || string(all[maxHistory-1]) != line(6_499) {
		t.Errorf("%d entries, from %s to %s", len(all), all[0], all[len(all)-1])
	}
}
