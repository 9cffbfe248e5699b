package server

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/coder/websocket"
)

// /watch is for the playground that the web server of this gateway serves. Page keys
// give no rights of assistants anywhere else, so origins are let in here one by one,
// by [Gateway.AllowWatchers] and nothing else; they prove themselves as at /page,
// with this address, before they learn anything; and a key is good here only in the
// gateway process that made it. The bearer token never gets into a browser.
//
//	watcher → gateway  opening, reply   as pages do, with "open" in place of hello: what for
//	gateway → watcher  welcome
//
// With open "watch" the gateway then sends JSON objects, one a text frame, and
// hears nothing:
//
//	{"state": {"pages": […], "mayJoin": […], "mayWatch": […], "noToken": false}}   now, and when it changes
//	{"frame": {"time", "who", "client", "door", "page", "to", "size", "text"}}     what passed at any other door
//
// With open /mcp or /mcp/{page} it is MCP from then on, with the watcher as client.
const watchProtocol = "pagemcp.watch.v1"

// watcherName is the principal of clients that connect by /watch.
const watcherName = "playground"

// AllowWatchers lets origins look on, and ask, besides joining; between Listen and
// Serve.
func (g *Gateway) AllowWatchers(origins ...string) {
	g.options.watchers = append(g.options.watchers, origins...)
}

func (g *Gateway) serveWatch(w http.ResponseWriter, r *http.Request) {
	origin := r.Header.Get("Origin")
	if !g.guard.listed(origin) || !slices.Contains(g.options.watchers, origin) {
		g.guard.refuse(w, r)
		return
	}
	conn, leave := g.hub.openDoor(w, r, origin, watchProtocol)
	if conn == nil {
		return
	}
	defer leave()
	ctx, cancel := context.WithTimeout(context.Background(), handshakeTime) // over it the connection is closed
	answer, keyID, err := g.pairing.prove(ctx, conn, origin, "ws://"+r.Host+watchDoor, func(r *reply) bool {
		_, endpoint := pageOf(r.Open)
		return r.Hello == nil && !r.Pair && (endpoint || r.Open == "watch")
	})
	if err == nil && !g.keys.madeNow(keyID) {
		err = errRefused
	}
	if err == nil {
		known(r)
		err = writeFrame(ctx, conn, welcome{Key: keyID})
	}
	cancel()
	switch {
	case errors.Is(err, errVersion):
		conn.Close(closeVersion, "unsupported version")
		g.audit.note(entry{Who: origin, Door: watchDoor, Verb: "watch", Outcome: "version"})
	case err != nil:
		conn.Close(closeRefused, "refused")
		g.audit.note(entry{Who: origin, Door: watchDoor, Verb: "watch", Outcome: "refused"})
	case answer.Open == "watch":
		g.audit.note(entry{Who: origin, Door: watchDoor, Verb: "watch", Outcome: "ok"})
		g.say("%s looks on", origin)
		g.monitors(conn)
		g.audit.note(entry{Who: origin, Door: watchDoor, Verb: "leave", Outcome: "ok"})
	default:
		g.audit.note(entry{Who: origin, Door: watchDoor, Verb: "connect", URI: answer.Open, Outcome: "ok"})
		g.hub.serveClient(conn, "", answer.Open, visit{who: watcherName, door: watchDoor}, maxMessage)
	}
}

// monitors shows one monitor everything, until it goes or is too slow.
func (g *Gateway) monitors(conn *websocket.Conn) {
	s := newSocket(conn, maxHandshake, false)
	if !g.hub.track(s) {
		return
	}
	defer g.hub.untrack(s)
	g.watchers.serve(s, func() gatewayState {
		return gatewayState{
			Pages: g.hub.of("").states(), MayJoin: append([]string{}, g.options.Origins...),
			MayWatch: append([]string{}, g.options.watchers...), NoToken: g.options.NoToken,
		}
	})
}
