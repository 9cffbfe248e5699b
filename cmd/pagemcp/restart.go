package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func restartCommand(std streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "restart",
		GroupID: groupControl,
		Short:   "End the running gateway gracefully: the commands and assistants that need one start it again",
	}
	state := stateFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		gateway, err := connectGateway(c.Context(), *state)
		if err != nil {
			return err
		}
		if err := gateway.End(c.Context()); err != nil {
			return err
		}
		_, err = fmt.Fprintf(std.out, "The gateway of process %d ends. Assistants that start `pagemcp stdio` continue at the next one.\n", gateway.Running.PID)
		return err
	}
	return c
}
