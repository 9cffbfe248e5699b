package server

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/limits"
)

// The control endpoints, for the commands of the program: see [Control]. They check Host,
// Origin and Sec-Fetch-Site as every endpoint does, reject every request of a browser, and
// need the token even with NoToken.
//
//	GET  /control/status   Status
//	POST /control/pair     {"origin"} → Invitation; allows the origin
//	POST /control/open     {} → Invitation for the pages that the host program serves: see AnnounceWeb
//	POST /control/revoke   {"origin"} or {"all": true} → Revoked
//	POST /control/token    Rotated; the old token is no longer valid
//	POST /control/pause    {"seconds"} → Paused; 0 ends the pause
//	GET  /control/tokens         []NamedAssistant
//	POST /control/tokens/add     NewToken → AddedToken
//	POST /control/tokens/revoke  {"name"} → {}; connections of the assistant end
//	POST /control/replace  {"precedence"} → {}; the gateway ends: see [Precedence]
//	GET  /control/access   AccessReport
//	GET  /control/log      lines of the log as JSON objects; with ?follow=1 until the client disconnects
const (
	controlStatus  = "/control/status"
	controlPair    = "/control/pair"
	controlOpen    = "/control/open"
	controlRevoke  = "/control/revoke"
	controlToken   = "/control/token"
	controlReplace = "/control/replace"
	controlPause   = "/control/pause"
	controlLog     = "/control/log"
)

// maxControlBody is the size of a request to a control endpoint.
const maxControlBody = 16 << 10 // bytes

func (g *Gateway) controlHandlers() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		controlStatus:      g.control(http.MethodGet, func(*http.Request, []byte) (any, error) { return g.status(), nil }),
		controlPair:        g.control(http.MethodPost, g.controlPair),
		controlOpen:        g.control(http.MethodPost, g.controlOpen),
		controlRevoke:      g.control(http.MethodPost, g.controlRevoke),
		controlToken:       g.control(http.MethodPost, g.controlToken),
		controlTokens:      g.control(http.MethodGet, func(*http.Request, []byte) (any, error) { return g.named.list(), nil }),
		controlTokensAdd:   g.control(http.MethodPost, g.controlAddToken),
		controlTokenRevoke: g.control(http.MethodPost, g.controlRevokeToken),
		controlPause:       g.control(http.MethodPost, g.controlPause),
		controlReplace:     g.control(http.MethodPost, g.controlReplace),
		controlAccess:      g.control(http.MethodGet, g.controlAccess),
		controlLog:         g.serveLog,
		healthPath:         g.serveHealth,
	}
}

// healthPath is for programs that supervise the gateway. It needs no token and says
// nothing but that the gateway serves requests.
const healthPath = "/healthz"

func (g *Gateway) serveHealth(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "use GET", http.StatusMethodNotAllowed)
	case g.isClosing():
		http.Error(w, "closing", http.StatusServiceUnavailable)
	default:
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		io.WriteString(w, "ok\n")
	}
}

// An Invitation lets one page of an origin join.
type Invitation struct {
	Origin string `json:"origin"`
	URL    string `json:"url"` // of the origin, with Fragment; empty for extensions
	// Fragment contains a secret, which is valid once, for two minutes. It may be added to
	// the URL of any page of the origin.
	Fragment string `json:"fragment"`
}

// Revoked tells what revoking has removed.
type Revoked struct {
	Origins []string `json:"origins"` // that may no longer join
	Keys    int      `json:"keys"`    // of pages, which must be paired again
	Pages   []string `json:"pages"`   // names that are no longer reserved
	// Remaining are origins that may still join with a new invitation, since the command
	// line of the gateway allows them.
	Remaining []string `json:"remaining"`
}

// Rotated tells where the new token is.
type Rotated struct {
	TokenFile string `json:"tokenFile"`
}

// control returns a handler of JSON requests and responses. The error of serve is the
// text of a response with status 400, or 500 if the state could not be stored.
func (g *Gateway) control(method string, serve func(*http.Request, []byte) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !g.admitControl(w, r, method) {
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxControlBody))
		if err != nil {
			http.Error(w, "the request is too large", http.StatusRequestEntityTooLarge)
			return
		}
		result, err := serve(r, body)
		g.recordControl(r.URL.Path, body, err)
		if err != nil {
			http.Error(w, err.Error(), statusOf(err))
			return
		}
		text, err := json.Marshal(result)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		w.Write(text)
	}
}

// recordControl records a command in the audit log, with its origin.
func (g *Gateway) recordControl(path string, body []byte, err error) {
	var about struct {
		Origin string `json:"origin"`
		Name   string `json:"name"` // of an assistant
	}
	outcome := "ok"
	if err != nil {
		outcome = strconv.Itoa(statusOf(err))
	} else if len(body) > 0 {
		json.Unmarshal(body, &about) // has succeeded
	}
	g.audit.Record(access.Entry{Principal: unnamedPrincipal, Endpoint: path, Verb: strings.TrimPrefix(path, "/control/"), URI: cmp.Or(about.Origin, about.Name), Outcome: outcome})
}

// A badControl is an error of the request.
type badControl struct{ error }

