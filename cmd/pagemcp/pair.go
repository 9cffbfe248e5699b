package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pagemcp/pagemcp/server"
	"github.com/spf13/cobra"
)

func pairCommand(std streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "pair ORIGIN",
		GroupID: groupControl,
		Short:   "Let pages of an origin join, and print a link for the first one",
		Example: "  pagemcp pair http://localhost:5173 --open",
		Args:    oneOrigin,
	}
	state := stateFlag(c)
	open := c.Flags().Bool("open", false, "open the link in the default browser")
	asJSON := c.Flags().Bool("json", false, "print one line of JSON")
	c.RunE = func(c *cobra.Command, args []string) error {
		return pair(c.Context(), *state, args[0], *open, *asJSON, std)
	}
	return c
}

// oneOrigin is the check of commands with an origin as the only argument.
func oneOrigin(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return mistake{fmt.Errorf("%s needs one origin, like http://localhost:5173; see %s --help", c.Name(), c.CommandPath())}
	}
	if err := server.CheckOrigin(args[0]); err != nil {
		return mistake{err}
	}
	return nil
}

func pair(ctx context.Context, state, origin string, open, asJSON bool, std streams) error {
	gateway, err := connectGateway(ctx, state)
	if err != nil {
		return err
	}
	invitation, err := gateway.Pair(ctx, origin)
	if err != nil {
		return err
	}
	if asJSON {
		err = printJSON(std.out, invitation)
	} else {
		err = printInvitation(std, invitation)
	}
	if err != nil || !open {
		return err
	}
	if invitation.URL == "" {
		return errors.New("an extension has no page to open: add the fragment to the URL of one of its pages")
	}
	return openBrowser(ctx, invitation.URL)
}

func printInvitation(std streams, invitation server.Invitation) error {
	fmt.Fprintf(std.err, "Pages of %s may join from now on. The first one joins by this link, or with the part from # on at\nthe end of its own URL; the link is good once, for two minutes. `pagemcp revoke %[1]s` undoes this.\n\n", invitation.Origin)
	text := invitation.Fragment
	if invitation.URL != "" {
		text = invitation.URL
	}
	_, err := fmt.Fprintln(std.out, text)
	return err
}

func revokeCommand(std streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "revoke ORIGIN",
		GroupID: groupControl,
		Short:   "Disconnect the pages of an origin, and delete their keys and names",
		Example: "  pagemcp revoke http://localhost:5173\n  pagemcp revoke --all",
	}
	state := stateFlag(c)
	all := c.Flags().Bool("all", false, "revoke the pages of all origins")
	asJSON := c.Flags().Bool("json", false, "print one line of JSON")
	c.Args = func(c *cobra.Command, args []string) error {
		if *all {
			return noArguments(c, args)
		}
		return oneOrigin(c, args)
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		return revoke(c.Context(), *state, strings.Join(args, ""), *asJSON, std)
	}
	return c
}

// revoke revokes one origin, or all if origin is empty.
func revoke(ctx context.Context, state, origin string, asJSON bool, std streams) error {
	gateway, err := connectGateway(ctx, state)
	if err != nil {
		return err
	}
	var revoked server.Revoked
	if origin == "" {
		revoked, err = gateway.RevokeAll(ctx)
	} else {
		revoked, err = gateway.Revoke(ctx, origin)
	}
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(std.out, revoked)
	}
	fmt.Fprintf(std.out, "Revoked: %d keys, %d page names. Pages that were connected are disconnected.\n", revoked.Keys, len(revoked.Pages))
	for _, removed := range revoked.Origins {
		fmt.Fprintf(std.out, "%s may no longer join.\n", removed)
	}
	for _, remaining := range revoked.Remaining {
		fmt.Fprintf(std.out, "%s may join again with a new invitation: the command line of the gateway allows it.\n", remaining)
	}
	return nil
}
