//go:build !manpages

package main

import "github.com/spf13/cobra"

// documentCommands is for the program that writes manual pages.
func documentCommands() []*cobra.Command { return nil }
