package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"strings"

	"github.com/pagemcp/pagemcp/server"
	"github.com/spf13/cobra"
)

func serveCommand(std streams) *cobra.Command {
	var s settings
	var app appOptions
	c := &cobra.Command{
		Use:     "serve",
		GroupID: groupRun,
		Short:   "Run the gateway alone, for pages of other web servers, or with an app of yours",
		Example: "  pagemcp serve --allow-origin http://localhost:5173\n  pagemcp serve --dir ./dist --open",
	}
	s.register(c.Flags())
	c.Flags().BoolVar(&s.json, "json", false, "print one line of JSON with all addresses on standard output")
	c.Flags().DurationVar(&s.untilIdle, "until-idle", 0, "end when no page, assistant or command has used the gateway for this `time` (default: never)")
	app.register(c.Flags())
	c.MarkFlagDirname("dir")
	c.Flags().Var(&s.only, "only-origin", "like --allow-origin, and revoke all other origins: their keys and names are deleted; repeatable")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if app.dir == "" {
			for _, name := range []string{"web", "single-page", "open"} {
				if c.Flags().Changed(name) {
					return mistake{fmt.Errorf("--%s needs --dir, the directory of your app", name)}
				}
			}
		}
		if err := s.prepare(c); err != nil {
			return err
		}
		switch {
		case s.untilIdle > 0:
			return s.serveUntilIdle(c.Context(), std)
		case app.dir != "":
			return serveApp(c.Context(), s, app, std)
		}
		return serve(c.Context(), s, std)
	}
	return c
}

// serveUntilIdle runs a gateway of its own, which pagemcp stdio starts. Its log is read by
// pagemcp logs.
func (s *settings) serveUntilIdle(ctx context.Context, std streams) error {
	raiseHeapFloor()
	options := s.options(std)
	options.Logger = nil
	g, err := server.New(options)
	if err != nil {
		return err
	}
	defer g.Close(context.Background())
	if err := g.Listen(s.mcp); err != nil {
		return portTaken(err, "--mcp")
	}
	return g.Serve(ctx)
}

// serve runs the gateway alone. Pages come from other web servers.
func serve(ctx context.Context, s settings, std streams) error {
	return s.hold(ctx, std, server.Door{Command: "serve"}, func(g gateway) error {
		fragment := func() string { return g.fragment(ctx, std) }
		if s.json {
			return ready{MCP: g.MCP, TokenFile: g.TokenFile, Pages: map[string]string{}, Pairing: fragment()}.print(std.out)
		}
		printTo(std.err, s, connectText(g, s))
		printPairing(std.err, fragment, s.origins)
		go onLine(ctx, std.in, func() { printPairing(std.err, fragment, s.origins) }) // ends with the input
		return nil
	})
}

// ready is the line that --json prints.
type ready struct {
	MCP        string            `json:"mcp"`
	Web        string            `json:"web,omitempty"`
	Start      string            `json:"start,omitempty"`      // URL of the start page with a secret
	Playground string            `json:"playground,omitempty"` // likewise
	TokenFile  string            `json:"tokenFile"`
	Pages      map[string]string `json:"pages"`
	Pairing    string            `json:"pairing,omitempty"` // fragment for a page of an allowed origin
}

func (r ready) print(w io.Writer) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// printTo prints text, after a warning if --no-token is set.
func printTo(w io.Writer, s settings, text string) {
	if s.noToken {
		fmt.Fprint(w, noTokenWarning)
	}
	fmt.Fprint(w, text)
}

// stateArgument returns what other commands need to find the gateway by its state directory: ""
// if it is the default.
func (s *settings) stateArgument() string {
	if usual, err := server.DefaultState(); err == nil && s.state == usual {
		return ""
	}
	return " --state " + quoted(runtime.GOOS, s.state)
}

// quoted returns the name of a file as one word for the usual shell of a system: PowerShell on Windows.
func quoted(system, name string) string {
	plain, quote := `[^\w./:@%+=-]`, `'\''`
	if system == "windows" {
		plain, quote = `[^\w./:\\-]`, "''"
	}
	if !regexp.MustCompile(plain).MatchString(name) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", quote) + "'"
}

// connectText explains how assistants connect to the gateway. It does not contain the
// token, which would remain in scroll-back and logs.
func connectText(g gateway, s settings) string {
	executable, err := os.Executable()
	if err != nil {
		executable = "pagemcp"
	}
	program := quoted(runtime.GOOS, executable)
	if runtime.GOOS == "windows" && program != executable {
		program = "& " + program // or it is a text
	}
	token := g.TokenFile
	if s.noToken {
		token = ""
	}
	return strings.NewReplacer("URL", g.MCP, "PROGRAM", program, "STATE", s.stateArgument(), "REQUEST", requestText(runtime.GOOS, g.MCP, token)).Replace(`
  MCP          URL

  Claude Code  PROGRAM install claude-codeSTATE
  others       PROGRAM install --list
  a command    PROGRAM stdioSTATE
REQUEST`)
}

// requestText returns a command that lists resources, for the usual shell of a system: PowerShell on Windows. token is
// the name of a file; "" if none is needed.
func requestText(system, url, token string) string {
	const body = `{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	if system == "windows" {
		if token != "" {
			token = `; Authorization = "Bearer $(Get-Content ` + quoted(system, token) + `)"`
		}
		return "  PowerShell   Invoke-RestMethod " + url + " -Method Post -ContentType application/json -Headers @{ 'MCP-Protocol-Version' = '2026-07-28'; 'Mcp-Method' = 'resources/list'" + token + " } `\n" +
			"                 -Body '" + body + "' | ConvertTo-Json -Depth 9\n"
	}
	if token != "" {
		token = ` -H "Authorization: Bearer $(cat ` + quoted(system, token) + `)"`
	}
	return "  curl         curl -s " + url + " -H 'Content-Type: application/json' -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: resources/list'" + token + " \\\n" +
		"                 -d '" + body + "'\n"
}

// printPairing prints a link for a page of each allowed origin, each with an invitation of
// its own.
func printPairing(w io.Writer, fragment func() string, origins []string) {
	if len(origins) == 0 {
		fmt.Fprint(w, "\n  No page can join yet: allow its origin, like `pagemcp pair http://localhost:5173` while the gateway runs, or --allow-origin\n\n")
		return
	}
	fmt.Fprint(w, "\n  A page joins when you open it once by this link, or with the part from # on at the end of its URL\n  (good once, for two minutes; press Enter for a new one):\n\n")
	for _, origin := range origins {
		fmt.Fprintf(w, "  %s\n", origin+"/"+fragment())
	}
	fmt.Fprintln(w)
}

// onLine calls do for each line of in. It ends with in, or with the process.
func onLine(ctx context.Context, in io.Reader, do func()) {
	lines := bufio.NewScanner(in)
	for lines.Scan() && ctx.Err() == nil {
		do()
	}
}
