package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/pagemcp/pagemcp/server"
	"github.com/spf13/cobra"
)

// stateFlag adds --state to a command that talks to the running gateway.
func stateFlag(c *cobra.Command) *string {
	state := c.Flags().String("state", "", "state `directory` of the gateway (default: pagemcp in your state directory)")
	c.MarkFlagDirname("state")
	return state
}

// connectGateway returns the control of the gateway that uses a state directory, the
// default one if dir is empty.
func connectGateway(ctx context.Context, dir string) (*server.Control, error) {
	dir, err := stateDirectory(dir)
	if err != nil {
		return nil, err
	}
	return server.Connect(ctx, dir)
}

// stateDirectory returns dir, or the default if it is empty.
func stateDirectory(dir string) (string, error) {
	if dir != "" {
		return dir, nil
	}
	return server.DefaultState()
}

// explicitState returns the absolute path of the state directory for commands that other
// programs start, which may not have the environment of this one; "" if they find the
// same directory without it.
func explicitState(given string) (string, error) {
	if given == "" && os.Getenv("XDG_STATE_HOME") == "" {
		return "", nil
	}
	dir, err := stateDirectory(given)
	if err != nil {
		return "", err
	}
	return filepath.Abs(dir)
}

// printJSON prints value as one line.
func printJSON(w io.Writer, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}
