package main

import (
	"context"
	"fmt"

	"github.com/pagemcp/pagemcp/server"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"github.com/spf13/cobra"
)

func stdioCommand(std streams) *cobra.Command {
	var s settings
	c := &cobra.Command{
		Use:     "stdio",
		GroupID: groupRun,
		Short:   "Serve MCP on standard input and output, for assistants that start a command",
	}
	s.register(c.Flags())
	as := c.Flags().String("as", "", "`name` of the assistant, for its rights and the audit log; `pagemcp install` writes it (default: unnamed)")
	channel := c.Flags().Bool("channel", false, "also send what happens in pages as messages of a channel of Claude Code, which start a turn of the model; it needs the older handshake, so that the one of 2026-07-28 is refused")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return stdio(c.Context(), s, server.StdioOptions{As: *as, Channel: *channel}, std)
	}
	return c
}

// stdio serves one assistant on standard streams. It connects to the running gateway of
// this user, or starts one in this process.
func stdio(ctx context.Context, s settings, opts server.StdioOptions, std streams) error {
	if err := s.check(); err != nil {
		return err
	}
	if opts.As != "" {
		if err := server.CheckAssistantName(opts.As); err != nil {
			return mistake{fmt.Errorf("--as: %w", err)}
		}
	}
	opts.Gateway, opts.Listen, opts.Port = s.options(std), s.mcp, jsonrpc.Lines(std.in, std.out)
	return server.ServeStdio(ctx, opts)
}
