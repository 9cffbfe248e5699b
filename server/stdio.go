package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"github.com/pagemcp/pagemcp/server/internal/loopback"
	"github.com/pagemcp/pagemcp/server/internal/socket"
	"github.com/pagemcp/pagemcp/server/internal/wait"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/remote"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// StdioOptions of ServeStdio.
type StdioOptions struct {
	Gateway Options      // used to start a gateway if none runs
	Listen  string       // address for that gateway; see [CheckLoopback]
	Port    jsonrpc.Port // to the assistant

	// As is the name of the assistant, for its rights, the limits and the audit log; see
	// [CheckAssistantName]. Empty: it is unnamed.
	As string

	// Channel sends what happens in pages as notifications of a channel of Claude Code, which
	// start a turn of its model. The assistant gets the older handshake only.
	Channel bool
}

// ServeStdio serves one assistant until it disconnects or ctx ends. Its engine mounts
// the running gateway of this user as one Remote without prefix, which reconnects and
// subscribes again when the gateway restarts. If no gateway runs, this process starts
// one.
func ServeStdio(ctx context.Context, opts StdioOptions) error {
	if opts.Gateway.State == "" {
		dir, err := DefaultState()
		if err != nil {
			return err
		}
		opts.Gateway.State = dir
	}
	if _, err := loopback.CheckAddress(opts.Listen); err != nil {
		return err
	}
	if opts.As != "" {
		if err := CheckAssistantName(opts.As); err != nil {
			return err
		}
	}
	log := opts.Gateway.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l := &gatewayLink{opts: opts, remote: remote.New(), log: log}
	options := gateway.EngineOptions(opts.Gateway.Logging)
	options.MaxInFlight = limits.MaxAllInFlight // the gateway has the limits
	options.Report = func(err error) { log.Error(err.Error()) }
	options.Extend = l.remote.Request
	e := engine.New(opts.Gateway.info(), options)
	l.declare = e.SetExtensions
	defer l.close()
	if err := l.connect(ctx); err != nil {
		return err
	}
	defer e.Mount("", l.remote)()
	var background sync.WaitGroup
	background.Go(func() { l.reconnectLoop(ctx) })
	defer background.Wait()
	defer cancel()
	port := opts.Port
	if opts.Channel {
		channel := newChannelPort(port, e)
		port = channel
		go l.serveChannel(ctx, channel) // ends with ctx, unless its output is not read
	}
	over := make(chan struct{})
	drain := newDrainPort(ctx, port)
	stuck := drain.stuck(ctx, over)
	var err error
	go func() { // ends with ctx or the input, unless its output is not read
		defer close(over)
		err = e.Serve(engine.WithPrincipal(ctx, stdioPrincipal), drain)
	}()
	select {
	case <-over:
	case <-stuck:
		if ctx.Err() != nil {
			return nil
		}
		return errors.New("the input has ended, and nothing reads the output")
	}
	e.Close()
	if errors.Is(err, context.Canceled) { // a signal ends the process like the end of the input
		return nil
	}
	return err
}

// A gatewayLink connects a stdio process to the gateway: by a WebSocket, or by a pipe if
// the gateway runs in this process.
type gatewayLink struct {
	opts       StdioOptions
	remote     *remote.Remote
	ownGateway *Gateway // if it runs in this process; used by the connecting goroutine, and by close

	// onlyRunning: no gateway is started in this process.
	onlyRunning bool

	onRefused func(error) // gets a refusal of the gateway; nil: it is retried

	declare    func(extensions []byte)
	extensions []byte // declared last; used by the connecting goroutine only
	refused    string // the last refusal that was reported; likewise
	log        *slog.Logger
}

// Intervals between attempts to find or start the gateway.
const (
	retryInterval    = 50 * time.Millisecond
	maxRetryInterval = 2 * time.Second

	// connectTimeout is how long the process that uses the state directory may take to
	// serve: it may be starting on a busy machine, or shutting down.
	connectTimeout = 15 * time.Second
)

// A lostGatewayError reports that the gateway was running but a connection failed: it
// may be closing.
type lostGatewayError struct{ error }

func (e *lostGatewayError) Unwrap() error { return e.error }

// connect makes the first connection. If several processes start at once, one of them
// locks the state directory and binds the port; the others wait until it serves.
func (l *gatewayLink) connect(ctx context.Context) error {
	start := time.Now()
	for {
		err := l.attach(ctx)
		owned, inUse, lost := (*OwnedError)(nil), (*loopback.PortTakenError)(nil), (*lostGatewayError)(nil)
		waited := time.Since(start)
		switch {
		case errors.As(err, &owned):
			if waited > connectTimeout {
				return fmt.Errorf("%w; it does not respond as a gateway", err)
			}
		case errors.As(err, &inUse):
			if waited > maxRetryInterval {
				return fmt.Errorf("%w, and it is not a gateway of this state directory: choose another port with --mcp 127.0.0.1:0", err)
			}
		case errors.As(err, &lost):
			if waited > connectTimeout {
				return err
			}
		default:
			return err
		}
		if !pause(ctx, retryInterval) {
			return ctx.Err()
		}
	}
}

