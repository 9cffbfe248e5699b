package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/coder/websocket"
	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/auditlog"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/monitor"
	"github.com/pagemcp/pagemcp/server/internal/socket"
)

// The protocol of /watch, for the playground. Its origins are allowed one by one, by
// a [Door] only. A monitor authenticates itself as at /page, with the
// address of /watch. Only keys made in this gateway process are accepted, and a key that
// is valid here grants nothing elsewhere. The bearer token never enters a browser.
//
//	monitor → gateway  opening, reply   as pages do, with "open" in place of "hello"
//	gateway → monitor  welcome
//
// If open is "watch", the gateway then sends JSON objects, one per text frame:
//
//	{"state": {"pages": […], "mayJoin": […], "mayWatch": […], "noToken": false, "paused": 0, "stopped": []}}   at once, and when it changes
//	{"frame": {"time", "who", "client", "door", "page", "to", "size", "text"}}                  a message at any other endpoint
//	{"audit": […]}                                                                              entries of the audit log that have a right
//
// A monitor may take from assistants, for an hour, and never give: {"stop": "claude-code"} stops
// that one, {"stop": ""} all of them. The gateway ignores whatever else it receives.
//
// If open is /mcp or /mcp/{page}, MCP follows, with the monitor as client.
const monitorProtocol = "pagemcp.watch.v1"

// monitorPrincipal is the principal of clients that connect to /watch.
const monitorPrincipal = "playground"

func (g *Gateway) serveMonitorSocket(w http.ResponseWriter, r *http.Request) {
	origin := r.Header.Get("Origin")
	if !g.guard.MayJoin(origin) || !g.monitorOrigins.Contains(origin) {
		g.guard.Refuse(w, r)
		return
	}
	conn, leave := g.core.Upgrade(w, r, origin, monitorProtocol)
	if conn == nil {
		return
	}
	defer leave()
	ctx, cancel := context.WithTimeout(context.Background(), limits.HandshakeTime) // when it ends, the connection is closed
	answer, keyID, err := g.pairing.exchangeProofs(ctx, conn, origin, dialled(r), func(r *reply) bool {
		_, endpoint := access.PageOf(r.Open)
		return r.Hello == nil && !r.Pair && (endpoint || r.Open == "watch")
	})
	if err == nil && !g.keys.isNew(keyID) {
		err = gateway.ErrRefused
	}
	if err == nil {
		access.MarkKnown(r.Context())
		err = writeFrame(ctx, conn, welcome{Key: keyID})
	}
	cancel()
	switch {
	case errors.Is(err, gateway.ErrVersion):
		conn.Close(socket.CloseVersion, "unsupported version")
		g.audit.Record(access.Entry{Principal: origin, Endpoint: access.MonitorPath, Verb: "watch", Outcome: "version"})
	case err != nil:
		conn.Close(socket.CloseRefused, "refused")
		g.audit.Record(access.Entry{Principal: origin, Endpoint: access.MonitorPath, Verb: "watch", Outcome: "refused"})
	case answer.Open == "watch":
		g.audit.Record(access.Entry{Principal: origin, Endpoint: access.MonitorPath, Verb: "watch", Outcome: "ok"})
		g.log.Info("monitor connected", "origin", origin)
		g.serveMonitor(conn, origin, keyID)
		g.audit.Record(access.Entry{Principal: origin, Endpoint: access.MonitorPath, Verb: "leave", Outcome: "ok"})
	default:
		g.audit.Record(access.Entry{Principal: origin, Endpoint: access.MonitorPath, Verb: "connect", URI: answer.Open, Outcome: "ok"})
		g.core.ServeClient(context.Background(), conn, "", answer.Open, access.Client{Principal: monitorPrincipal, Endpoint: access.MonitorPath, Origin: origin}, limits.MaxMessage)
	}
}

