package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pagemcp/pagemcp/server/bundle"
)

// build writes the npm package to dist/npm/pagemcp, the unpacked browser extension to
// dist/extension and the playground to dist/playground; or, with --out, all files that
// dev serves.
func build(ctx context.Context, args []string, std streams) error {
	var out string
	var bench bool
	err := parse("build", "Builds the npm package into dist/npm/pagemcp, the browser extension into dist/extension, and the playground for any web host into dist/playground.", args, std, func(flags *flag.FlagSet) {
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
	npm := filepath.Join(root, "dist", "npm", "pagemcp")
	if err := bundle.WritePackage(root, npm, files); err != nil {
		return err
	}
	fmt.Fprintln(std.err, "built", npm)
	playground := filepath.Join(root, "dist", "playground")
	if err := os.RemoveAll(playground); err != nil { // older builds have chunks with other names
		return err
	}
	packed, err := bundle.Compressed(ctx, root, files)
	if err != nil {
		return err
	}
	if err := packed.Write(playground, bundle.Playground); err != nil {
		return err
	}
	fmt.Fprintln(std.err, "built", playground)
	if files, err = bundle.BuildExtension(root); err != nil {
		return err
	}
	extension := filepath.Join(root, "dist", "extension")
	if err := files.Write(extension, "/"); err != nil {
		return err
	}
	fmt.Fprintln(std.err, "built", extension)
	notices, err := bundle.BinaryNotices(root)
	if err != nil {
		return err
	}
	return bundle.Files{"/" + bundle.Notices: notices}.Write(filepath.Join(root, "bin"), "/") // the notices of the program
}
