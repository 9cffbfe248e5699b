package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/server"
	"github.com/spf13/cobra"
)

// maxSettle is the longest --settle: a report must not be held back for ever.
const maxSettle = time.Minute

func watchCommand(std streams) *cobra.Command {
	o := server.WatchOptions{}
	c := &cobra.Command{
		Use:     "watch [URI...]",
		GroupID: groupRun,
		Short:   "Print a line whenever resources of pages change, for assistants that watch a command",
		Long: "Prints one line as soon as resources have changed, at most one a second, with the URIs by which an assistant reads them, and no contents. " +
			"Without URIs, all resources that are listed are watched. It reconnects when the gateway restarts, and says then what it may have missed.",
	}
	state := stateFlag(c)
	asJSON := c.Flags().Bool("json", false, "print lines of JSON")
	c.Flags().StringVar(&o.Page, "page", "", "watch the resources of the page with this `name` only; `pagemcp status` shows the names")
	c.Flags().StringVar(&o.As, "as", "", "`name` of the assistant, for its rights and the audit log (default: unnamed)")
	c.Flags().DurationVar(&o.Settle, "settle", 500*time.Millisecond, "print what changes after a line once nothing has changed for this `time`, and at the latest after two seconds")
	c.RunE = func(c *cobra.Command, uris []string) error {
		if o.Settle <= 0 || o.Settle > maxSettle {
			return mistake{fmt.Errorf("--settle must be above 0 and at most %v", maxSettle)}
		}
		if o.As != "" {
			if err := server.CheckAssistantName(o.As); err != nil {
				return mistake{fmt.Errorf("--as: %w", err)}
			}
		}
		dir, err := stateDirectory(*state)
		if err != nil {
			return err
		}
		o.State, o.URIs, o.Logger = dir, uris, newLogger(std.err, "text")
		return watch(c.Context(), o, *asJSON, std)
	}
	return c
}

func watch(ctx context.Context, o server.WatchOptions, asJSON bool, std streams) error {
	return server.Watch(ctx, o, func(r server.WatchReport) error {
		if asJSON {
			return printJSON(std.out, r)
		}
		_, err := io.WriteString(std.out, watchLine(r)+"\n")
		return err
	})
}

// watchLine returns a report as one line. Names are texts of pages, and marked as such.
func watchLine(r server.WatchReport) string {
	var parts []string
	if m := r.Missed; m != nil {
		parts = append(parts, fmt.Sprintf("no connection to the gateway for %.0f s, changes of %d resources may have been missed", m.Seconds, m.Watched))
	}
	var changed []string
	for _, one := range r.Resources {
		text := plainText(one.URI, 300)
		if one.Name != "" {
			text += fmt.Sprintf(" (named %q by the page)", plainText(one.Name, 100))
		}
		changed = append(changed, text)
	}
	if r.More > 0 {
		changed = append(changed, fmt.Sprintf("and %d more", r.More))
	}
	if changed != nil {
		parts = append(parts, "changed, to be read by URI: "+strings.Join(changed, ", "))
	}
	for _, page := range r.Lists {
		of := plainText(page, 48)
		if page == "" {
			of = "the gateway itself"
		}
		parts = append(parts, "the list of resources of "+of+" has changed")
	}
	return r.Time.UTC().Format(time.RFC3339) + " " + strings.Join(parts, "; ")
}
