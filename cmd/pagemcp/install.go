package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/pagemcp/pagemcp/server/clientconfig"
	"github.com/pagemcp/pagemcp/server/published"
	"github.com/pagemcp/pagemcp/web"
	"github.com/spf13/cobra"
)

// installOptions are the flags of install and uninstall.
type installOptions struct {
	client  string // ID
	name    string // of the server in the client's file
	state   string // empty: the default, which is not written into the file
	npx     bool   // only if the name of the package is registered
	project bool
	force   bool
	dryRun  bool
}

// An installer configures clients. Tests replace the machine.
type installer struct {
	host       clientconfig.Host
	executable string // of this process
	std        streams
}

func newInstaller(std streams) (*installer, error) {
	host, err := clientconfig.ThisHost()
	if err != nil {
		return nil, err
	}
	executable, err := os.Executable()
	return &installer{host, executable, std}, err
}

func installCommand(std streams) *cobra.Command {
	var opts installOptions
	c := &cobra.Command{
		Use:     "install CLIENT",
		GroupID: groupAssistants,
		Short:   "Add PageMCP to the configuration of an assistant",
		Long: `Add PageMCP to the configuration of an assistant: ` + strings.Join(clientIDs(), ", ") + `.

The assistant starts the command "pagemcp stdio", which needs no token. It is added by the assistant's own command if there is
one, or to its JSON file, of which everything else stays, including comments, and a copy is kept as FILE.pagemcp-backup.
For other files the text to add is printed.`,
		Example:           "  pagemcp install claude-code\n  pagemcp install vscode --project\n  pagemcp install --list",
		ValidArgsFunction: completeClients,
	}
	opts.register(c)
	flags := c.Flags()
	list := flags.Bool("list", false, "list the assistants, their files, and whether PageMCP is in them")
	if published.Registered {
		flags.BoolVar(&opts.npx, "npx", false, "write \"npx "+published.Package+"\" with this version instead of the path of this program")
	}
	flags.BoolVar(&opts.force, "force", false, "replace another server of the same name")
	c.Args = func(c *cobra.Command, args []string) error {
		if *list {
			return noArguments(c, args)
		}
		return oneClient(c, args)
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		in, err := newInstaller(std)
		if err != nil {
			return err
		}
		if *list {
			return in.list(opts)
		}
		opts.client = args[0]
		return in.install(c.Context(), opts)
	}
	return c
}

func uninstallCommand(std streams) *cobra.Command {
	var opts installOptions
	c := &cobra.Command{
		Use:               "uninstall CLIENT",
		GroupID:           groupAssistants,
		Short:             "Remove PageMCP from the configuration of an assistant",
		Args:              oneClient,
		ValidArgsFunction: completeClients,
	}
	opts.register(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		in, err := newInstaller(std)
		if err != nil {
			return err
		}
		opts.client = args[0]
		return in.uninstall(c.Context(), opts)
	}
	return c
}

// register adds the flags of both commands.
func (opts *installOptions) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&opts.name, "name", "pagemcp", "`name` of the server in the file")
	flags.BoolVar(&opts.project, "project", false, "edit the file of the project in this directory instead of yours")
	flags.BoolVar(&opts.dryRun, "dry-run", false, "print what would change, and change nothing")
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

// install adds the server to the configuration of a client, and prints what it changes.
func (in *installer) install(ctx context.Context, opts installOptions) error {
	client, err := clientconfig.Named(opts.client)
	if err != nil {
		return mistake{err}
	}
	s, err := in.server(opts)
	if err != nil {
		return err
	}
	change, err := client.Install(in.host, s, opts.project, opts.force)
	if err != nil {
		return err
	}
	switch {
	case change.Outcome == clientconfig.Differs:
		return fmt.Errorf("%s already has another server %q: replace it with --force, or choose another name with --name", change.Path, opts.name)
	case opts.dryRun:
		in.preview(change)
		return nil
	}
	switch change.Outcome {
	case clientconfig.Unchanged:
		fmt.Fprintf(in.std.out, "%s is already installed in %s: %s\n", opts.name, client.Title, change.Path)
		return nil
	case clientconfig.ByHand:
		in.preview(change)
		fmt.Fprintln(in.std.out, client.Reload)
		return nil
	}
	if err := change.Apply(ctx, in.host); err != nil {
		return err
	}
	in.preview(change)
	fmt.Fprintf(in.std.out, "Installed %s in %s: %s\n%s\n", opts.name, client.Title, change.Path, client.Reload)
	if client.NoResources {
		fmt.Fprintf(in.std.out, "%s does not read resources: it uses the tools list_resources, read_resource and wait_for_change instead.\n", client.Title)
	}
	if clientconfig.IsTemporary(s.Command[0]) {
		fmt.Fprintf(in.std.out, "%s is part of other packages: install again when it has moved.\n", s.Command[0])
	}
	if opts.project && !opts.npx {
		fmt.Fprintln(in.std.out, "The file contains a path of this machine: do not share it.")
	}
	return nil
}

