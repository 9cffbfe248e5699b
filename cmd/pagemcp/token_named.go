package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/pagemcp/pagemcp/server"
	"github.com/spf13/cobra"
)

func tokenAddCommand(std streams) *cobra.Command {
	var t server.NewToken
	c := &cobra.Command{
		Use:   "add NAME",
		Short: "Make a token for one assistant, with rights of its own",
		Long: `Make a token for one assistant, with rights of its own. It is printed once; the gateway keeps its hash alone.

A process of "pagemcp stdio --as NAME" has the rights of the token of that name.`,
		Example: "  pagemcp token add ci --read-only --app notes --expires 30d",
		Args:    oneName,
	}
	flags := c.Flags()
	flags.BoolVar(&t.ReadOnly, "read-only", false, "let the assistant read, and call only tools that say that they change nothing (readOnlyHint)")
	flags.StringArrayVar(&t.Apps, "app", nil, "`name` of the pages that exist for the assistant, with or without a number; repeatable (default: all pages)")
	flags.Var((*lifetime)(&t.Lifetime), "expires", "`time` after which the token is refused, like 12h or 30d (default: when it is revoked)")
	state := stateFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		t.Name = args[0]
		return addToken(c.Context(), *state, t, std)
	}
	return c
}

func addToken(ctx context.Context, state string, t server.NewToken, std streams) error {
	state, err := stateDirectory(state)
	if err != nil {
		return err
	}
	added, err := server.AddToken(ctx, state, t)
	if err != nil {
		return err
	}
	a := added.Assistant
	fmt.Fprintf(std.err, "The assistant %s: %s.\n", a.Name, a.Rights(time.Now()))
	fmt.Fprintln(std.err, "Its token is shown this once:")
	_, err = fmt.Fprintln(std.out, added.Token)
	return err
}

func tokenListCommand(std streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "list",
		Short: "List the named tokens, with their rights and last use",
		Args:  noArguments,
	}
	state := stateFlag(c)
	asJSON := c.Flags().Bool("json", false, "print one line of JSON")
	c.RunE = func(c *cobra.Command, _ []string) error { return listTokens(c.Context(), *state, *asJSON, std) }
	return c
}

func listTokens(ctx context.Context, state string, asJSON bool, std streams) error {
	state, err := stateDirectory(state)
	if err != nil {
		return err
	}
	all, err := server.Assistants(ctx, state)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(std.out, all)
	}
	if len(all) == 0 {
		_, err := fmt.Fprintln(std.out, "There are no named tokens: pagemcp token add NAME")
		return err
	}
	now := time.Now()
	w := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
	for _, a := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\n", a.Name, a.Rights(now), usedText(a.Used, now))
	}
	return w.Flush()
}

func usedText(used, now time.Time) string {
	if used.IsZero() {
		return "not used yet"
	}
	return "used " + age(used, now) + " ago"
}

func tokenRevokeCommand(std streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "revoke NAME",
		Short: "End a named token: it is invalid at once, and connections of the assistant end",
		Args:  oneName,
	}
	state := stateFlag(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		dir, err := stateDirectory(*state)
		if err != nil {
			return err
		}
		if err := server.RevokeToken(c.Context(), dir, args[0]); err != nil {
			return err
		}
		_, err = fmt.Fprintf(std.out, "The token of %s is no longer valid. `pagemcp stdio --as %[1]s` is refused, too, until there is a new one.\n", args[0])
		return err
	}
	return c
}

// oneName is the check of commands with the name of an assistant as the only argument.
func oneName(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return mistake{fmt.Errorf("token %s needs the name of one assistant; see %s --help", c.Name(), c.CommandPath())}
	}
	if err := server.CheckAssistantName(args[0]); err != nil {
		return mistake{err}
	}
	return nil
}

// lifetime is a flag with a duration, which may be in days.
type lifetime time.Duration

// String implements pflag.Value.
func (l *lifetime) String() string {
	if *l == 0 {
		return ""
	}
	return time.Duration(*l).String()
}

// Type implements pflag.Value.
func (l *lifetime) Type() string { return "time" }

// Set implements pflag.Value.
func (l *lifetime) Set(value string) error {
	if days, ok := strings.CutSuffix(value, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 12)
		if err == nil && n > 0 {
			*l = lifetime(time.Duration(n) * 24 * time.Hour)
			return nil
		}
	} else if d, err := time.ParseDuration(value); err == nil && d >= time.Second {
		*l = lifetime(d)
		return nil
	}
	return fmt.Errorf("%q is not a time: want one like 12h or 30d", value)
}
