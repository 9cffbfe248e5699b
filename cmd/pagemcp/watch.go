package main

import (
	"context"
	"fmt"
	"io"

	"github.com/pagemcp/pagemcp/server"
	"github.com/spf13/cobra"
)

func watchCommand(std streams) *cobra.Command {
	o := server.WatchOptions{}
	c := &cobra.Command{
		Use:     "watch [URI...]",
		GroupID: groupRun,
		Args:    cobra.ArbitraryArgs,
		Short:   "Print a line whenever resources of pages change, or events happen, for assistants that watch a command",
		Long: "Prints one line as soon as resources have changed, at most one a second, with the URIs by which an assistant reads them, and no contents. " +
			"An event of a page is a resource, too, such as notes+event:///saved: its line says how often it happened. " +
			"A URI as the page has it, such as event:///error, is that resource of each page. " +
			"Without URIs, all resources of all pages are watched, but those that their pages say are optional. " +
			"It reconnects when the gateway restarts, and says then in one line that something may have been missed.",
	}
	state := stateFlag(c)
	asJSON := c.Flags().Bool("json", false, "print lines of JSON")
	c.Flags().StringVar(&o.Page, "page", "", "watch the resources of the page with this `name` only; `pagemcp status` shows the names")
	c.Flags().BoolVar(&o.Contents, "contents", false, "print the data of events, too, whose pages say that it may be shown")
	c.Flags().StringVar(&o.As, "as", "", "`name` of the assistant, for its rights and the audit log (default: unnamed)")
	c.RunE = func(c *cobra.Command, uris []string) error {
		if o.As != "" {
			if err := server.CheckAssistantName(o.As); err != nil {
				return mistake{fmt.Errorf("--as: %w", err)}
			}
		}
		dir, err := stateDirectory(*state)
		if err != nil {
			return err
		}
		o.State, o.URIs, o.Logger = dir, uris, new(settings).logger(std)
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
