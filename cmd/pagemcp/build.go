//go:build !release

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pagemcp/pagemcp/server/bundle"
	"github.com/spf13/cobra"
)

// sourceCommands returns the commands that need the sources.
func sourceCommands(std streams) []*cobra.Command { return []*cobra.Command{buildCommand(std)} }

func buildCommand(std streams) *cobra.Command {
	var out string
	var bench bool
	c := &cobra.Command{
		Use:     "build",
		GroupID: groupBuild,
		Short:   "Build the npm package, the browser extension, the playground and the documentation into dist",
		RunE:    func(c *cobra.Command, _ []string) error { return build(c.Context(), out, bench, std) },
	}
	c.Flags().StringVar(&out, "out", "", "write the package and the demos into this `directory` instead, laid out as dev serves them")
	c.Flags().BoolVar(&bench, "bench", false, "with --out: the page of the benchmark instead of the demos")
	return c
}

// build writes the npm package to dist/npm/pagemcp, the unpacked browser extension to
// dist/extension (Chromium) and dist/extension-firefox, the playground to dist/playground
// and the documentation to dist/docs; or, with out, all files that dev serves.
func build(ctx context.Context, out string, bench bool, std streams) error {
	root, err := findSources()
	if err != nil {
		return err
	}
	fmt.Fprintln(std.err, "building …")
	all := bundle.Build
	if bench {
		all = bundle.BuildBench
	}
	files, err := all(root)
	if err != nil {
		return err
	}
	if out != "" {
		return files.Write(out, "/")
	}
	npm := filepath.Join(root, "dist", "npm", "pagemcp")
	if err := bundle.WritePackage(root, npm, files); err != nil {
		return err
	}
	fmt.Fprintln(std.err, "built", npm)
	for _, path := range []string{bundle.Playground, bundle.Docs} {
		dir := filepath.Join(root, "dist", filepath.FromSlash(path))
		if err := os.RemoveAll(dir); err != nil { // older builds have chunks with other names
			return err
		}
		if err := files.Write(dir, path); err != nil {
			return err
		}
		fmt.Fprintln(std.err, "built", dir)
	}
	extensions, err := bundle.BuildExtensions(root)
	if err != nil {
		return err
	}
	for _, browser := range bundle.ExtensionBrowsers {
		dir := filepath.Join(root, "dist", bundle.ExtensionName(browser))
		if err := os.RemoveAll(dir); err != nil { // an older build may have further files
			return err
		}
		if err := extensions[browser].Write(dir, "/"); err != nil {
			return err
		}
		fmt.Fprintln(std.err, "built", dir)
	}
	notices, err := bundle.BinaryNotices(root, "./cmd/pagemcp", "./cmd/pagemcpd")
	if err != nil {
		return err
	}
	return bundle.Files{"/" + bundle.Notices: notices}.Write(filepath.Join(root, "bin"), "/") // the notices of the program
}
