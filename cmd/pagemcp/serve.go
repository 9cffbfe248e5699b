package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pagemcp/pagemcp/server"
)

// serve runs the gateway alone. Pages come from other web servers.
func serve(ctx context.Context, args []string, std streams) error {
	var s settings
	err := parse("serve", "Runs the gateway between assistants and pages.", args, std, func(flags *flag.FlagSet) {
		s.register(flags)
		flags.BoolVar(&s.json, "json", false, "print one line of JSON with all addresses on standard output")
	})
	if err != nil {
		return err
	}
	g, err := s.gateway(ctx, std)
	if err != nil {
		return err
	}
	defer g.Close(context.Background())
	served := make(chan error, 1)
	go func() { served <- g.Serve(ctx) }() // ends with Close
	line := ready{MCP: g.URL(), TokenFile: g.TokenFile(), Pages: map[string]string{}, Pairing: g.Fragment()}
	if s.json {
		if err := line.print(std.out); err != nil {
			return err
		}
	} else {
		printTo(std.err, s, connectText(g, s))
		printPairing(std.err, g.Fragment(), s.origins)
		go onLine(ctx, std.in, func() { printPairing(std.err, g.Fragment(), s.origins) })
	}
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
		return nil
	}
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

// connectText explains how assistants connect to the gateway. It does not contain the
// token, which would remain in scroll-back and logs.
func connectText(g *server.Gateway, s settings) string {
	header, field := ` --header "Authorization: Bearer $(cat `+g.TokenFile()+`)"`, `, "headers": { "Authorization": "Bearer <the line in `+g.TokenFile()+`>" }`
	curl := ` -H "Authorization: Bearer $(cat ` + g.TokenFile() + `)"`
	if s.noToken {
		header, field, curl = "", "", ""
	}
	executable, err := os.Executable()
	if err != nil {
		executable = "pagemcp"
	}
	// stdio finds the gateway by its state directory; only another one than the default
	// must be given.
	stdio := executable + " stdio"
	if usual, err := server.DefaultState(); err != nil || s.state != usual {
		stdio += " --state " + s.state
	}
	return strings.NewReplacer("URL", g.URL(), "HEADER", header, "FIELD", field, "CURL", curl, "STDIO", stdio).Replace(`
  MCP          URL

  Claude Code  claude mcp add --transport http pagemcp URLHEADER
  VS Code      .vscode/mcp.json: { "servers": { "pagemcp": { "type": "http", "url": "URL"FIELD } } }
  a command    STDIO
  curl         curl -s URL -H 'Content-Type: application/json' -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: resources/list'CURL \
                 -d '{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}'
`)
}

// printPairing prints a link for a page of each allowed origin, with a fragment that pairs one of them.
func printPairing(w io.Writer, fragment string, origins []string) {
	if len(origins) == 0 {
		fmt.Fprint(w, "\n  No page can join yet: name its origin with --allow-origin, like --allow-origin http://localhost:5173\n\n")
		return
	}
	fmt.Fprint(w, "\n  A page joins when you open it once by this link, or with the part from # on at the end of its URL\n  (good once, for two minutes; press Enter for a new one):\n\n")
	for _, origin := range origins {
		fmt.Fprintf(w, "  %s/%s\n", origin, fragment)
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