// reconnectLoop reconnects whenever the gateway closes the connection, until ctx ends.
func (l *gatewayLink) reconnectLoop(ctx context.Context) {
	delay := retryInterval
	refresh := time.NewTicker(limits.PingEvery)
	defer refresh.Stop()
	for {
		select {
		case <-refresh.C:
			l.refreshExtensions(ctx)
			continue
		case <-l.remote.Gone():
		case <-ctx.Done():
			return
		}
		if !pause(ctx, delay) {
			return
		}
		err := l.attach(ctx)
		switch owned, refused := (*OwnedError)(nil), (*refusedError)(nil); {
		case errors.As(err, &refused): // the user may let it in again
			l.reportRefusal(refused)
			if l.onRefused != nil {
				l.onRefused(refused)
			}
			delay = maxRetryInterval
		case err == nil || errors.As(err, &owned): // another process starts: the assistant's requests wait
			delay = retryInterval
		default:
			delay = min(2*delay, maxRetryInterval)
		}
	}
}

// refreshExtensions requests the current extensions of the gateway. They change with its
// pages, and MCP has no notification for that.
func (l *gatewayLink) refreshExtensions(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, limits.ProbeTime)
	defer cancel()
	if discovered, err := l.remote.Request(ctx, engine.MethodDiscover, []byte("{}")); err == nil {
		l.declareExtensions(jsonrpc.Member(jsonrpc.Member(discovered, "capabilities"), "extensions"))
	}
}

// declareExtensions declares the extensions of the gateway, if they have changed.
func (l *gatewayLink) declareExtensions(extensions []byte) {
	if string(extensions) != string(l.extensions) {
		l.extensions = bytes.Clone(extensions)
		l.declare(l.extensions)
	}
}

// pause waits for d on average, with jitter, so that processes waiting for the same
// event do not retry at the same moment. It returns false if ctx ends first.
func pause(ctx context.Context, d time.Duration) bool { return wait.For(ctx, d/2+rand.N(d)) }

// attach connects the Remote to the running gateway, or to one that it starts in this
// process.
func (l *gatewayLink) attach(ctx context.Context) error {
	port, err := l.dial(ctx)
	if errors.As(err, new(*refusedError)) {
		return err
	}
	if err != nil {
		return &lostGatewayError{err}
	}
	if port == nil && l.onlyRunning {
		return ErrNotRunning
	}
	if port == nil {
		if port, err = l.startGateway(); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, limits.AttachTime)
	defer cancel()
	if err := l.remote.Reattach(ctx, port); err != nil {
		return &lostGatewayError{fmt.Errorf("start MCP with the gateway: %w", err)}
	}
	l.declareExtensions(l.remote.Extensions())
	l.refused = ""
	return nil
}

// dial connects to the running gateway. It returns nil if there is none.
func (l *gatewayLink) dial(ctx context.Context) (jsonrpc.Port, error) {
	running, ok := FindRunning(ctx, l.opts.Gateway.State)
	if !ok || l.ownGateway != nil && running.PID == os.Getpid() && running.MCP == l.ownGateway.URL() {
		return nil, nil
	}
	secret, err := os.ReadFile(running.TokenFile)
	if err != nil {
		return nil, fmt.Errorf("read the token of the running gateway: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, limits.AttachTime)
	defer cancel()
	conn, answer, err := websocket.Dial(ctx, running.WS, &websocket.DialOptions{
		HTTPClient:   &http.Client{Transport: &http.Transport{}}, // without proxy
		HTTPHeader:   http.Header{"Authorization": {"Bearer " + strings.TrimSpace(string(secret))}, gateway.HopHeader: {gateway.HopValue(l.opts.As)}},
		Subprotocols: []string{gateway.AssistantProtocol},
	})
	if err != nil && answer != nil && answer.StatusCode == http.StatusForbidden {
		return nil, refusalOf(answer)
	}
	if err != nil {
		return nil, fmt.Errorf("connect to the gateway at %s: %w", running.WS, err)
	}
	s := socket.New(conn, limits.MaxAnswer, false)
	s.KeepAlive(nil)
	return s, nil
}

// startGateway starts a gateway in this process, and returns a pipe to it.
func (l *gatewayLink) startGateway() (jsonrpc.Port, error) {
	if g := l.ownGateway; g != nil && g.isClosing() { // another one replaces it
		<-g.closed
		l.ownGateway = nil
	}
	if l.ownGateway == nil {
		options := l.opts.Gateway
		options.Precedence = OnDemand
		options.lockWait = -1 // a running gateway is found by dial
		g, err := New(options)
		if err != nil {
			return nil, err
		}
		if err := g.Listen(l.opts.Listen); err != nil {
			g.Close(context.Background())
			return nil, err
		}
		go g.Serve(context.Background()) // ends with close
		l.ownGateway = g
	}
	return l.ownGateway.serveOwnPort(l.opts.As)
}

// close ends the gateway of this process, too. Calls of other assistants get drainTime, and
// responses as much: a client kills the process soon after.
func (l *gatewayLink) close() {
	l.remote.Close()
	if l.ownGateway != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 2*drainTime)
		defer cancel()
		l.ownGateway.Close(ctx)
	}
}
