package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/pagemcp/pagemcp/server"
	"github.com/spf13/cobra"
)

func accessCommand(std streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "access",
		GroupID: groupControl,
		Short:   "Show which assistants use which pages: rights, reads and calls of today, last use, last denial",
	}
	state := stateFlag(c)
	asJSON := c.Flags().Bool("json", false, "print one line of JSON")
	c.RunE = func(c *cobra.Command, _ []string) error { return showAccess(c.Context(), *state, *asJSON, std) }
	return c
}

// showAccess prints the report of the running gateway, or of the files of the state directory.
func showAccess(ctx context.Context, state string, asJSON bool, std streams) error {
	dir, err := stateDirectory(state)
	if err != nil {
		return err
	}
	var report server.AccessReport
	gateway, err := server.Connect(ctx, dir)
	running := err == nil
	switch {
	case running:
		report, err = gateway.Access(ctx)
	case errors.Is(err, server.ErrNotRunning):
		report, err = server.StoredAccess(dir)
	}
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(std.out, struct {
			Running bool `json:"running"`
			server.AccessReport
		}{running, report})
	}
	return printAccess(std.out, report, running, time.Now())
}

// printAccess prints a report for people. See printStatus for texts of pages and assistants.
func printAccess(out io.Writer, r server.AccessReport, running bool, now time.Time) error {
	if !running {
		fmt.Fprintln(out, "No gateway is running: this is from the files of its audit log.")
	}
	if !r.Paused.IsZero() {
		fmt.Fprintf(out, "Assistants are paused until %s: pagemcp resume ends that\n", r.Paused.Local().Format("Jan 2, 15:04"))
	}
	if len(r.Assistants) == 0 {
		_, err := fmt.Fprintln(out, "No assistant has a token, or has used a page.")
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "ASSISTANT\tPAGE\tRIGHT\tREADS\tCALLS\tDENIED\tUSED\tLAST DENIAL\n")
	for _, a := range r.Assistants {
		if len(a.Uses) == 0 {
			fmt.Fprintf(w, "%s\t-\t%s\t\t\t\t%s\t\n", plainText(a.Name, 60), a.Rights(now), usedText(a.Used, now))
		}
		for i, use := range a.Uses {
			name := ""
			if i == 0 {
				name = plainText(a.Name, 60)
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%d\t%s ago\t%s\n", name, pageText(use.App), rightText(&a, use.Right, now), use.Reads, use.Calls, use.Denied, age(use.Used, now), denialText(use.LastDenial, now))
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	since := ""
	if !r.Since.IsZero() {
		since = fmt.Sprintf(" The log goes back to %s.", r.Since.Local().Format("Jan 2, 15:04"))
	}
	_, err := fmt.Fprintf(out, "Reads, calls and denials are those of today.%s\n", since)
	return err
}

func pageText(app string) string {
	if app == "" {
		return "(lists of all)"
	}
	return plainText(app, 48)
}

// rightText returns what the gateway lets an assistant do with a page.
func rightText(a *server.AssistantAccess, right string, now time.Time) string {
	switch {
	case !a.Revoked.IsZero():
		return "revoked"
	case a.IsExpired(now):
		return "expired"
	}
	switch right {
	case "act":
		return "read and act"
	case "read":
		return "read only"
	}
	return "none"
}

func denialText(d *server.Denial, now time.Time) string {
	if d == nil {
		return ""
	}
	return fmt.Sprintf("%s, %s ago: %s %s", plainText(d.Reason, 20), age(d.Time, now), plainText(d.Method, 40), plainText(d.Target, 100))
}