func statusOf(err error) int {
	if errors.As(err, new(badControl)) {
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

// admitControl responds to requests of browsers, without the token or with another
// method, and returns false.
func (g *Gateway) admitControl(w http.ResponseWriter, r *http.Request, method string) bool {
	if len(r.Header.Values("Origin")) > 0 || len(r.Header.Values("Sec-Fetch-Site")) > 0 {
		g.guard.Refuse(w, r)
		return false
	}
	if _, challenge := g.token.authenticate(r); challenge != nil {
		g.core.Gate.Reject(w, r, challenge)
		return false
	}
	access.MarkKnown(r.Context())
	if r.Method != method {
		w.Header().Set("Allow", method)
		http.Error(w, "use "+method, http.StatusMethodNotAllowed)
		return false
	}
	return true
}

func (g *Gateway) controlPair(_ *http.Request, body []byte) (any, error) {
	var request struct {
		Origin string `json:"origin"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, badControl{fmt.Errorf("want {\"origin\": …}: %w", err)}
	}
	if err := access.CheckOrigin(request.Origin); err != nil {
		return nil, badControl{err}
	}
	return g.pair(request.Origin)
}

// pair allows an origin, also after a restart, and makes an invitation for it.
func (g *Gateway) pair(origin string) (Invitation, error) {
	if err := g.paired.add(origin); err != nil {
		return Invitation{}, err
	}
	g.origins.Add(origin)
	g.log.Info("pages may join", "origin", origin)
	g.monitors.PagesChanged()
	return newInvitation(origin, g.Fragment()), nil
}

// controlOpen makes an invitation for a page that the host program serves, whose origin may join anyway.
func (g *Gateway) controlOpen(*http.Request, []byte) (any, error) {
	if g.web == "" {
		return nil, badControl{errors.New("the running gateway serves no pages: stop it and start `pagemcp dev`, or `pagemcp serve --dir`")}
	}
	return newInvitation(strings.TrimSuffix(g.web, "/"), g.Fragment()), nil
}

func newInvitation(origin, fragment string) Invitation {
	invitation := Invitation{Origin: origin, Fragment: fragment}
	if strings.HasPrefix(origin, "http") {
		invitation.URL = origin + "/" + fragment
	}
	return invitation
}

func (g *Gateway) controlRevoke(_ *http.Request, body []byte) (any, error) {
	var request struct {
		Origin string `json:"origin"`
		All    bool   `json:"all"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, badControl{fmt.Errorf("want {\"origin\": …} or {\"all\": true}: %w", err)}
	}
	if request.All == (request.Origin != "") {
		return nil, badControl{errors.New("name an origin, or all")}
	}
	return g.revoke(func(origin string) bool { return request.All || origin == request.Origin })
}

// revoke takes from the pages of the selected origins what lets them join: keys, unused
// invitations, the permission that pair has stored, and their names. Those that are
// connected are disconnected; their URIs are unknown from then on.
func (g *Gateway) revoke(selects func(origin string) bool) (Revoked, error) {
	result := Revoked{Origins: []string{}, Pages: []string{}, Remaining: []string{}}
	_, err := g.paired.remove(selects)
	if err != nil {
		return result, err
	}
	if result.Keys, err = g.keys.revoke(selects); err != nil {
		return result, err
	}
	for _, origin := range g.origins.List() {
		switch {
		case !selects(origin):
		case g.given.Contains(origin):
			result.Remaining = append(result.Remaining, origin)
		case g.origins.Remove(origin):
			result.Origins = append(result.Origins, origin)
		}
	}
	result.Pages = append(result.Pages, g.names.revoke(selects)...)
	g.core.Views("").RemovePages(result.Pages)
	g.core.CloseOrigins(selects)
	g.log.Info("pages were revoked", "keys", result.Keys, "pages", len(result.Pages))
	return result, nil
}

func (g *Gateway) controlToken(*http.Request, []byte) (any, error) {
	if err := g.token.rotate(); err != nil {
		return nil, err
	}
	g.log.Info("the token was replaced", "file", g.options.TokenFile)
	return Rotated{TokenFile: g.options.TokenFile}, nil
}

// serveLog writes the lines that the log ring keeps, and with ?follow=1 each later line. A
// client that reads too slowly loses lines, and gets a line with their number.
func (g *Gateway) serveLog(w http.ResponseWriter, r *http.Request) {
	if !g.admitControl(w, r, http.MethodGet) {
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Cache-Control", "no-store")
	controller := http.NewResponseController(w)
	ctx, unbind := access.Caller{Valid: g.token.current.Load().valid}.Bind(r.Context())
	defer unbind()
	defer controller.SetWriteDeadline(time.Time{}) // the next response on this connection may be a stream
	position := 0
	for {
		lines, next, lost, changed := g.recent.after(position)
		if lost > 0 && position > 0 {
			note, _ := json.Marshal(map[string]any{"level": "WARN", "msg": "lines were left out", "count": lost})
			lines = slices.Insert(lines, 0, append(note, '\n'))
		}
		position = next
		controller.SetWriteDeadline(time.Now().Add(limits.WriteTime))
		if _, err := w.Write(bytes.Join(lines, nil)); err != nil || controller.Flush() != nil || r.URL.Query().Get("follow") == "" {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		case <-g.closing:
			return
		}
	}
}
