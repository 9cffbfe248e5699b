package main

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/pagemcp/pagemcp/server/clientconfig"
	"github.com/pagemcp/pagemcp/server/published"
	"github.com/spf13/cobra"
)

func installCommand(std streams) *cobra.Command {
	var opts installOptions
	c := &cobra.Command{
		Use:     "install CLIENT",
		GroupID: groupAssistants,
		Short:   "Add PageMCP to the configuration file of an assistant",
		Long: `Add PageMCP to the configuration file of an assistant: ` + strings.Join(clientIDs(), ", ") + `.

The file gets the command "pagemcp stdio", which needs no token. Everything else in the file stays as it is, including
comments; a copy of it is kept as FILE.pagemcp-backup.`,
		Example:           "  pagemcp install claude-code\n  pagemcp install vscode --project\n  pagemcp install --list",
		ValidArgsFunction: completeClients,
	}
	opts.register(c)
	flags := c.Flags()
	list := flags.Bool("list", false, "list the assistants, their files, and whether PageMCP is in them")
	flags.BoolVar(&opts.http, "http", false, "write the URL of the gateway instead of a command; assistants that cannot read the token from its file need --write-token")
	if published.Registered {
		flags.BoolVar(&opts.npx, "npx", false, "write \"npx "+published.Package+"\" with this version instead of the path of this program")
	}
	flags.BoolVar(&opts.writeToken, "write-token", false, "with --http: copy the token in clear text into the file")
	flags.BoolVar(&opts.force, "force", false, "replace another server of the same name")
	c.Args = func(c *cobra.Command, args []string) error {
		if *list {
			return noArguments(c, args)
		}
		return oneClient(c, args)
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		e, err := newClientEditor(std)
		if err != nil {
			return err
		}
		if *list {
			return e.list(opts)
		}
		opts.client = args[0]
		return e.install(c.Context(), opts)
	}
	return c
}

func uninstallCommand(std streams) *cobra.Command {
	var opts installOptions
	c := &cobra.Command{
		Use:               "uninstall CLIENT",
		GroupID:           groupAssistants,
		Short:             "Remove PageMCP from the configuration file of an assistant",
		Args:              oneClient,
		ValidArgsFunction: completeClients,
	}
	opts.register(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		e, err := newClientEditor(std)
		if err != nil {
			return err
		}
		opts.client = args[0]
		return e.uninstall(c.Context(), opts)
	}
	return c
}

// register adds the flags of both commands.
func (opts *installOptions) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&opts.name, "name", "pagemcp", "`name` of the server in the file")
	flags.BoolVar(&opts.project, "project", false, "edit the file of the project in this directory instead of yours")
	flags.BoolVar(&opts.dryRun, "dry-run", false, "print the change as a diff, and change nothing")
	flags.StringVar(&opts.state, "state", "", "state `directory` of the gateway (default: pagemcp in your state directory)")
	c.MarkFlagDirname("state")
}

func clientIDs() []string {
	var ids []string
	for _, client := range clientconfig.Clients() {
		ids = append(ids, client.ID)
	}
	return ids
}

// oneClient is the check of commands with a client as the only argument.
func oneClient(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return mistake{fmt.Errorf("%s needs one assistant: %s", c.Name(), strings.Join(clientIDs(), ", "))}
	}
	return nil
}

func completeClients(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var all []cobra.Completion
	for _, client := range clientconfig.Clients() {
		all = append(all, cobra.CompletionWithDesc(client.ID, client.Title))
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// list prints the clients, those of this machine first.
func (e *clientEditor) list(opts installOptions) error {
	all := clientconfig.List(e.env, opts.name, opts.project)
	w := tabwriter.NewWriter(e.std.out, 0, 0, 2, ' ', 0)
	for _, found := range []bool{true, false} {
		for _, s := range all {
			if s.Found == found {
				fmt.Fprintf(w, "%s\t%s\t%s\n", s.Client.ID, statusText(s, opts.name), plainText(s.Path, 300))
			}
		}
	}
	return w.Flush()
}

func statusText(s clientconfig.Status, name string) string {
	syntax := (*clientconfig.SyntaxError)(nil)
	switch {
	case errors.As(s.Err, &syntax):
		return fmt.Sprintf("does not parse: line %d", syntax.Line)
	case s.Err != nil:
		return "cannot be read"
	case s.Program != "":
		return name + " runs " + plainText(s.Program, 200)
	case s.URL != "":
		return name + " connects to " + plainText(s.URL, 200)
	case s.Installed:
		return name + " is in the file"
	case s.Found:
		return "found, without " + name
	}
	return "not found"
}
