package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/server"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/web"
	"github.com/spf13/cobra"
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
	tlsCert    string
	tlsKey     string
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
	logLevel   string // debug, info, warn or error
	only       list   // origins; see server.Door
	untilIdle  time.Duration

	given map[string]string // flags of the command line, by name
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
	flags.StringVar(&s.tlsCert, "tls-cert", "", "PEM `file` with a certificate for 127.0.0.1 and localhost, as mkcert makes it: pages and assistants connect by wss: and https:")
	flags.StringVar(&s.tlsKey, "tls-key", "", "PEM `file` with the key of --tls-cert")
	flags.BoolVar(&s.noToken, "no-token", false, "let every program of this user read what pages serve; on systems other than Linux also those of other users")
	flags.BoolVar(&s.lenient, "lenient", false, "serve /{page}/mcp, too, and accept the token as X-Agent-API-Key")
	flags.IntVar(&s.pageSize, "page-size", engine.DefaultPageSize, "`entries` of a page of a list, 1 to 1000; a small number shows clients with pagination")
	flags.BoolVar(&s.logging, "logging", s.logging, "forward log messages of pages to assistants")
	flags.BoolVar(&s.noTools, "no-resource-tools", false, "omit list_resources, read_resource and wait_for_change, the tools for assistants that do not support resources")
	flags.Float64Var(&s.reads, "reads-per-second", 100, "average rate of reads by assistants; bursts of 5 times as many are allowed, and a read over the rate is delayed by up to 2 s")
	flags.StringVar(&s.logFormat, "log-format", "text", "`format` of the log on standard error: text, or json with the time")
	flags.StringVar(&s.logLevel, "log-level", "info", "least `level` of events in the log: debug, with each request of assistants, info, warn or error")
	flags.Var(&s.origins, "allow-origin", "`origin` whose pages may join, like https://app.example; repeatable")
	flags.Var(&s.assistants, "allow-assistant-origin", "`origin` whose pages may send requests as an assistant, to pages of all origins; repeatable")
	flags.Var(&s.sampling, "allow-sampling", "`origin` whose pages may use the model of the assistant (sampling) and see its roots; repeatable")
}

// check finds mistakes before anything is opened.
func (s *settings) check() error {
	if s.logFormat != "text" && s.logFormat != "json" {
		return mistake{fmt.Errorf("--log-format %q: want text or json", s.logFormat)}
	}
	if !slices.Contains([]string{"debug", "info", "warn", "error"}, s.logLevel) {
		return mistake{fmt.Errorf("--log-level %q: want debug, info, warn or error", s.logLevel)}
	}
	if (s.tlsCert == "") != (s.tlsKey == "") {
		return mistake{errors.New("--tls-cert and --tls-key are needed together")}
	}
	if s.pageSize < 1 || s.pageSize > engine.MaxPageSize {
		return mistake{fmt.Errorf("--page-size %d: want 1 to %d", s.pageSize, engine.MaxPageSize)}
	}
	return nil
}

// options returns the options of a gateway in this process.
func (s *settings) options(std streams) server.Options {
	return server.Options{
		State: s.state, TLSCert: s.tlsCert, TLSKey: s.tlsKey, TokenFile: s.tokenFile, NoToken: s.noToken, Origins: s.origins, AssistantOrigins: s.assistants, SamplingOrigins: s.sampling,
		Lenient: s.lenient, PageSize: s.pageSize, Logging: s.logging, NoResourceTools: s.noTools, EndWhenIdle: s.untilIdle,
		ReadsPerSecond: s.reads, Version: web.Version(),
		Logger: s.logger(std), LogLevel: s.level(),
	}
}

// prepare completes the flags of a command by the file of settings, and checks them.
func (s *settings) prepare(c *cobra.Command) error {
	dir, err := stateDirectory(s.state)
	if err != nil {
		return err
	}
	s.state = dir
	if err := readConfig(dir, c.Flags()); err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	if _, err := server.CheckLoopback(s.mcp); err != nil {
		return mistake{fmt.Errorf("--mcp: %w", err)}
	}
	s.origins = slices.Concat(s.origins, s.only)
	for _, file := range []*string{&s.tlsCert, &s.tlsKey} {
		if *file == "" {
			continue
		}
		if *file, err = filepath.Abs(*file); err != nil { // another process may compare it
			return err
		}
	}
	s.given = map[string]string{}
	c.Flags().Visit(func(flag *pflag.Flag) { s.given[flag.Name] = flag.Value.String() })
	return nil
}

// A gateway is one that runs, in this process or another one, with the door of a command.
type gateway struct {
	*server.Control
	server.Opened
}

// fragment returns the fragment for the URL of a page that may join; if that fails, an
// empty one, and prints why.
func (g gateway) fragment(ctx context.Context, std streams) string {
	fragment, err := g.Fragment(ctx, g.Port)
	if err != nil {
		printError(std, err)
	}
	return fragment
}

// hold is server.Hold for the flags, which add to door.
func (s *settings) hold(ctx context.Context, std streams, door server.Door, opened func(gateway) error) error {
	raiseHeapFloor()
	door.PID, door.MCP, door.Only = os.Getpid(), s.mcp, len(s.only) > 0
	door.Origins, door.Assistants, door.Sampling = slices.Concat(s.origins, door.Origins), slices.Concat(s.assistants, door.Assistants), s.sampling
	door.Settings = map[string]string{}
	for _, name := range [...]string{"tls-cert", "tls-key", "token-file", "no-token", "lenient", "page-size", "logging", "no-resource-tools", "reads-per-second"} {
		if value, ok := s.given[name]; ok {
			door.Settings[name] = value
		}
	}
	err := server.Hold(ctx, s.options(std), door, func(c *server.Control, o server.Opened) error {
		explain(std, o)
		return opened(gateway{c, o})
	})
	return portTaken(err, "--mcp")
}

// explain says which process serves, if that is another one.
func explain(std streams, opened server.Opened) {
	if opened.PID == os.Getpid() {
		return
	}
	fmt.Fprintf(std.err, "The gateway of process %d serves this; it goes on when this command ends.\n", opened.PID)
	if len(opened.Kept) > 0 {
		fmt.Fprintf(std.err, "It keeps its own settings of --%s: start this command first to change them.\n", strings.Join(opened.Kept, ", --"))
	}
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
