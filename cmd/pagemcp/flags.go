package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/pagemcp/pagemcp/server"
	"github.com/pagemcp/pagemcp/web"
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
	logging    bool
	noTools    bool
	origins    list
	assistants list // origins of assistants
	reads      float64
	json       bool
}

// list is a flag that can be repeated.
type list []string

func (l *list) String() string { return strings.Join(*l, " ") }

func (l *list) Set(value string) error {
	if err := server.CheckOrigin(value); err != nil {
		return err
	}
	*l = append(*l, value)
	return nil
}

func (s *settings) register(flags *flag.FlagSet) {
	flags.StringVar(&s.mcp, "mcp", defaultMCP, "`address` of the gateway, on loopback; port 0 picks a free one")
	flags.StringVar(&s.state, "state", "", "`directory` for token, keys, names, sessions and audit log (default: pagemcp in your state directory)")
	flags.StringVar(&s.tokenFile, "token-file", "", "`file` with the bearer token of assistants, created if missing (default: token in the state directory)")
	flags.BoolVar(&s.noToken, "no-token", false, "let every program of this user read what pages serve; on systems other than Linux also those of other users")
	flags.BoolVar(&s.lenient, "lenient", false, "serve plain POSTs without handshake, Accept or version header; the token may also be sent as X-Agent-API-Key")
	flags.BoolVar(&s.logging, "logging", s.logging, "forward log messages of pages to assistants")
	flags.BoolVar(&s.noTools, "no-resource-tools", false, "omit list_resources, read_resource and wait_for_change, the tools for assistants that do not support resources")
	flags.Float64Var(&s.reads, "reads-per-second", 100, "average rate of reads by assistants; bursts of 5 times as many are allowed, and a read over the rate is delayed by up to 2 s")
	flags.Var(&s.origins, "allow-origin", "`origin` whose pages may join, like https://app.example; repeatable")
	flags.Var(&s.assistants, "allow-assistant-origin", "`origin` whose pages may send requests as an assistant, to pages of all origins; repeatable")
}

// parse parses the flags of one command, which takes no arguments.
func parse(name, about string, args []string, std streams, register func(*flag.FlagSet)) error {
	flags := flag.NewFlagSet("pagemcp "+name, flag.ContinueOnError)
	flags.SetOutput(std.err)
	flags.Usage = func() {
		fmt.Fprintf(std.err, "%s\n\n", about)
		flags.PrintDefaults()
	}
	register(flags)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%s takes no argument %q; see pagemcp %s -h", name, flags.Arg(0), name)
	}
	return nil
}

// options returns the options of the gateway.
func (s *settings) options(std streams) server.Options {
	return server.Options{
		State: s.state, TokenFile: s.tokenFile, NoToken: s.noToken, Origins: s.origins, AssistantOrigins: s.assistants,
		Lenient: s.lenient, Logging: s.logging, NoResourceTools: s.noTools,
		Limits: server.Limits{ReadsPerSecond: s.reads}, Version: web.Version(),
		Logger: newLogger(std.err),
	}
}

// gateway returns a gateway that is bound and does not serve yet. It fails if one runs
// already: two gateways cannot share a state directory.
func (s *settings) gateway(ctx context.Context, std streams) (*server.Gateway, error) {
	if _, err := server.CheckLoopback(s.mcp); err != nil {
		return nil, fmt.Errorf("--mcp: %w", err)
	}
	if s.state == "" {
		dir, err := server.DefaultState()
		if err != nil {
			return nil, err
		}
		s.state = dir
	}
	if other, ok := server.FindRunning(ctx, s.state); ok {
		return nil, fmt.Errorf("a gateway runs already at %s (process %d): stop it, or start another one with --state DIR and --mcp 127.0.0.1:0", other.MCP, other.PID)
	}
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
