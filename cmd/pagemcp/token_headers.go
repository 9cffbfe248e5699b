package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pagemcp/pagemcp/server"
	"github.com/spf13/cobra"
)

// tokenHeadersCommand is for clients that run a command for the headers of a server, as
// Claude Code does: the token need not be in their file then.
func tokenHeadersCommand(std streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "headers",
		Short: `Print {"Authorization": "Bearer …"}, for clients that run a command for HTTP headers`,
		Args:  noArguments,
	}
	state := stateFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) error { return printTokenHeaders(c.Context(), *state, std) }
	return c
}

func printTokenHeaders(ctx context.Context, state string, std streams) error {
	state, err := stateDirectory(state)
	if err != nil {
		return err
	}
	file := filepath.Join(state, "token")
	if running, ok := server.FindRunning(ctx, state); ok {
		file = running.TokenFile
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the token: %w; start `pagemcp serve` once", err)
	}
	return printJSON(std.out, map[string]string{"Authorization": "Bearer " + strings.TrimSpace(string(text))})
}
