package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/pagemcp/pagemcp/server"
	"github.com/pagemcp/pagemcp/server/devserver"
	"github.com/spf13/pflag"
)

// appOptions are the flags of serve for an app of the user.
type appOptions struct {
	dir        string
	web        string // address of the web server
	singlePage bool
	open       bool
}

func (o *appOptions) register(flags *pflag.FlagSet) {
	flags.StringVar(&o.dir, "dir", "", "also serve the app in this `directory`, and reload its pages when a file changes")
	flags.StringVar(&o.web, "web", defaultWeb, "with --dir: `address` of the web server, on loopback; port 0 picks a free one")
	flags.BoolVar(&o.singlePage, "single-page", false, "with --dir: serve index.html for unknown paths without an extension")
	flags.BoolVar(&o.open, "open", false, "with --dir: open the app in the default browser")
}

// packagePath is the path of the npm package beside the app.
const packagePath = "/pagemcp/"

// serveApp runs the gateway and, on another port, a web server with the app, whose pages
// may join. It serves the npm package at /pagemcp/ as well, unless the app has files there:
// a page without a bundler imports it from there.
func serveApp(ctx context.Context, s settings, o appOptions, std streams) error {
	app, err := devserver.OpenDirectory(o.dir)
	if err != nil {
		return mistake{fmt.Errorf("--dir: %w", err)}
	}
	pack, err := packageFiles(ctx)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	w := devserver.NewApp(o.singlePage)
	defer w.Close()
	door := server.Door{Command: "serve"}
	if err := listenWeb(w, &door, o.web); err != nil {
		return err
	}
	err = s.hold(ctx, std, door, func(g gateway) error {
		go func() { end(w.Serve(g.Port)) }() // ends with w
		first := make(chan error, 1)
		go app.Watch(ctx, func(files map[string][]byte, err error) { // ends with ctx
			if err != nil {
				w.Fail(err.Error())
				printError(std, err)
			} else {
				w.SetLive(withPackage(files, pack))
			}
			select {
			case first <- err:
			default:
			}
		})
		select {
		case err := <-first:
			if err != nil {
				return mistake{fmt.Errorf("--dir: %w", err)}
			}
		case <-ctx.Done():
			return nil
		}
		printAll := func() error { return printApp(ctx, std, s, g, w, len(pack) > 0) }
		if err := printAll(); err != nil {
			return err
		}
		go onLine(ctx, std.in, func() { printAll() }) // an error of standard output is not fatal here
		if o.open {
			if err := openBrowser(ctx, w.URL()+g.fragment(ctx, std)); err != nil {
				printError(std, err)
			}
		}
		return nil
	})
	if cause := context.Cause(ctx); err == nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// printApp prints the addresses of an app.
func printApp(ctx context.Context, std streams, s settings, g gateway, w *devserver.Web, hasPackage bool) error {
	start := w.URL() + g.fragment(ctx, std)
	if s.json {
		return ready{MCP: g.MCP, Web: w.URL(), Start: start, TokenFile: g.TokenFile, Pages: map[string]string{}}.print(std.out)
	}
	text := "\n  Your app     " + start + "\n               (good once, for two minutes; press Enter for a new link, or use `pagemcp open" + s.stateArgument() + "`)\n"
	if !hasPackage {
		text += "  Package      not at /pagemcp/: this program was built without web files; an app without a bundler needs a copy of the package\n"
	}
	printTo(std.err, s, text+connectText(g, s)+"\n")
	return nil
}

// packageFiles returns the files of the npm package: embedded in the program, or built from
// the sources of the clone that the program is in. There are none if the program has neither.
func packageFiles(ctx context.Context) (map[string][]byte, error) {
	source, err := findWebFiles()
	if err != nil {
		return nil, nil
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var failure error
	found := map[string][]byte{}
	err = source.watch(ctx, func(files map[string][]byte, err error) {
		defer stop()
		failure = err
		for name, body := range files {
			if strings.HasPrefix(name, packagePath) {
				found[name] = body
			}
		}
	})
	return found, errors.Join(err, failure)
}

// withPackage returns the files of an app and, if it has none at packagePath, those of the
// package.
func withPackage(files, pack map[string][]byte) map[string][]byte {
	for name := range files {
		if strings.HasPrefix(name, packagePath) {
			return files
		}
	}
	all := maps.Clone(pack)
	if all == nil {
		return files
	}
	maps.Copy(all, files)
	return all
}
