package main

import (
	"context"
	"fmt"
	"io"
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
		Args:    cobra.ArbitraryArgs,
		Short:   "Print a line whenever resources of pages change, or events happen, for assistants that watch a command",
		Long: "Prints one line as soon as resources have changed, at most one a second, with the URIs by which an assistant reads them, and no contents. " +
			"An event of a page is a resource, too, such as notes+event:///saved: its line says how often it happened. " +
			"Without URIs, all resources of all pages are watched. " +
			"It reconnects when the gateway restarts, and says then in one line that something may have been missed.",
	}
	state := stateFlag(c)
	asJSON := c.Flags().Bool("json", false, "print lines of JSON")
	c.Flags().StringVar(&o.Page, "page", "", "watch the resources of the page with this `name` only; `pagemcp status` shows the names")
	c.Flags().BoolVar(&o.Contents, "contents", false, "print the data of events, too, whose pages say that it may be shown")
	c.Flags().StringVar(&o.As, "as", "", "`name` of the assistant, for its rights and the audit log (default: unnamed)")
	c.Flags().DurationVar(&o.Settle, "settle", 500*time.Millisecond, "print a change after a pause of this `time` as soon as a second has passed since the last line, and other changes once nothing has changed for it, at the latest two seconds after that line")
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
		_, err := io.WriteString(std.out, server.WatchLine(r)+"\n")
		return err
	})
}
