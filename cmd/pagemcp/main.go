// Command pagemcp runs the gateway between web pages and AI assistants, and builds and
// serves pages during development.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/pagemcp/pagemcp/web"
)

const usage = `pagemcp turns web pages into MCP servers.

  pagemcp dev      gateway and web server with the demos, live; from the sources
  pagemcp serve    the gateway alone
  pagemcp stdio    MCP on standard streams, for assistants that start a command
  pagemcp build    the npm package, from the sources

Run a command with -h for its flags.
`

// A command is a subcommand. run gets the arguments after its name.
type command struct {
	name string
	run  func(ctx context.Context, args []string, std streams) error
}

// streams are the standard streams, which tests replace.
type streams struct {
	in  io.Reader
	out io.Writer // results; MCP messages only for stdio
	err io.Writer // messages for people
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "pagemcp:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, std streams) error {
	commands := [...]command{{"dev", dev}, {"serve", serve}, {"stdio", stdio}, {"build", build}}
	if len(args) == 0 {
		fmt.Fprint(std.err, usage)
		return errors.New("no command: use dev, serve, stdio or build")
	}
	for _, c := range commands {
		if c.name == args[0] {
			return c.run(ctx, args[1:], std)
		}
	}
	switch args[0] {
	case "-h", "-help", "--help", "help":
		fmt.Fprint(std.out, usage)
		return nil
	case "-version", "--version", "version":
		fmt.Fprintln(std.out, web.Version())
		return nil
	}
	fmt.Fprint(std.err, usage)
	return fmt.Errorf("unknown command %q", args[0])
}
