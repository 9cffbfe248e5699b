//go:build release

package main

import (
	"bytes"
	"maps"
	"slices"

	"github.com/pagemcp/pagemcp/server/site"
	"github.com/spf13/cobra"
)

// findWebFiles returns the files that are embedded in the program, also inside a clone:
// a release does not contain the bundler.
func findWebFiles() (webFiles, error) {
	files, err := site.Files(site.WebFiles)
	if err != nil {
		return webFiles{}, err
	}
	return webFiles{
		watch: unchanged(files),
		extension: func(browser string) (map[string][]byte, error) {
			return site.Files(site.Extension + "/" + browser)
		},
		notices: func() ([]byte, error) {
			files, err := site.Files(site.Notices)
			return bytes.Join(slices.Collect(maps.Values(files)), nil), err
		},
	}, nil
}

// sourceCommands returns the commands that need the sources.
func sourceCommands(streams) []*cobra.Command { return nil }
