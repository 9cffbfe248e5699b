package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/monitor"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

// A Gateway serves the pages that have joined it to assistants. Make one with New; bind
// it with Listen and run it with Serve, or pass requests to Handler; end it with Close.
type Gateway struct {
	options  Options
	log      *slog.Logger
	state    *state
	token    *token
	keys     *keyring
	named    *assistants
	names    *names
	pairing  *pairing
	audit    *audit
	monitors monitor.Monitors
	activity *activity
	pauseDoc doc
	pause    access.Pause
	recent   *logRing
	started  time.Time
	doors    doors
	use      uses
	guard    *access.Guard
	core     *gateway.Gateway
	handler  func() http.Handler
	once     sync.Once
	closing  chan struct{} // closed when Close begins
	closed   chan struct{} // closed when Close has finished

	// What all doors together allow: see permit.
	origins          access.Origins // whose pages may join: given, and origins that were paired
	given            access.Origins // by Options and doors: these may join again after revoke
	paired           access.Origins // by `pagemcp pair`: with a key they may join at later gateways
	assistantOrigins access.Origins
	sampling         access.Origins
	monitorOrigins   access.Origins

	listeners []net.Listener
	port      int // 0 if not bound

	tls *tls.Config // of all ports; nil: they have no TLS

	lines      context.Context // of connections of the socket; ends when Close breaks them
	breakLines context.CancelFunc

	yields atomic.Bool // an assistant has a newer version: the gateway ends when it is idle

	mu        sync.Mutex
	servers   []*http.Server // that serve
	hasSocket bool           // one of them serves the socket
}

// New opens the state directory and loads the stored state.
func New(opts Options) (*Gateway, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	recent := newLogRing()
	opts.Logger = slog.New(slog.NewMultiHandler(opts.Logger.Handler(), slog.NewJSONHandler(recent, &slog.HandlerOptions{Level: opts.LogLevel})))
	g := &Gateway{options: opts, log: opts.Logger, recent: recent, started: time.Now(), closing: make(chan struct{}), closed: make(chan struct{})}
	g.lines, g.breakLines = context.WithCancel(context.Background())
	g.use = uses{idle: opts.EndWhenIdle, end: func() {
		g.log.Info("nothing has used the gateway for a while")
		g.Close(context.Background())
	}}
	var err error
	if g.tls, err = opts.tls(); err != nil {
		return nil, err
	}
	if g.state, err = openState(opts.State, opts.disk, opts.lockWait, opts.Logger); err != nil {
		return nil, err
	}
	if err := g.restore(); err != nil {
		g.state.close()
		return nil, err
	}
	return g, nil
}

// restore loads what an earlier run has stored, and makes the core.
func (g *Gateway) restore() (err error) {
	if g.options.TokenFile == "" {
		g.options.TokenFile = g.state.path("token")
		g.token, err = loadToken(g.state, "token")
	} else {
		g.token, err = loadTokenAt(g.options.TokenFile)
	}
	if err != nil {
		return err
	}
	g.token.disabled, g.token.lenient = g.options.NoToken, g.options.Lenient
	if g.named, err = openAssistants(g.state); err != nil {
		return err
	}
	if g.keys, err = openKeyring(g.state); err != nil {
		return err
	}
	if g.names, err = openNames(g.state); err != nil {
		return err
	}
	g.allow(Door{Origins: g.options.Origins, Assistants: g.options.AssistantOrigins, Sampling: g.options.SamplingOrigins})
	if err := g.restorePause(); err != nil {
		return err
	}
	files, err := openSessionFiles(g.state)
	if err != nil {
		return fmt.Errorf("open the stored sessions: %w", err)
	}
	if g.audit, err = openAudit(g.state); err != nil {
		return fmt.Errorf("open the audit log: %w", err)
	}
	g.activity = &activity{Audit: g.audit, log: g.log, used: g.named.touch, watched: g.monitorEntry}
	g.pairing = &pairing{keys: g.keys, names: g.names, gateway: g.keys.gateway}
	most := limits.Local()
	most.Set("readsPerSecond", g.options.ReadsPerSecond)
	g.core = gateway.New(gateway.Options{
		Info:  g.options.info(),
		Allow: g.allows, ReadOnly: g.named.readOnly, Sees: g.named.sees, HasEnded: g.named.hasEnded,
		Lenient: g.options.Lenient, PageSize: g.options.PageSize, Logging: g.options.Logging, NoResourceTools: g.options.NoResourceTools,
		MaySample:  g.sampling.Contains,
		Doorkeeper: g.pairing, Log: g.log, SchemaRemoved: g.activity.schemaRemoved,
		Sessions: gateway.SessionOptions{Store: files, Lifetime: sessionLifetime},
		Handlers: g.handlers(),
	}, &access.Gate{
		Auth: &authenticator{g.token, g.named}, Audit: g.activity, Monitor: &g.monitors, Pause: &g.pause,
		Limits: limits.New(most, nil),
	}, &g.monitors)
	g.pairing.full = g.core.Full
	g.core.Views("").MountRemembered(g.names.remembered()) // requests may arrive before the pages have reconnected
	g.handler = sync.OnceValue(g.newHandler)
	return nil
}

// allows is gateway.Options.Allow: the rights of named assistants, and the options' policy.
func (g *Gateway) allows(who engine.Principal, verb engine.Verb, uri string) bool {
	return g.named.allow(who, verb, uri) && (g.options.Allow == nil || g.options.Allow(who, verb, uri))
}

// handlers returns the paths of the local gateway besides those of the core.
func (g *Gateway) handlers() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{access.MonitorPath: g.serveMonitorSocket, healthPath: g.serveHealth}
}

// Port returns the port that Listen has bound.
func (g *Gateway) Port() int { return g.port }

// URL returns the URL for assistants: Streamable HTTP.
func (g *Gateway) URL() string { return g.urlAt(g.port) }

// PageURL returns the WebSocket URL for pages.
func (g *Gateway) PageURL() string { return g.pageURLAt(g.port) }

func (g *Gateway) urlAt(port int) string {
	return "http" + g.secure() + "127.0.0.1:" + strconv.Itoa(port) + "/mcp"
}

func (g *Gateway) pageURLAt(port int) string {
	return "ws" + g.secure() + "127.0.0.1:" + strconv.Itoa(port) + access.PagePath
}

// secure returns what follows http or ws in a URL.
func (g *Gateway) secure() string {
	if g.tls != nil {
		return "s://"
	}
	return "://"
}

// TokenFile returns the path of the file with the bearer token.
func (g *Gateway) TokenFile() string { return g.options.TokenFile }

// Fragment returns the fragment for the URL of a page that may join. It contains a new
// secret, which is valid once, for two minutes. Browsers do not send fragments to
// servers.
func (g *Gateway) Fragment() string { return g.fragment(0) }

// fragment is Fragment for a page that joins at a port; 0 is that of Listen.
func (g *Gateway) fragment(port int) string {
	id, secret := g.keys.newSecret()
	credentials, err := json.Marshal(struct {
		URL    string `json:"url"`
		ID     string `json:"id"`
		Secret string `json:"secret"`
	}{g.pageURLAt(cmp.Or(port, g.port)), id, secret})
	if err != nil {
		panic(err) // three strings
	}
	return "#pagemcp=" + base64.RawURLEncoding.EncodeToString(credentials)
}
