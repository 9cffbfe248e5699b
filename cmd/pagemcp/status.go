package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/pagemcp/pagemcp/server"
	"github.com/pagemcp/pagemcp/web"
	"github.com/spf13/cobra"
)

func statusCommand(std streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "status",
		GroupID: groupControl,
		Short:   "Show the running gateway, its pages, assistants and last reads",
	}
	state := stateFlag(c)
	asJSON := c.Flags().Bool("json", false, "print one line of JSON")
	c.RunE = func(c *cobra.Command, _ []string) error { return showStatus(c.Context(), *state, *asJSON, std) }
	return c
}

// showStatus prints the status. Without a gateway it fails, also with JSON, where it
// prints {"running": false}.
func showStatus(ctx context.Context, state string, asJSON bool, std streams) error {
	gateway, err := connectGateway(ctx, state)
	if asJSON && errors.Is(err, server.ErrNotRunning) {
		printJSON(std.out, map[string]bool{"running": false})
	}
	if err != nil {
		return err
	}
	status, err := gateway.Status(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(std.out, struct {
			Running bool `json:"running"`
			server.Status
		}{true, status})
	}
	return printStatus(std.out, status, time.Now())
}

// printStatus prints a status for people. Texts that pages and assistants have sent are
// quoted, so that they cannot control the terminal.
func printStatus(out io.Writer, s server.Status, now time.Time) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "Gateway:    %s\n", s.MCP)
	fmt.Fprintf(w, "            version %s, process %d, for %s\n", s.Version, s.PID, age(s.Started, now))
	if s.Version != web.Version() {
		fmt.Fprintf(w, "            this program has version %s: restart the gateway to use it\n", web.Version())
	}
	if s.NoToken {
		fmt.Fprint(w, "            --no-token: every program of this user can read\n")
	}
	if !s.Paused.IsZero() {
		fmt.Fprintf(w, "            assistants are paused until %s: pagemcp resume ends that\n", s.Paused.Local().Format("Jan 2, 15:04"))
	}
	for _, assistant := range slices.Sorted(maps.Keys(s.Stopped)) {
		fmt.Fprintf(w, "            %s is stopped until %s: pagemcp resume ends that\n", assistant, s.Stopped[assistant].Local().Format("Jan 2, 15:04"))
	}
	fmt.Fprintf(w, "State:      %s\n", s.State)
	heading(w, "Origins", len(s.Origins), "none may join: pagemcp pair ORIGIN")
	for _, o := range s.Origins {
		fmt.Fprintf(w, "  %s\t%s\t%s\n", o.Origin, allowedText(o), keysText(o, now))
	}
	heading(w, "Pages", len(s.Pages), "none has joined")
	for _, p := range s.Pages {
		condition := "connected"
		if !p.Connected {
			condition = "away"
		}
		fmt.Fprintf(w, "  %s\t%s, %s\t%s\n", p.Name, condition, age(p.Since, now), plainText(p.Title, 60)+" "+plainText(p.URL, 100))
	}
	heading(w, "Assistants", len(s.Assistants), "none has sent a request")
	for _, a := range s.Assistants {
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", a.Name, a.Rights(now), usedText(a.Used, now), callsItself(a.Calls))
	}
	w.Flush()
	fmt.Fprintf(w, "Sessions:   %d\n", s.Sessions)
	heading(w, "Last reads", len(s.Reads), "none")
	for i, r := range s.Reads {
		if i == maxShownReads {
			fmt.Fprintf(w, "  …\t%d more with --json\n", len(s.Reads)-i)
			break
		}
		fmt.Fprintf(w, "  %s ago\t%s\t%s\t%s, %d bytes\n", age(r.Time, now), plainText(r.Target, 100), r.Assistant, r.Outcome, r.Bytes)
	}
	return w.Flush()
}

// maxShownReads is the number of reads that are printed for people.
const maxShownReads = 10

// heading begins a section, whose columns have their own widths.
func heading(w *tabwriter.Writer, title string, count int, none string) {
	text := strconv.Itoa(count)
	if count == 0 {
		text = none
	}
	w.Flush() // an error is returned by the last Flush
	fmt.Fprintf(w, "%-12s%s\n", title+":", text)
}

func allowedText(o server.OriginStatus) string {
	switch o.Allowed {
	case "options":
		return "may join (command line)"
	case "paired":
		return "may join"
	default:
		return "may not join"
	}
}

func keysText(o server.OriginStatus, now time.Time) string {
	if o.Keys == 0 {
		return "not paired yet"
	}
	return fmt.Sprintf("%d paired, used %s ago", o.Keys, age(o.Used, now))
}

// age returns the time since a moment in one unit, like 5m.
func age(since, now time.Time) string {
	d := max(0, now.Sub(since))
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}} {
		if d >= unit.size {
			return strconv.Itoa(int(d/unit.size)) + unit.name
		}
	}
	return "0s"
}

// callsItself returns what a client says of itself, which proves nothing.
func callsItself(name string) string {
	if name == "" {
		return "(no name)"
	}
	return "calls itself " + plainText(name, 40)
}

// plainText returns text with at most limit characters, without control characters, tabs
// and characters that change the direction of text.
func plainText(text string, limit int) string {
	var plain strings.Builder
	for _, r := range text {
		if strconv.IsPrint(r) {
			plain.WriteRune(r) // a backslash of a path on Windows, too
		} else {
			plain.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	if runes := []rune(plain.String()); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return plain.String()
}
