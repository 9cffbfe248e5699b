package main

import (
	"context"

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
		RunE:    func(c *cobra.Command, _ []string) error { return stdio(c.Context(), s, std) },
	}
	s.register(c.Flags())
	return c
}

// stdio serves one assistant on standard streams. It connects to the running gateway of
// this user, or starts one in this process.
func stdio(ctx context.Context, s settings, std streams) error {
	if err := s.check(); err != nil {
		return err
	}
	return server.ServeStdio(ctx, server.StdioOptions{
		Gateway: s.options(std),
		Listen:  s.mcp,
		Port:    jsonrpc.Lines(std.in, std.out),
	})
}
