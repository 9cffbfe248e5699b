package main

import (
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
		RunE:    func(c *cobra.Command, _ []string) error { return dev(c.Context(), o, std) },
	}
	o.register(c.Flags())
	c.Flags().StringVar(&o.web, "web", defaultWeb, "`address` of the web server, on loopback; port 0 picks a free one")
	c.Flags().StringVar(&o.files, "files", "", "serve the files that build --out wrote to this `directory`, instead of what is built from the sources")
	c.Flags().BoolVar(&o.watch, "watch", true, "let the playground monitor the traffic between assistants and pages, and send requests to pages")
	c.Flags().BoolVar(&o.json, "json", false, "print one line of JSON with all addresses on standard output; again for each line on standard input")
	return c
}

// docsStart is the path of the first page of the documentation.
const docsStart = "/docs/index.html"

// webFiles are what dev serves: built from the sources, or embedded in the program.
type webFiles struct {
	// watch calls built with the files, or with an error of the sources, once or whenever
	// they change, until ctx ends.
	watch func(ctx context.Context, built func(files map[string][]byte, err error)) error

	// brotli compresses contents; nil if the files are not compressed in advance.
	brotli func(ctx context.Context, contents []byte) ([]byte, error)

	hasDocs bool // the documentation is among the files
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
		source.watch, source.hasDocs = unchanged(files), files[docsStart] != nil
	} else if source.brotli != nil {
		fmt.Fprintln(std.err, "building …")
	}
	g, err := o.gateway(ctx, std)
	if err != nil {
		return err
	}
	defer g.Close(context.Background())
	w, err := listenWeb(g, o.web, devserver.New)
	if err != nil {
		return err
	}
	defer w.Close()
	g.AllowAssistants(w.Origins()...) // the playground connects to this gateway as a client, too
	if o.watch {
		g.AllowMonitors(w.Origins()...)
	}
	docs := ""
	if source.hasDocs {
		docs = "docs/"
	}
	g.AnnounceWeb(w.URL(), docs)

	demos := make(chan []string, 1) // names, from the first build
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	changed := make(chan struct{}, 1)
	if source.brotli != nil {
		go compressAll(ctx, source, w, changed) // ends with ctx
	}
	ended := make(chan error, 3)
	go func() { ended <- g.Serve(ctx) }()
	go func() { ended <- w.Serve(g.Port()) }()
	go func() { // ends with ctx
		ended <- source.watch(ctx, func(files map[string][]byte, err error) {
			if err != nil {
				w.Fail(err.Error())
				fmt.Fprintln(std.err, err)
			} else {
				files["/pagemcp/config.json"] = startConfig(g, o.settings, demoNames(files))
				w.SetLive(files)
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
		printAll := func() error { return printAddresses(std, g, w, o.settings, names) }
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

// listenWeb binds a web server to address. Its pages may join the gateway.
func listenWeb(g *server.Gateway, address string, newWeb func(*ecdsa.PrivateKey) (*devserver.Web, error)) (*devserver.Web, error) {
	if _, err := server.CheckLoopback(address); err != nil {
		return nil, mistake{fmt.Errorf("--web: %w", err)}
	}
	key, err := g.WebKey()
	if err != nil {
		return nil, err
	}
	w, err := newWeb(key)
	if err != nil {
		return nil, err
	}
	if err := w.Listen(address); err != nil {
		return nil, portTaken(err, "--web")
	}
	g.AllowOrigins(w.Origins()...)
	return w, nil
}

// compressAll compresses the files after each build, in the background, until ctx ends. What
// cannot be compressed is served by gzip.
func compressAll(ctx context.Context, source webFiles, w *devserver.Web, changed <-chan struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-changed:
			w.Compress(ctx, source.brotli)
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
	printTo(std.err, s, "\n  Open         "+link(std.err, w.URL()+g.Fragment())+"\n  Playground   "+link(std.err, w.URL()+"playground/"+g.Fragment())+
		"\n               (each good once, for two minutes; press Enter for new ones, or use `pagemcp open"+s.stateArgument()+"`)\n"+connectText(g, s)+"\n")
	return nil
}

// startConfig returns config.json, from which pages of the web server learn the
// addresses of the gateway. It contains no secret, since any program of this machine can
// request it.
func startConfig(g *server.Gateway, s settings, demos []string) []byte {
	config := struct {
		MCP       string   `json:"mcp"`
		Gateway   string   `json:"gateway"`             // URL for pages
		TokenFile string   `json:"tokenFile,omitempty"` // absent with --no-token
		Command   string   `json:"command,omitempty"`
		State     string   `json:"state,omitempty"` // absent if it is the default
		Demos     []string `json:"demos"`
	}{MCP: g.URL(), Gateway: g.PageURL(), TokenFile: g.TokenFile(), Demos: demos}
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
