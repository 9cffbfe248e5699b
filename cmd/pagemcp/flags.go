package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/server"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/web"
	"github.com/spf13/pflag"
)

// Default addresses of the gateway and the web server.
const (
	defaultMCP = "127.0.0.1:8808"
	defaultWeb = "127.0.0.1:8809"
)

// settings are the flags of dev, serve and stdio.
type settings struct {
	mcp        string
	state      string
	tokenFile  string
	noToken    bool
	lenient    bool
	pageSize   int
	logging    bool
	noTools    bool
	origins    list
	assistants list // origins of assistants
	sampling   list // origins whose pages may request sampling and roots
	reads      float64
	json       bool
	logFormat  string // text or json
	wait       bool   // for a gateway that runs already
	only       list   // origins; see server.Options.OnlyOrigins
}

// list is a flag with an origin that can be repeated.
type list []string

// String implements pflag.Value.
func (l *list) String() string { return strings.Join(*l, " ") }

// Type implements pflag.Value.
func (l *list) Type() string { return "origin" }

// Set implements pflag.Value.
func (l *list) Set(value string) error {
	if err := server.CheckOrigin(value); err != nil {
		return err
	}
	*l = append(*l, value)
	return nil
}

func (s *settings) register(flags *pflag.FlagSet) {
	flags.StringVar(&s.mcp, "mcp", defaultMCP, "`address` of the gateway, on loopback; port 0 picks a free one")
	flags.StringVar(&s.state, "state", "", "`directory` for token, keys, names, sessions and audit log (default: pagemcp in your state directory)")
	flags.StringVar(&s.tokenFile, "token-file", "", "`file` with the bearer token of assistants, created if missing (default: token in the state directory)")
	flags.BoolVar(&s.noToken, "no-token", false, "let every program of this user read what pages serve; on systems other than Linux also those of other users")
	flags.BoolVar(&s.lenient, "lenient", false, "serve /{page}/mcp, too, and accept the token as X-Agent-API-Key")
	flags.IntVar(&s.pageSize, "page-size", engine.DefaultPageSize, "`entries` of a page of a list, 1 to 1000; a small number shows clients with pagination")
	flags.BoolVar(&s.logging, "logging", s.logging, "forward log messages of pages to assistants")
	flags.BoolVar(&s.noTools, "no-resource-tools", false, "omit list_resources, read_resource and wait_for_change, the tools for assistants that do not support resources")
	flags.Float64Var(&s.reads, "reads-per-second", 100, "average rate of reads by assistants; bursts of 5 times as many are allowed, and a read over the rate is delayed by up to 2 s")
	flags.StringVar(&s.logFormat, "log-format", "text", "`format` of the log on standard error: text, or json with the time")
	flags.Var(&s.origins, "allow-origin", "`origin` whose pages may join, like https://app.example; repeatable")
	flags.Var(&s.assistants, "allow-assistant-origin", "`origin` whose pages may send requests as an assistant, to pages of all origins; repeatable")
	flags.Var(&s.sampling, "allow-sampling", "`origin` whose pages may use the model of the assistant (sampling) and see its roots; repeatable")
}

// check finds mistakes before anything is opened.
func (s *settings) check() error {
	if s.logFormat != "text" && s.logFormat != "json" {
		return mistake{fmt.Errorf("--log-format %q: want text or json", s.logFormat)}
	}
	if s.pageSize < 1 || s.pageSize > engine.MaxPageSize {
		return mistake{fmt.Errorf("--page-size %d: want 1 to %d", s.pageSize, engine.MaxPageSize)}
	}
	return nil
}

// options returns the options of the gateway.
func (s *settings) options(std streams) server.Options {
	return server.Options{
		Precedence: s.precedence(), OnlyOrigins: len(s.only) > 0,
		State: s.state, TokenFile: s.tokenFile, NoToken: s.noToken, Origins: s.origins, AssistantOrigins: s.assistants, SamplingOrigins: s.sampling,
		Lenient: s.lenient, PageSize: s.pageSize, Logging: s.logging, NoResourceTools: s.noTools,
		Limits: server.Limits{ReadsPerSecond: s.reads}, Version: web.Version(),
		Logger: newLogger(std.err, s.logFormat),
	}
}

// precedence is that of a service with --wait.
func (s *settings) precedence() server.Precedence {
	if s.wait {
		return server.Background
	}
	return server.Foreground
}

// gateway returns a gateway that is bound and does not serve yet. It replaces one that an
// assistant or a service has started, and fails if another one runs: two gateways cannot
// share a state directory.
func (s *settings) gateway(ctx context.Context, std streams) (*server.Gateway, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if _, err := server.CheckLoopback(s.mcp); err != nil {
		return nil, mistake{fmt.Errorf("--mcp: %w", err)}
	}
	if s.state == "" {
		dir, err := server.DefaultState()
		if err != nil {
			return nil, err
		}
		s.state = dir
	}
	s.origins = slices.Concat(s.origins, s.only)
	for {
		if s.wait {
			if err := s.awaitEnd(ctx, std); err != nil {
				return nil, err
			}
		}
		g, err := s.newGateway(ctx, std)
		if err == nil || !s.wait || !s.otherWasFirst(ctx, err) {
			return g, err
		}
		select {
		case <-time.After(waitEvery):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// otherWasFirst reports whether a gateway did not start because of another one, which began
// after none was running: that of a command that replaces this one does so.
func (s *settings) otherWasFirst(ctx context.Context, err error) bool {
	if owned := (*server.OwnedError)(nil); errors.As(err, &owned) {
		return true
	}
	_, runs := s.other(ctx)
	return runs
}

// newGateway starts the gateway if none runs that it does not replace.
func (s *settings) newGateway(ctx context.Context, std streams) (*server.Gateway, error) {
	if other, ok := s.other(ctx); ok {
		return nil, fmt.Errorf("a gateway runs already at %s (process %d): stop it, or start another one with --state DIR and --mcp 127.0.0.1:0", other.MCP, other.PID)
	}
	raiseHeapFloor()
	g, err := server.New(s.options(std))
	if err != nil {
		return nil, err
	}
	if err := g.Listen(s.mcp); err != nil {
		g.Close(ctx)
		return nil, portTaken(err, "--mcp")
	}
	return g, nil
}

// other returns the running gateway if the one of this command does not replace it.
func (s *settings) other(ctx context.Context) (server.Running, bool) {
	running, ok := server.FindRunning(ctx, s.state)
	return running, ok && !running.Precedence.ReplacedBy(s.precedence())
}

// awaitEnd waits until no gateway uses the state directory but one that can be replaced.
func (s *settings) awaitEnd(ctx context.Context, std streams) error {
	ticker := time.NewTicker(waitEvery)
	defer ticker.Stop()
	for first := true; ; first = false {
		other, ok := s.other(ctx)
		if !ok {
			return nil
		}
		if first {
			fmt.Fprintf(std.err, "a gateway runs at %s (process %d): waiting until it ends\n", other.MCP, other.PID)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// waitEvery is how often --wait looks for the other gateway.
const waitEvery = time.Second

// portTaken adds to err what to do about a port that is in use. name is the flag of the
// address.
func portTaken(err error, name string) error {
	if inUse := (*server.PortTakenError)(nil); errors.As(err, &inUse) {
		return fmt.Errorf("%w: stop it, or choose another port with %s 127.0.0.1:0", err, name)
	}
	return err
}

// noTokenWarning is printed at start with --no-token.
const noTokenWarning = `
  !!  --no-token: every program of yours can read what your pages serve; on
  !!  systems other than Linux those of other users can, too.

`