// uninstall removes the server from the configuration of a client.
func (in *installer) uninstall(ctx context.Context, opts installOptions) error {
	client, err := clientconfig.Named(opts.client)
	if err != nil {
		return mistake{err}
	}
	change, err := client.Uninstall(in.host, opts.name, opts.project)
	if err != nil {
		return err
	}
	if opts.dryRun {
		in.preview(change)
		return nil
	}
	if err := change.Apply(ctx, in.host); err != nil {
		return err
	}
	switch change.Outcome {
	case clientconfig.Absent:
		fmt.Fprintf(in.std.out, "%s is not installed in %s: %s\n", opts.name, client.Title, change.Path)
	case clientconfig.ByHand:
		in.preview(change)
		return nil
	default:
		fmt.Fprintf(in.std.out, "Removed %s from %s: %s\n%s\n", opts.name, client.Title, change.Path, client.Reload)
	}
	return nil
}

// preview prints what changes: command lines, or the entry of the file.
func (in *installer) preview(change *clientconfig.Change) {
	for _, line := range change.Commands {
		if change.Writes() {
			fmt.Fprintf(in.std.out, "$ %s\n", strings.Join(line, " "))
		}
	}
	switch {
	case change.Outcome == clientconfig.ByHand && change.Text != "":
		fmt.Fprintf(in.std.out, "Add this to %s:\n\n%s\n", change.Path, change.Text)
	case change.Outcome == clientconfig.ByHand:
		fmt.Fprintf(in.std.out, "Remove the server from %s by hand.\n", change.Path)
	case !change.Writes():
		fmt.Fprintf(in.std.out, "%s does not change.\n", change.Path)
	case change.Outcome == clientconfig.Removed && change.Commands == nil:
		fmt.Fprintf(in.std.out, "%s: without the server\n", change.Path)
	case change.Commands == nil:
		fmt.Fprintf(in.std.out, "%s: in %s\n", change.Path, change.Text)
	}
}

// program returns the program that clients start: this one, by its path on the PATH if it
// is there, since that stays when another version is installed.
func (in *installer) program() string {
	if found, err := in.host.LookPath("pagemcp"); err == nil && filepath.IsAbs(found) && !clientconfig.IsTemporary(found) && isSameFile(found, in.executable) {
		return found
	}
	return in.executable
}

func isSameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// server returns what to add. A program that npx has fetched, or that is a package of a project, is
// run by npx.
func (in *installer) server(opts installOptions) (s clientconfig.Server, err error) {
	explicit, err := explicitState(opts.state)
	if err != nil {
		return s, err
	}
	s.Name = opts.name
	program := in.program()
	switch {
	case !opts.npx && !(published.Registered && clientconfig.IsTemporary(program)):
		s.Command = []string{program}
	case in.host.OS == "windows":
		s.Command = append([]string{"cmd", "/c"}, published.Start(web.Version())...)
	default:
		s.Command = published.Start(web.Version())
	}
	s.Command = append(s.Command, "stdio", "--as", opts.client)
	if explicit != "" {
		s.Command = append(s.Command, "--state", explicit)
	}
	return s, nil
}

// list prints the clients, those of this machine first.
func (in *installer) list(opts installOptions) error {
	all := clientconfig.List(in.host, opts.name, opts.project)
	w := tabwriter.NewWriter(in.std.out, 0, 0, 2, ' ', 0)
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
	switch {
	case s.Err != nil:
		return "cannot be read"
	case len(s.Command) > 0:
		return name + " runs " + plainText(s.Command[0], 200)
	case s.Installed:
		return name + " is in the file"
	case s.Found:
		return "found, without " + name
	}
	return "not found"
}
