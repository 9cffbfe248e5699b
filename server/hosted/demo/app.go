package main

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/pagemcp/pagemcp/server/internal/oauth/oauthtest"
)

const (
	sessionCookie = "demo-session"
	issuerPath    = "/auth" // of the identifier; its endpoints are at the root
	keysPath      = "/pagemcp-keys.json"
	tokenPath     = "/pagemcp-token"
)

//go:embed page
var page embed.FS

// A demo is the app with its backend, and the authorization server.
type demo struct {
	settings
	secret [32]byte // of session cookies; a restart ends all sessions
	auth   *oauthtest.Issuer
	app    *oauthtest.Issuer // signs join tokens
	mux    *http.ServeMux

	tokensFail atomic.Bool // see control
}

// newDemo returns the handler of all paths.
func newDemo(s settings) (*demo, error) {
	var err error
	if s.url, err = origin("url", s.url); err != nil {
		return nil, err
	}
	if s.gateway, err = origin("gateway", s.gateway); err != nil {
		return nil, err
	}
	files, err := fs.Sub(page, "page")
	if err != nil {
		return nil, err
	}
	if s.app != "" {
		files = os.DirFS(s.app)
	}
	d := &demo{settings: s, auth: oauthtest.New(s.url + issuerPath), app: oauthtest.New(s.url), mux: http.NewServeMux()}
	rand.Read(d.secret[:])
	d.auth.SetUser(d.user)
	d.mux.Handle("/", http.FileServerFS(files))
	d.mux.Handle("GET /pagemcp/", http.StripPrefix("/pagemcp/", http.FileServerFS(os.DirFS(s.files))))
	d.mux.HandleFunc("GET /demo.json", d.describe)
	d.mux.HandleFunc("GET /login", d.loginForm)
	d.mux.HandleFunc("POST /login", d.login)
	d.mux.HandleFunc("POST "+tokenPath, d.joinToken)
	d.mux.HandleFunc("GET "+keysPath, func(w http.ResponseWriter, _ *http.Request) { w.Write(d.app.KeySet()) })
	d.mux.HandleFunc("GET /authorize", d.authorize)
	for _, path := range []string{"/.well-known/", issuerPath + "/", oauthtest.KeysPath, "/token", "/register"} {
		d.mux.Handle(path, d.auth)
	}
	if s.control {
		d.mux.HandleFunc("POST /control", d.control)
	}
	return d, nil
}

// ServeHTTP implements http.Handler.
func (d *demo) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	d.mux.ServeHTTP(w, r)
}

func (d *demo) addresses() map[string]string {
	return map[string]string{
		"url": d.url, "keys": d.url + keysPath, "issuer": d.url + issuerPath,
		"page": "ws" + strings.TrimPrefix(d.gateway, "http") + "/page",
	}
}

// describe tells the page who has signed in, and where to join.
func (d *demo) describe(w http.ResponseWriter, r *http.Request) {
	respond(w, http.StatusOK, map[string]string{"user": d.user(r), "gateway": d.addresses()["page"], "mcp": d.gateway + "/mcp"})
}

// joinToken is what an app adds to its backend: it signs a token for the user of the
// session. Origin is checked, since other sites can cause requests with the cookie.
func (d *demo) joinToken(w http.ResponseWriter, r *http.Request) {
	user := d.user(r)
	switch {
	case d.tokensFail.Load():
		http.Error(w, "out of order", http.StatusServiceUnavailable)
	case !d.isOwnOrigin(r):
		http.Error(w, "the request has the Origin of another site: request join tokens from "+d.url, http.StatusForbidden)
	case user == "":
		http.Error(w, "sign in first", http.StatusUnauthorized)
	default:
		w.Header().Set("Content-Type", "application/jwt")
		w.Write([]byte(d.app.JoinToken(d.addresses()["page"], d.url, map[string]any{"sub": user})))
	}
}

// authorize asks for a sign-in first. The issuer approves then.
func (d *demo) authorize(w http.ResponseWriter, r *http.Request) {
	if d.user(r) == "" {
		http.Redirect(w, r, "/login?"+url.Values{"next": {r.URL.RequestURI()}}.Encode(), http.StatusFound)
		return
	}
	d.auth.ServeHTTP(w, r)
}

var form = template.Must(template.New("login").Parse(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign in</title><link rel="icon" href="data:,">
<h1>Sign in to the demo</h1><p>For demos and tests only: there are no passwords, and every assistant is approved.</p>
<form method="post" action="/login"><input type="hidden" name="next" value="{{.Next}}">
{{range .Users}}<button name="user" value="{{.}}">{{.}}</button> {{end}}</form></html>
`))

func (d *demo) loginForm(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; img-src data:; frame-ancestors 'none'")
	form.Execute(w, map[string]any{"Next": r.URL.Query().Get("next"), "Users": fields(d.users)})
}

// login begins a session. The form's `next` is a path of this app.
func (d *demo) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
	user, next := r.PostFormValue("user"), r.PostFormValue("next")
	if !d.isOwnOrigin(r) || !slices.Contains(fields(d.users), user) {
		http.Error(w, "want one of the users, from the form", http.StatusForbidden)
		return
	}
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.Contains(next, `\`) {
		next = "/"
	}
	http.SetCookie(w, &http.Cookie{
		Name: sessionCookie, Value: d.session(user), Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(d.url, "https:"),
	})
	http.Redirect(w, r, next, http.StatusSeeOther)
}

func (d *demo) isOwnOrigin(r *http.Request) bool { return r.Header.Get("Origin") == d.url }

// session returns the value of a cookie that d.user accepts.
func (d *demo) session(user string) string {
	mac := hmac.New(sha256.New, d.secret[:])
	mac.Write([]byte(user))
	return user + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// user returns who has signed in, or "".
func (d *demo) user(r *http.Request) string {
	cookie, err := r.Cookie(sessionCookie)
	if err != nil {
		return ""
	}
	user, _, _ := strings.Cut(cookie.Value, ".")
	if !hmac.Equal([]byte(d.session(user)), []byte(cookie.Value)) {
		return ""
	}
	return user
}

func respond(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value)
}
