// Command pagemcpd runs one node of a hosted gateway: pages of a web app's users join it,
// and remote assistants reach them with OAuth access tokens. See web/docs/hosted.md.
//
//	pagemcpd --config FILE           serves until SIGTERM or SIGINT, then drains
//	pagemcpd --config FILE --check   checks the configuration and the files that it names
//	pagemcpd keygen                  prints a line for the file of keys
//	pagemcpd doctor --as NAME URL    says what would keep an assistant from connecting
//	pagemcpd version                 prints the version; each command has --help
//
// There are no other flags, and no environment variables besides those of the Go runtime.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/pagemcp/pagemcp/server/hosted"
	"github.com/pagemcp/pagemcp/server/hosted/doctor"
	"github.com/pagemcp/pagemcp/server/hosted/ring/natskv"
	"github.com/pagemcp/pagemcp/web"
)

// Exit codes, besides 0.
const (
	exitFailed  = 1 // a listener has failed, or doctor has found something
	exitMistake = 2 // the command line or the configuration is wrong; nothing was done
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

const usage = `pagemcpd runs one node of a hosted gateway.

  pagemcpd --config FILE           serve until SIGTERM or SIGINT, then drain
  pagemcpd --config FILE --check   check the configuration and the files that it names
  pagemcpd keygen                  print a line for the file of keys
  pagemcpd doctor --as NAME URL    say what would keep an assistant from connecting
  pagemcpd version                 print the version
`

const keygenUsage = `pagemcpd keygen prints a new line for the file of keys: 32 random bytes in base64url.

  (umask 077; pagemcpd keygen > pagemcp.keys)   the first key; all nodes have the same file

The first line hashes names in the audit log. To rotate, put a new line at the top on all nodes: equal names have
other hashes from then on.
`

const versionUsage = `pagemcpd version prints the version.
`

// printLine runs a command without arguments, which prints one line.
func printLine(args []string, usage string, line func() string, stdout, stderr io.Writer) (code int) {
	switch {
	case len(args) == 1:
		fmt.Fprintln(stdout, line())
		return 0
	case args[1] == "--help" || args[1] == "-help" || args[1] == "-h":
		fmt.Fprint(stdout, usage)
		return 0
	}
	fmt.Fprintf(stderr, "pagemcpd: %q takes no arguments, and got %q\n\n%s", args[0], args[1], usage)
	return exitMistake
}

// run runs one command line.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	if len(args) > 0 {
		switch args[0] {
		case "keygen":
			return printLine(args, keygenUsage, hosted.NewKey, stdout, stderr)
		case "version":
			return printLine(args, versionUsage, web.Version, stdout, stderr)
		case "doctor":
			return examine(ctx, args[1:], stdout, stderr)
		}
	}
	flags := flag.NewFlagSet("pagemcpd", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are printed below
	file := flags.String("config", "", "")
	check := flags.Bool("check", false, "")
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		return 0
	case err == nil && flags.NArg() > 0:
		err = fmt.Errorf("there is no command %q", flags.Arg(0))
	case err == nil && *file == "":
		err = errors.New("--config is missing: name the configuration file")
	}
	if err != nil {
		fmt.Fprintf(stderr, "pagemcpd: %v\n\n%s", err, usage)
		return exitMistake
	}
	if *check {
		if err := hosted.Check(*file); err != nil {
			return refuse(stderr, err)
		}
		fmt.Fprintf(stdout, "%s is valid\n", *file)
		return 0
	}
	return serve(ctx, *file, stdout, stderr)
}

const doctorUsage = `pagemcpd doctor --as NAME [--token-file FILE] URL connects to a running gateway as an assistant does, and says what
is as it needs it, and what is not. NAME is ` + doctor.Assistants + `.

  pagemcpd doctor --as claude.ai https://mcp.app.example/mcp

It registers no client and does not sign in. With an access token of a user in FILE it goes on as the assistant does
after the sign-in: it lists tools, and calls list_resources. It ends with 1 if something would fail.
`

func examine(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	flags := flag.NewFlagSet("pagemcpd doctor", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are printed below
	as, file := flags.String("as", "", ""), flags.String("token-file", "", "")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, doctorUsage)
		return 0
	}
	if err == nil && (*as == "" || flags.NArg() != 1) {
		err = errors.New("want --as NAME and one URL")
	}
	token := []byte(nil)
	if err == nil && *file != "" {
		token, err = os.ReadFile(*file)
	}
	if err == nil {
		err = doctor.Examine(ctx, *as, flags.Arg(0), string(bytes.TrimSpace(token)), http.DefaultClient, func(ok bool, text string) {
			mark := "ok    "
			if !ok {
				mark, code = "fails ", exitFailed
			}
			fmt.Fprintln(stdout, mark+text)
		})
	}
	if err != nil {
		fmt.Fprintf(stderr, "pagemcpd doctor: %v\n\n%s", err, doctorUsage)
		return exitMistake
	}
	return code
}

func serve(ctx context.Context, file string, stdout, stderr io.Writer) (code int) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	node, err := hosted.Open(hosted.Options{File: file, Version: web.Version(), Log: stderr, Audit: stdout, Hangup: hangup, Store: natskv.Open})
	if err != nil {
		return refuse(stderr, err)
	}
	if err := node.Run(ctx); err != nil {
		fmt.Fprintf(stderr, "pagemcpd: %v\n", err)
		return exitFailed
	}
	return 0
}

// refuse prints each reason not to start on a line of its own.
func refuse(stderr io.Writer, err error) (code int) {
	reasons := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		reasons = joined.Unwrap()
	}
	for _, reason := range reasons {
		fmt.Fprintf(stderr, "pagemcpd: %v\n", reason)
	}
	return exitMistake
}
