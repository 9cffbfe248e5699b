package main

import (
	"context"
	"fmt"
	"time"

	"github.com/pagemcp/pagemcp/server"
	"github.com/spf13/cobra"
)

// defaultPause is how long `pagemcp pause` pauses.
const defaultPause = time.Hour

func pauseCommand(std streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "pause [TIME]",
		GroupID: groupControl,
		Short:   "Stop all assistants for a time, an hour by default: they read and do nothing",
		Example: "  pagemcp pause\n  pagemcp pause 20m",
	}
	state := stateFlag(c)
	length := defaultPause
	c.Args = func(c *cobra.Command, args []string) (err error) {
		if len(args) == 0 {
			return nil
		}
		if len(args) == 1 {
			length, err = time.ParseDuration(args[0])
		}
		if len(args) > 1 || err != nil || length < time.Second || length > server.MaxPause {
			return mistake{fmt.Errorf("pause needs one time like 20m or 8h, at most %dh; see %s --help", server.MaxPause/time.Hour, c.CommandPath())}
		}
		return nil
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return pause(c.Context(), *state, length, std) }
	return c
}

func resumeCommand(std streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "resume",
		GroupID: groupControl,
		Short:   "End a pause: assistants may read again, and learn what has changed meanwhile",
		Args:    noArguments,
	}
	state := stateFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) error { return pause(c.Context(), *state, 0, std) }
	return c
}

// pause pauses all assistants, or ends that with 0.
func pause(ctx context.Context, state string, length time.Duration, std streams) error {
	gateway, err := connectGateway(ctx, state)
	if err != nil {
		return err
	}
	paused, err := gateway.Pause(ctx, length)
	if err != nil {
		return err
	}
	text := "Assistants may read again.\n"
	if !paused.Until.IsZero() {
		text = fmt.Sprintf("Assistants are paused until %s. `pagemcp resume` ends that.\n", paused.Until.Local().Format("Jan 2, 15:04"))
	}
	_, err = fmt.Fprint(std.out, text)
	return err
}
