package main

import (
	"context"
	"fmt"

	"github.com/pagemcp/pagemcp/server"
	"github.com/pagemcp/pagemcp/server/published"
	"github.com/pagemcp/pagemcp/wasm/plain"
	"github.com/pagemcp/pagemcp/web"
	"github.com/spf13/cobra"
)

// publicEntries is the page about error messages in the repository. Its anchors are those of
// the built documentation.
const publicEntries = "https://github.com/" + published.Repository + "/blob/main/web/docs/troubleshooting.md"

// printError prints an error, and where the documentation explains it.
func printError(std streams, state string, err error) {
	fmt.Fprintln(std.err, "pagemcp:", plain.Lines(err.Error(), maxFinding)) // it may quote a file
	if anchor, ok := web.Entry(err.Error()); ok {
		fmt.Fprintln(std.err, "More:", entriesPage(state)+"#"+anchor)
	}
}

// entriesPage returns the URL of the page about error messages: of the running gateway of a
// state directory, if it was started by `pagemcp dev`, which serves the documentation.
func entriesPage(state string) string {
	dir, err := stateDirectory(state)
	if err != nil {
		return publicEntries
	}
	// The signal that ended the command does not end this. Connect has a timeout.
	if control, err := server.Connect(context.Background(), dir); err == nil && control.Running.Docs != "" {
		return control.Running.Docs + "troubleshooting.html"
	}
	return publicEntries
}

// stateOf returns the flag --state of a command; "" without one.
func stateOf(c *cobra.Command) string {
	if flag := c.Flags().Lookup("state"); flag != nil {
		return flag.Value.String()
	}
	return ""
}
