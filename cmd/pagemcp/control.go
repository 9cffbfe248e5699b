package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

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

// printJSON prints value as one line. Characters that a terminal does not show, or that
// reorder the text, are escaped.
func printJSON(w io.Writer, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", escapeHidden(text))
	return err
}

// escapeHidden escapes characters of JSON text that cannot be seen: JSON allows them only
// in strings, where an escape means the same.
func escapeHidden(text []byte) []byte {
	escaped := make([]byte, 0, len(text))
	for _, r := range string(text) {
		if r < 0x7f || !unicode.In(r, unicode.C, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
			escaped = utf8.AppendRune(escaped, r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			escaped = fmt.Appendf(escaped, "\\u%04x", unit)
		}
	}
	return escaped
}
