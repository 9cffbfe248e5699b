package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/pagemcp/pagemcp/server"
	"github.com/pagemcp/pagemcp/server/devserver"
	"github.com/spf13/cobra"
)

// devOptions are the flags of dev.
type devOptions struct {
	settings
	web   string // address of the web server
	files string // directory; "" for those of the sources, or embedded ones
	watch bool
}

func devCommand(std streams) *cobra.Command {
	o := devOptions{settings: settings{logging: true}} // the developer of a page needs its log messages
	c := &cobra.Command{
		Use:     "dev",
		GroupID: groupRun,
		Short:   "Run the gateway, and serve the playground and the demos; in a clone live, from the sources",
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.prepare(c); err != nil {
				return err
			}
			return dev(c.Context(), o, std)
		},
	}
	o.register(c.Flags())
	c.Flags().StringVar(&o.web, "web", defaultWeb, "`address` of the web server, on loopback; port 0 picks a free one")
	c.Flags().StringVar(&o.files, "files", "", "serve the files that build --out wrote to this `directory`, instead of what is built from the sources")
	c.Flags().BoolVar(&o.watch, "watch", true, "let the playground monitor the traffic between assistants and pages, and send requests to pages")
	c.Flags().BoolVar(&o.json, "json", false, "print one line of JSON with all addresses on standard output; again for each line on standard input")
	return c
}

// webFiles are what dev serves: built from the sources, or embedded in the program.
type webFiles struct {
	// watch calls built with the files, or with an error of the sources, once or whenever
	// they change, until ctx ends.
	watch func(ctx context.Context, built func(files map[string][]byte, err error)) error

	isBuilt bool // from the sources, which takes a while
	// extension returns the unpacked extension for a browser, by path.
	extension func(browser string) (map[string][]byte, error)

	notices func() ([]byte, error) // of the program: licences of its modules
}

// dev runs the gateway and, on another port, a web server with the demos, which are
// rebuilt when the sources change.
func dev(ctx context.Context, o devOptions, std streams) error {
	source, err := findWebFiles()
	if err != nil && o.files == "" {
		return err
	}
	if o.files != "" {
		files, err := readFiles(o.files)
		if err != nil {
			return fmt.Errorf("--files: %w", err)
		}
		source.watch = unchanged(files)
	} else if source.isBuilt {
		fmt.Fprintln(std.err, "building …")
	}
	if err := onlyDev(ctx, o.state); err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	door := server.Door{Command: "dev"}
	w := devserver.New()
	defer w.Close()
	if err := listenWeb(w, &door, o.web); err != nil {
		return err
	}
	door.Assistants = append(door.Assistants, w.Origins()...) // the playground connects to this gateway as a client, too
	if o.watch {
		door.Monitors = w.Origins()
	}
	err = o.hold(ctx, std, door, func(g gateway) error {
		go func() { end(w.Serve(g.Port)) }()                                // ends with w
		go func() { end(serveFiles(ctx, o.settings, g, w, source, std)) }() // ends with ctx
		return nil
	})
	if cause := context.Cause(ctx); err == nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// onlyDev returns an error that says who runs if another pagemcp dev does.
func onlyDev(ctx context.Context, state string) error {
	running, err := server.Connect(ctx, state)
	if err != nil || running.Running.Dev == "" {
		return nil // the gateway is asked again
	}
	return errors.New(running.Running.Dev)
}

// serveFiles builds what w serves, and prints all addresses after the first time, and for
// each line of the input. It ends with ctx, or with an error.
func serveFiles(ctx context.Context, s settings, g gateway, w *devserver.Web, source webFiles, std streams) error {
	var once sync.Once
	var failure error
	watched := source.watch(ctx, func(files map[string][]byte, err error) {
		names := demoNames(files)
		if err != nil {
			w.Fail(err.Error())
			fmt.Fprintln(std.err, err)
		} else {
			files["/pagemcp/config.json"] = startConfig(g, s, names)
			w.SetLive(files)
		}
		once.Do(func() {
			printAll := func() error { return printAddresses(ctx, std, g, w, s, names) }
			failure = printAll()
			go onLine(ctx, std.in, func() { printAll() }) // an error of standard output is not fatal here
		})
	})
	if watched == nil && failure == nil {
		<-ctx.Done() // the files do not change
	}
	return cmp.Or(failure, watched)
}

// listenWeb binds a web server to address. Its pages may join the gateway.
func listenWeb(w *devserver.Web, door *server.Door, address string) error {
	if _, err := server.CheckLoopback(address); err != nil {
		return mistake{fmt.Errorf("--web: %w", err)}
	}
	if err := w.Listen(address); err != nil {
		return portTaken(err, "--web")
	}
	door.Origins, door.Web = slices.Concat(door.Origins, w.Origins()), w.URL()
	return nil
}

// printAddresses prints all addresses. Each page URL contains a new secret.
func printAddresses(ctx context.Context, std streams, g gateway, w *devserver.Web, s settings, demos []string) error {
	fragment := func() string { return g.fragment(ctx, std) }
	if s.json {
		line := ready{MCP: g.MCP, Web: w.URL(), Start: w.URL() + fragment(), Playground: w.URL() + "playground/" + fragment(), TokenFile: g.TokenFile, Pages: map[string]string{}}
		for _, name := range demos {
			line.Pages[name] = w.URL() + "demo/" + name + "/" + fragment()
		}
		return line.print(std.out)
	}
	printTo(std.err, s, "\n  Open         "+w.URL()+fragment()+"\n  Playground   "+w.URL()+"playground/"+fragment()+
		"\n               (each good once, for two minutes; press Enter for new ones, or use `pagemcp open"+s.stateArgument()+"`)\n"+connectText(g, s)+"\n")
	return nil
}

// startConfig returns config.json, from which pages of the web server learn the
// addresses of the gateway. It contains no secret, since any program of this machine can
// request it.
func startConfig(g gateway, s settings, demos []string) []byte {
	config := struct {
		MCP       string   `json:"mcp"`
		Gateway   string   `json:"gateway"`             // URL for pages
		TokenFile string   `json:"tokenFile,omitempty"` // absent with --no-token
		Command   string   `json:"command,omitempty"`
		State     string   `json:"state,omitempty"` // absent if it is the default
		Demos     []string `json:"demos"`
	}{MCP: g.MCP, Gateway: g.Page, TokenFile: g.TokenFile, Demos: demos}
	if s.noToken {
		config.TokenFile = ""
	}
	if usual, err := server.DefaultState(); err != nil || s.state != usual {
		if absolute, err := filepath.Abs(s.state); err == nil {
			config.State = absolute
		}
	}
	if executable, err := os.Executable(); err == nil {
		config.Command = executable
	}
	text, _ := json.Marshal(config) // cannot fail: strings only
	return text
}

// demoNames returns the names of the demos among files.
func demoNames(files map[string][]byte) []string {
	names := []string{}
	for name := range files {
		if name, ok := strings.CutPrefix(name, "/demo/"); ok {
			if name, ok := strings.CutSuffix(name, "/index.html"); ok && !strings.Contains(name, "/") {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}
