// Command pagemcp runs the gateway between web pages and AI assistants, and builds and
// serves pages during development.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/pagemcp/pagemcp/wasm/plain"
	"github.com/pagemcp/pagemcp/web"
	"github.com/spf13/cobra"
)

// streams are the standard streams, which tests replace.
type streams struct {
	in  io.Reader
	out io.Writer // results; MCP messages only for stdio
	err io.Writer // messages for people
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the next signal ends the process, whatever it waits for
	std := streams{os.Stdin, os.Stdout, os.Stderr}
	err := execute(ctx, os.Args[1:], std)
	stop()
	if err != nil {
		printError(std, err)
		os.Exit(exitCode(err))
	}
}

// Exit codes, besides 0. Those of other programs that `pagemcp` starts are passed on.
const (
	exitFailed  = 1 // the command failed
	exitMistake = 2 // the command line is wrong; nothing was done
)

// A mistake is an error of the command line. Nothing was done.
type mistake struct{ error }

func (m mistake) Unwrap() error { return m.error }

func exitCode(err error) int {
	if errors.As(err, new(mistake)) {
		return exitMistake
	}
	return exitFailed
}

// printError prints an error, which may quote a file.
func printError(std streams, err error) {
	fmt.Fprintln(std.err, "pagemcp:", plain.Lines(err.Error(), maxFinding))
}

// execute runs one command line. The error is one line that says what to do.
func execute(ctx context.Context, args []string, std streams) error {
	root := newRoot(std)
	root.SetArgs(args)
	ran, err := root.ExecuteContextC(ctx)
	if ran == root && err != nil && !errors.As(err, new(mistake)) { // an unknown command
		err = mistake{errors.New(strings.Join(strings.Fields(err.Error()), " "))}
	}
	return err
}

// Groups of commands in the help.
const (
	groupRun        = "run"
	groupAssistants = "assistants"
	groupControl    = "control"
	groupBuild      = "build"
)

func newRoot(std streams) *cobra.Command {
	var version bool
	root := &cobra.Command{
		Use:           "pagemcp",
		Short:         "pagemcp turns web pages into MCP servers.",
		SilenceUsage:  true, // an error is one line
		SilenceErrors: true, // main prints it
		RunE: func(c *cobra.Command, _ []string) error {
			if version {
				return printVersion(std)
			}
			fmt.Fprint(std.err, c.UsageString())
			return mistake{errors.New("no command: use one of those above")}
		},
	}
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	root.Flags().BoolVarP(&version, "version", "v", false, "print the version") // cobra's own would need text/template: +2 MB
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		fmt.Fprintf(std.out, "%s\n\n%s", cmp.Or(c.Long, c.Short), c.UsageString())
	})
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return mistake{fmt.Errorf("%w; see %s --help", err, c.CommandPath())}
	})
	root.AddGroup(&cobra.Group{ID: groupRun, Title: "Gateway:"}, &cobra.Group{ID: groupAssistants, Title: "Assistants:"}, &cobra.Group{ID: groupControl, Title: "Running gateway:"})
	root.AddCommand(devCommand(std), serveCommand(std), stdioCommand(std), watchCommand(std),
		installCommand(std), uninstallCommand(std),
		statusCommand(std), openCommand(std), pairCommand(std), revokeCommand(std), pauseCommand(std), resumeCommand(std), tokenCommand(std), restartCommand(std), logsCommand(std), doctorCommand(std),
		extensionCommand(std), licensesCommand(std), versionCommand(std))
	if built := sourceCommands(std); len(built) > 0 {
		root.AddGroup(&cobra.Group{ID: groupBuild, Title: "Sources:"})
		root.AddCommand(built...)
	}
	for _, c := range root.Commands() {
		if c.Args == nil {
			c.Args = noArguments
		}
	}
	return root
}

// noArguments is the check of commands that take flags only.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return mistake{fmt.Errorf("%s takes no argument %q; see %s --help", c.Name(), args[0], c.CommandPath())}
	}
	return nil
}

func versionCommand(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		RunE:  func(*cobra.Command, []string) error { return printVersion(std) },
	}
}

func printVersion(std streams) error {
	_, err := fmt.Fprintln(std.out, web.Version())
	return err
}
