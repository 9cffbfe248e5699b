package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/pagemcp/pagemcp/server"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"github.com/pagemcp/pagemcp/web"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func stdioCommand(std streams) *cobra.Command {
	var s settings
	c := &cobra.Command{
		Use:     "stdio",
		GroupID: groupRun,
		Short:   "Serve MCP on standard input and output, for assistants that start a command",
		Long: "Serve MCP on standard input and output, for assistants that start a command. It connects to the gateway that runs, or starts one in the " +
			"background, with the flags of `pagemcp serve`, which ends ten minutes after the last page and assistant.",
	}
	s.register(c.Flags())
	c.Flags().DurationVar(&s.untilIdle, "until-idle", 10*time.Minute, "`time` after which a gateway that this command has started ends when nothing uses it")
	as := c.Flags().String("as", "", "`name` of the assistant, for its rights and the audit log; `pagemcp install` writes it (default: unnamed)")
	channel := c.Flags().Bool("channel", false, "also send what happens in pages as messages of a channel of Claude Code, which start a turn of the model; it needs the older handshake, so that the one of 2026-07-28 is refused")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if *as != "" {
			if err := server.CheckAssistantName(*as); err != nil {
				return mistake{fmt.Errorf("--as: %w", err)}
			}
		}
		if err := s.prepare(c); err != nil {
			return err
		}
		command, err := s.serveCommand(c)
		if err != nil {
			return err
		}
		return server.ServeStdio(c.Context(), server.StdioOptions{
			State: s.state, As: *as, Channel: *channel,
			Port: jsonrpc.Lines(std.in, std.out), Logger: s.logger(std),
			Version: web.Version(), Command: command,
		})
	}
	return c
}

// serveCommand returns the command line of the gateway that stdio starts.
func (s *settings) serveCommand(c *cobra.Command) ([]string, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	flags, err := serveFlags(c)
	return append([]string{program, "serve", "--until-idle=" + s.untilIdle.String()}, flags...), err
}

// serveFlags returns the flags of serve that were set for stdio, with absolute paths.
func serveFlags(c *cobra.Command) (flags []string, err error) {
	state, err := explicitState(c.Flags().Lookup("state").Value.String())
	if err != nil {
		return nil, err
	}
	if state != "" {
		flags = append(flags, "--state="+state)
	}
	var s settings
	serve := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	serve.SortFlags = false
	s.register(serve)
	serve.VisitAll(func(registered *pflag.Flag) {
		name, flag := registered.Name, c.Flags().Lookup(registered.Name)
		if name == "state" || !flag.Changed {
			return
		}
		if origins, ok := flag.Value.(*list); ok {
			for _, origin := range *origins {
				flags = append(flags, "--"+name+"="+origin)
			}
			return
		}
		value := flag.Value.String()
		if isFileFlag(name) {
			if path, err := filepath.Abs(value); err == nil {
				value = path
			}
		}
		flags = append(flags, "--"+name+"="+value)
	})
	return flags, nil
}
