//go:build manpages

package main

import (
	"os"
	"time"

	"github.com/pagemcp/pagemcp/web"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// documentCommands has the command that writes the manual pages of a release. The library is
// 1 MB, so no released program has the build tag.
func documentCommands() []*cobra.Command {
	var date string
	c := &cobra.Command{Use: "manpages DIR", Hidden: true, Args: cobra.ExactArgs(1)}
	c.Flags().StringVar(&date, "date", "", "of the pages, like 2026-11-21")
	c.RunE = func(c *cobra.Command, args []string) error {
		on, err := time.Parse(time.DateOnly, date)
		if err != nil {
			return mistake{err}
		}
		if err := os.MkdirAll(args[0], 0o755); err != nil {
			return err
		}
		root := c.Root()
		root.DisableAutoGenTag = true // it has the time
		return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Date: &on, Source: "PageMCP " + web.Version(), Manual: "PageMCP"}, args[0])
	}
	return []*cobra.Command{c}
}
