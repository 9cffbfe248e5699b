package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

func logsCommand(std streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "logs",
		GroupID: groupControl,
		Short:   "Show the log of the running gateway; the audit log is a file in its state directory",
	}
	state := stateFlag(c)
	follow := c.Flags().BoolP("follow", "f", false, "wait for further lines")
	asJSON := c.Flags().Bool("json", false, "print each line as a JSON object")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return showLog(c.Context(), *state, *follow, *asJSON, std)
	}
	return c
}

func showLog(ctx context.Context, state string, follow, asJSON bool, std streams) error {
	gateway, err := connectGateway(ctx, state)
	if err != nil {
		return err
	}
	return gateway.Log(ctx, follow, func(line []byte) error {
		if !asJSON {
			return printLogLine(std.out, line)
		}
		_, err := fmt.Fprintf(std.out, "%s\n", line)
		return err
	})
}

// printLogLine prints one record of slog.JSONHandler as a line for people: local time,
// level, message, and the other members sorted by name.
func printLogLine(w io.Writer, line []byte) error {
	var record map[string]any
	if err := json.Unmarshal(line, &record); err != nil {
		return nil // not a record
	}
	at, _ := time.Parse(time.RFC3339Nano, fmt.Sprint(record["time"]))
	words := []string{at.Local().Format(time.TimeOnly), fmt.Sprintf("%-5v", record["level"]), plainText(fmt.Sprint(record["msg"]), 500)}
	var names []string
	for name := range record {
		if name != "time" && name != "level" && name != "msg" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		words = append(words, name+"="+plainText(fmt.Sprint(record[name]), 500))
	}
	_, err := fmt.Fprintln(w, strings.Join(words, " "))
	return err
}
