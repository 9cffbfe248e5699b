package main

import (
	"context"
	"errors"
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
		Short:   "Print a line whenever resources of pages change, or an event happens, for assistants that watch a command",
		Long: "Prints one line as soon as resources have changed, at most one a second, with the URIs by which an assistant reads them, and no contents. " +
			"Without URIs, all resources of all pages are watched; with --event, an event of a page instead. " +
			"It reconnects when the gateway restarts, and says then in one line what has happened meanwhile.",
	}
	state := stateFlag(c)
	asJSON := c.Flags().Bool("json", false, "print lines of JSON")
	c.Flags().StringVar(&o.Page, "page", "", "watch the resources of the page with this `name` only; `pagemcp status` shows the names")
	c.Flags().StringVar(&o.Event, "event", "", "watch the event with this `name` instead of resources, with the page's name before it, like notes.saved")
	c.Flags().BoolVar(&o.Contents, "contents", false, "print the data of the event, too, if its page says that it may be shown")
	c.Flags().StringVar(&o.As, "as", "", "`name` of the assistant, for its rights and the audit log (default: unnamed)")
	c.Flags().DurationVar(&o.Settle, "settle", 500*time.Millisecond, "print a change after a pause of this `time` as soon as a second has passed since the last line, and other changes once nothing has changed for it, at the latest two seconds after that line")
	c.RunE = func(c *cobra.Command, uris []string) error {
		if o.Settle <= 0 || o.Settle > maxSettle {
			return mistake{fmt.Errorf("--settle must be above 0 and at most %v", maxSettle)}
		}
		if o.Event != "" && (len(uris) > 0 || o.Page != "") {
			return mistake{errors.New("--event watches an event instead of resources: leave out URIs and --page")}
		}
		if o.Contents && o.Event == "" {
			return mistake{errors.New("--contents prints the data of an event: it needs --event; resources are never printed")}
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