// serveMonitor serves one monitor until it disconnects or is too slow.
func (g *Gateway) serveMonitor(conn *websocket.Conn, origin, keyID string) {
	s := socket.New(conn, limits.MaxHandshake, false)
	if !g.core.Track(s, origin) {
		return
	}
	defer g.core.Untrack(s)
	if !g.keys.has(keyID) { // revoked before it was tracked
		s.CloseWith(socket.CloseRefused, "revoked")
		<-s.Done()
		return
	}
	g.monitors.Serve(s, g.monitorState, g.auditHistory, func(text []byte) {
		var command struct {
			Stop *string `json:"stop"`
		}
		if json.Unmarshal(text, &command) == nil && command.Stop != nil {
			g.stopByMonitor(origin, *command.Stop)
		}
	})
}

func (g *Gateway) monitorState() monitor.State {
	state := monitor.State{
		Pages: []monitor.Page{}, MayJoin: g.origins.List(),
		MayWatch: g.monitorOrigins.List(), NoToken: g.options.NoToken, Stopped: []monitor.Stopped{},
	}
	if until := g.pause.Until(); !until.IsZero() {
		state.Paused = until.UnixMilli()
	}
	for assistant, until := range g.pause.Stopped() {
		state.Stopped = append(state.Stopped, monitor.Stopped{Assistant: assistant, Until: until.UnixMilli()})
	}
	slices.SortFunc(state.Stopped, func(a, b monitor.Stopped) int { return strings.Compare(a.Assistant, b.Assistant) })
	for _, p := range g.core.Views("").Pages() {
		state.Pages = append(state.Pages, monitor.Page{
			Name: p.Name, Title: p.Title, Origin: p.Origin, URL: p.URL, Connected: p.Connected, Since: p.Since.UnixMilli(),
		})
	}
	return state
}

// monitorEntry sends an entry to the monitors, as its line in the audit log.
func (g *Gateway) monitorEntry(e access.Entry) {
	if !g.monitors.Active() {
		return
	}
	if line, err := json.Marshal(auditlog.Bounded(e)); err == nil {
		g.monitors.Audit(line)
	}
}

// What a monitor gets of the audit log when it connects: enough for a page of a playground.
const (
	maxHistory      = 2_000   // entries
	maxHistoryBytes = 1 << 20 // of them
)

// auditHistory returns the latest entries about requests that need a right, in their order. If
// they cannot be read, the monitor starts without them.
func (g *Gateway) auditHistory() [][]byte {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second) // for lines that are not written yet
	defer cancel()
	g.audit.Flush(ctx)
	var latest [][]byte // the latest first
	size := 0
	hasRoom := func() bool { return len(latest) < maxHistory && size < maxHistoryBytes }
	err := eachAuditFile(g.state.disk, func(text []byte) (more bool) {
		for len(text) > 0 && hasRoom() {
			at := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
			line := bytes.TrimSuffix(text[at:], []byte("\n"))
			text = text[:at]
			if bytes.Contains(line, []byte(`"right":`)) && jsontext.Value(line).IsValid() {
				latest, size = append(latest, bytes.Clone(line)), size+len(line)
			}
		}
		return hasRoom()
	})
	if err != nil {
		g.log.Warn("a monitor gets no earlier entries", "error", err)
	}
	slices.Reverse(latest)
	return latest
}

// eachAuditFile calls do with the files of the audit log, the latest first, until it returns
// false. A file that is renamed meanwhile is not read twice: its first line has the same time.
func eachAuditFile(d disk, do func(text []byte) (more bool)) error {
	var last []byte
	for _, name := range [...]string{auditFile, auditOlder, auditOldest} {
		text, err := d.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read the audit log: %w", err)
		}
		first, _, _ := bytes.Cut(text, []byte("\n"))
		if len(text) > 0 && !bytes.Equal(first, last) {
			last = bytes.Clone(first)
			if !do(text) {
				return nil
			}
		}
	}
	return nil
}
