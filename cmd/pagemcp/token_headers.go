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
	as := c.Flags().String("as", "", "`name` of an assistant whose token is saved (default: the token of assistants without a name)")
	c.RunE = func(c *cobra.Command, _ []string) error { return printTokenHeaders(c.Context(), *state, *as, std) }
	return c
}

func printTokenHeaders(ctx context.Context, state, as string, std streams) error {
	state, err := stateDirectory(state)
	if err != nil {
		return err
	}
	if as != "" {
		token, err := server.ReadSavedToken(state, as)
		if err != nil {
			return err
		}
		return printJSON(std.out, map[string]string{"Authorization": "Bearer " + token})
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
