package server

import (
	"bytes"
	"cmp"
	"context"
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

// A command is what another process of this user asks of the gateway, by its socket. It
// takes JSON, and returns a value for JSON: see [Control].
type command func(ctx context.Context, params []byte) (result any, err error)

// maxControlBody is the size of the parameters of a command.
const maxControlBody = 16 << 10 // bytes

// commandOf returns a command with parameters of type T.
func commandOf[T any](run func(ctx context.Context, params T) (any, error)) command {
	return func(ctx context.Context, text []byte) (any, error) {
		var params T
		if err := json.Unmarshal(text, &params); err != nil {
			return nil, badControl{fmt.Errorf("the parameters of the command are not valid: %w", err)}
		}
		return run(ctx, params)
	}
}

type (
	none       struct{}
	originName struct {
		Origin string `json:"origin"`
	}
	revokeRequest struct {
		Origin string `json:"origin,omitzero"`
		All    bool   `json:"all,omitzero"`
	}
	portNumber struct {
		Port int `json:"port,omitzero"` // 0: the first one
	}
	pauseRequest struct {
		Seconds float64 `json:"seconds"` // 0 ends every pause
	}
)

func (g *Gateway) commands() map[string]command {
	return map[string]command{
		"running": commandOf(func(context.Context, none) (any, error) { return g.running(), nil }),
		"status":  commandOf(func(context.Context, none) (any, error) { return g.status(), nil }),
		"invite": commandOf(func(_ context.Context, p portNumber) (any, error) {
			return Invitation{Fragment: g.fragment(p.Port)}, nil
		}),
		"open":          commandOf(func(context.Context, none) (any, error) { return g.inviteToWeb() }),
		"pair":          commandOf(func(_ context.Context, p originName) (any, error) { return g.pair(p.Origin) }),
		"revoke":        commandOf(func(_ context.Context, p revokeRequest) (any, error) { return g.revokeByCommand(p) }),
		"token":         commandOf(func(context.Context, none) (any, error) { return g.rotateToken() }),
		"pause":         commandOf(func(_ context.Context, p pauseRequest) (any, error) { return g.pauseByCommand(p.Seconds) }),
		"tokens":        commandOf(func(context.Context, none) (any, error) { return g.named.list(), nil }),
		"tokens/add":    commandOf(func(_ context.Context, p newTokenRequest) (any, error) { return g.addToken(p) }),
		"tokens/revoke": commandOf(func(_ context.Context, p tokenName) (any, error) { return none{}, g.revokeToken(p.Name) }),
		"end":           commandOf(func(context.Context, none) (any, error) { return none{}, g.endByCommand() }),
	}
}

// serveCommand answers a command. Its error is the text of a response with status 400, or
// 500 if the state could not be stored.
func (g *Gateway) serveCommand(w http.ResponseWriter, r *http.Request, name string, run command) {
	params, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxControlBody))
	if err != nil {
		http.Error(w, "the parameters of the command are too large", http.StatusRequestEntityTooLarge)
		return
	}
	result, err := run(r.Context(), params)
	g.recordControl(name, params, err)
	if err != nil {
		http.Error(w, err.Error(), statusOf(err))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.MarshalWrite(w, result) // an error means that the other process has ended
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

// recordControl records a command in the audit log, with its origin.
func (g *Gateway) recordControl(name string, params []byte, err error) {
	var about struct {
		Origin string `json:"origin"`
		Name   string `json:"name"` // of an assistant
	}
	outcome := "ok"
	if err != nil {
		outcome = strconv.Itoa(statusOf(err))
	} else {
		json.Unmarshal(params, &about) // has succeeded
	}
	g.audit.Record(access.Entry{Principal: unnamedPrincipal, Endpoint: commandPath + name, Verb: name, URI: cmp.Or(about.Origin, about.Name), Outcome: outcome})
}

// A badControl is an error of the request.
type badControl struct{ error }

func statusOf(err error) int {
	if errors.As(err, new(badControl)) {
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

// pair allows an origin, and makes an invitation for it. Once a page of it has a key, it may join
// after a restart as well.
func (g *Gateway) pair(origin string) (Invitation, error) {
	if err := access.CheckOrigin(origin); err != nil {
		return Invitation{}, badControl{err}
	}
	g.paired.Add(origin)
	g.origins.Add(origin)
	g.log.Info("pages may join", "origin", origin)
	g.monitors.PagesChanged()
	return newInvitation(origin, g.Fragment()), nil
}

// inviteToWeb makes an invitation for a page of the web server of a command, whose origin
// may join anyway.
func (g *Gateway) inviteToWeb() (Invitation, error) {
	web := g.doors.web()
	if web.Web == "" {
		return Invitation{}, badControl{errors.New("the running gateway serves no pages: start `pagemcp dev`, or `pagemcp serve --dir`")}
	}
	return newInvitation(strings.TrimSuffix(web.Web, "/"), g.fragment(web.port)), nil
}

func newInvitation(origin, fragment string) Invitation {
	invitation := Invitation{Origin: origin, Fragment: fragment}
	if strings.HasPrefix(origin, "http") {
		invitation.URL = origin + "/" + fragment
	}
	return invitation
}

func (g *Gateway) revokeByCommand(p revokeRequest) (Revoked, error) {
	if p.All == (p.Origin != "") {
		return Revoked{}, badControl{errors.New("name an origin, or all")}
	}
	return g.revoke(func(origin string) bool { return p.All || origin == p.Origin })
}

// revoke takes from the pages of the selected origins what lets them join: keys, unused
// invitations, the permission of pair, and their names. Those that are
// connected are disconnected; their URIs are unknown from then on.
func (g *Gateway) revoke(selects func(origin string) bool) (Revoked, error) {
	result := Revoked{Origins: []string{}, Pages: []string{}, Remaining: []string{}}
	var err error
	if result.Keys, err = g.keys.revoke(selects); err != nil {
		return result, err
	}
	for _, origin := range g.origins.List() {
		if selects(origin) {
			g.paired.Remove(origin)
		}
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

func (g *Gateway) rotateToken() (Rotated, error) {
	if err := g.token.rotate(); err != nil {
		return Rotated{}, err
	}
	g.log.Info("the token was replaced", "file", g.options.TokenFile)
	return Rotated{TokenFile: g.options.TokenFile}, nil
}

// endByCommand closes the gateway. What needs one starts it again: by another version of
// the program, if that was replaced.
func (g *Gateway) endByCommand() error {
	g.log.Info("the gateway ends by a command")
	go g.Close(context.Background()) // waits for this response
	return nil
}

// serveLog writes the lines that the log ring keeps, and with ?follow=1 each later line. A
// client that reads too slowly loses lines, and gets a line with their number.
func (g *Gateway) serveLog(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	controller := http.NewResponseController(w)
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
		case <-r.Context().Done():
			return
		case <-g.closing:
			return
		}
	}
}
