package main

import (
	"context"

	"github.com/pagemcp/pagemcp/server"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// stdio serves one assistant on standard streams. It connects to the running gateway of
// this user, or starts one in this process.
func stdio(ctx context.Context, args []string, std streams) error {
	var s settings
	if err := parse("stdio", "Serves MCP on standard input and output.", args, std, s.register); err != nil {
		return err
	}
	return server.ServeStdio(ctx, server.StdioOptions{
		Gateway: s.options(std),
		Listen:  s.mcp,
		Port:    jsonrpc.Lines(std.in, std.out),
	})
}
