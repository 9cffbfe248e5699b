package main

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"

	"github.com/pagemcp/pagemcp/server/bundle"
)

// build writes the npm package into web/dist, and the browser extension, unpacked,
// into dist/extension; or, with --out, everything that dev would serve, laid out as
// it serves it.
func build(_ context.Context, args []string, std streams) error {
	var out string
	var bench bool
	err := parse("build", "Builds the npm package into web/dist, and the browser extension into dist/extension.", args, std, func(flags *flag.FlagSet) {
		flags.StringVar(&out, "out", "", "write the package and the demos into this `directory` instead, laid out as dev serves them")
		flags.BoolVar(&bench, "bench", false, "with --out: the page of the benchmark instead of the demos")
	})
	if err != nil {
		return err
	}
	root, err := findSources()
	if err != nil {
		return err
	}
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
	dist := filepath.Join(root, "web", "dist")
	if err := files.Write(dist, bundle.Package); err != nil {
		return err
	}
	if err := bundle.WriteTypes(root, dist); err != nil {
		return err
	}
	fmt.Fprintln(std.err, "built", dist)
	if files, err = bundle.BuildExtension(root); err != nil {
		return err
	}
	extension := filepath.Join(root, "dist", "extension")
	if err := files.Write(extension, "/"); err != nil {
		return err
	}
	fmt.Fprintln(std.err, "built", extension)
	return nil
}
