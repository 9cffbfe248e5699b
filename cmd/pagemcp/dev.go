package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pagemcp/pagemcp/server"
	"github.com/pagemcp/pagemcp/server/bundle"
	"github.com/pagemcp/pagemcp/server/devserver"
)

// dev runs the gateway and, on another port, a web server with the demos, which are
// rebuilt when the sources change.
func dev(ctx context.Context, args []string, std streams) error {
	s := settings{logging: true} // the developer of a page needs its log messages
	var address string
	var watch bool
	err := parse("dev", "Runs the gateway and serves the demos, live, from the sources.", args, std, func(flags *flag.FlagSet) {
		s.register(flags)
		flags.StringVar(&address, "web", defaultWeb, "`address` of the web server, on loopback; port 0 picks a free one")
		flags.BoolVar(&watch, "watch", true, "let the playground monitor the traffic between assistants and pages, and send requests to pages")
		flags.BoolVar(&s.json, "json", false, "print one line of JSON with all addresses on standard output; again for each line on standard input")
	})
	if err != nil {
		return err
	}
	root, err := findSources()
	if err != nil {
		return err
	}
	g, err := s.gateway(ctx, std)
	if err != nil {
		return err
	}
	defer g.Close(context.Background())
	if _, err := server.CheckLoopback(address); err != nil {
		return fmt.Errorf("--web: %w", err)
	}
	key, err := g.WebKey()
	if err != nil {
		return err
	}
	w, err := devserver.New(key)
	if err != nil {
		return err
	}
	if err := w.Listen(address); err != nil {
		return portTaken(err, "--web")
	}
	defer w.Close()
	g.AllowOrigins(w.Origins()...)
	g.AllowAssistants(w.Origins()...) // the playground connects to this gateway as a client, too
	if watch {
		g.AllowMonitors(w.Origins()...)
	}

	demos := make(chan []string, 1) // names, from the first build
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	changed := make(chan struct{}, 1)
	go compressAll(ctx, root, w, changed) // ends with ctx
	ended := make(chan error, 3)
	go func() { ended <- g.Serve(ctx) }()
	go func() { ended <- w.Serve(g.Port()) }()
	go func() { // ends with ctx
		ended <- bundle.Watch(ctx, root, func(files bundle.Files, err error) {
			if err != nil {
				w.Fail(err.Error())
				fmt.Fprintln(std.err, err)
			} else {
				files["/pagemcp/config.json"] = startConfig(g, s.noToken, demoNames(files))
				w.Set(devserver.WithLiveReload(files))
				select {
				case changed <- struct{}{}:
				default: // it has not begun with the files of an earlier build
				}
			}
			select {
			case demos <- demoNames(files):
			default:
			}
		})
	}()
	select {
	case names := <-demos:
		printAll := func() error { return printAddresses(std, g, w, s, names) }
		if err := printAll(); err != nil {
			return err
		}
		go onLine(ctx, std.in, func() { printAll() }) // an error of standard output is not fatal here
	case err := <-ended:
		return err
	case <-ctx.Done():
		return nil
	}
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return nil
	}
}

// compressAll compresses the files after each build, in the background, until ctx ends. What
// cannot be compressed is served by gzip.
func compressAll(ctx context.Context, root string, w *devserver.Web, changed <-chan struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-changed:
			w.Compress(ctx, func(ctx context.Context, contents []byte) ([]byte, error) {
				return bundle.Brotli(ctx, root, contents)
			})
		}
	}
}

// printAddresses prints all addresses. Each page URL contains a new secret.
func printAddresses(std streams, g *server.Gateway, w *devserver.Web, s settings, demos []string) error {
	if s.json {
		line := ready{MCP: g.URL(), Web: w.URL(), Start: w.URL() + g.Fragment(), Playground: w.URL() + "playground/" + g.Fragment(), TokenFile: g.TokenFile(), Pages: map[string]string{}}
		for _, name := range demos {
			line.Pages[name] = w.URL() + "demo/" + name + "/" + g.Fragment()
		}
		return line.print(std.out)
	}
	printTo(std.err, s, "\n  Open         "+w.URL()+g.Fragment()+"\n  Playground   "+w.URL()+"playground/"+g.Fragment()+
		"\n               (each good once, for two minutes; press Enter for new ones)\n"+connectText(g, s)+"\n")
	return nil
}

// startConfig returns config.json, from which pages of the web server learn the
// addresses of the gateway. It contains no secret, since any program of this machine can
// request it.
func startConfig(g *server.Gateway, noToken bool, demos []string) []byte {
	config := struct {
		MCP       string   `json:"mcp"`
		Gateway   string   `json:"gateway"`             // URL for pages
		TokenFile string   `json:"tokenFile,omitempty"` // absent with --no-token
		Command   string   `json:"command,omitempty"`
		Demos     []string `json:"demos"`
	}{MCP: g.URL(), Gateway: g.PageURL(), TokenFile: g.TokenFile(), Demos: demos}
	if noToken {
		config.TokenFile = ""
	}
	if executable, err := os.Executable(); err == nil {
		config.Command = executable
	}
	text, _ := json.Marshal(config) // cannot fail: strings only
	return text
}

// demoNames returns the names of the demos among files.
func demoNames(files bundle.Files) []string {
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

// findSources returns the root of the repository that contains the working directory.
func findSources() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		mod, err := os.Open(filepath.Join(dir, "go.mod"))
		if err == nil {
			head := make([]byte, 256) // bytes; enough for the module line
			n, _ := io.ReadFull(mod, head)
			mod.Close()
			if strings.HasPrefix(string(head[:n]), "module github.com/pagemcp/pagemcp\n") {
				return dir, nil
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("dev and build need PageMCP's sources: run them inside a clone of github.com/pagemcp/pagemcp; `pagemcp serve` does not")
		}
		dir = parent
	}
}
