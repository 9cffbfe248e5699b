package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

func tokenCommand(std streams) *cobra.Command {
	c := &cobra.Command{Use: "token", GroupID: groupControl, Short: "Manage the tokens of assistants"}
	rotate := &cobra.Command{
		Use:   "rotate",
		Short: "Replace the token of assistants without a name: the old one is invalid at once, and its connections end",
		Args:  noArguments,
	}
	state := stateFlag(rotate)
	rotate.RunE = func(c *cobra.Command, _ []string) error { return rotateToken(c.Context(), *state, std) }
	c.AddCommand(tokenAddCommand(std), tokenListCommand(std), tokenRevokeCommand(std), rotate)
	return c
}

func rotateToken(ctx context.Context, state string, std streams) error {
	gateway, err := connectGateway(ctx, state)
	if err != nil {
		return err
	}
	rotated, err := gateway.RotateToken(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.out, "The new token is in %s. Assistants that start `pagemcp stdio` use it by themselves; all others need it in their configuration.\n", rotated.TokenFile)
	return err
}
