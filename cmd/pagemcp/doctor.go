package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pagemcp/pagemcp/server"
	"github.com/pagemcp/pagemcp/server/clientconfig"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/web"
	"github.com/spf13/cobra"
)

func doctorCommand(std streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "doctor",
		GroupID: groupControl,
		Short:   "Look for what keeps pages and assistants from the gateway, and say what to do",
		Long: "Look for what keeps pages and assistants from the gateway, and say what to do. The exit code is 1 if there is a problem, and " +
			"0 if there are warnings alone.\n\n" +
			`--json prints a list of findings, each with "check", "level" (ok, warning or problem), "text" and, unless it is ok, "advice".`,
	}
	state := stateFlag(c)
	addr := c.Flags().String("mcp", defaultMCP, "`address` that the gateway would listen on")
	asJSON := c.Flags().Bool("json", false, "print one line of JSON")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return doctor(c.Context(), *state, *addr, *asJSON, std)
	}
	return c
}

// errProblems makes doctor end with exit code 1, after it has printed the problems.
var errProblems = errors.New("problems were found; see above")

func doctor(ctx context.Context, state, addr string, asJSON bool, std streams) error {
	state, err := stateDirectory(state)
	if err != nil {
		return err
	}
	env, err := clientconfig.Host()
	if err != nil {
		return err
	}
	findings := server.Diagnose(ctx, server.DiagnoseOptions{State: state, Addr: addr, Version: web.Version()})
	findings = append(findings, checkClients(ctx, env, state)...)
	if asJSON {
		err = printJSON(std.out, findings)
	} else {
		err = printFindings(std, findings, state)
	}
	if err == nil && slices.ContainsFunc(findings, func(f server.Finding) bool { return f.Level == server.LevelProblem }) {
		return errProblems
	}
	return err
}

// maxFinding is the length of a text of a finding, in characters: it may quote a file.
const maxFinding = 4_000

// printFindings prints findings. Warnings and problems have the address of their entry in
// the documentation.
func printFindings(std streams, findings []server.Finding, state string) error {
	page := entriesPage(state)
	marks := map[server.Level]string{server.LevelOK: "ok      ", server.LevelWarning: "warning ", server.LevelProblem: "PROBLEM "}
	for _, f := range findings {
		text := marks[f.Level] + f.Check + ": " + engine.PlainLines(f.Text, maxFinding) + "\n"
		if f.Advice != "" {
			text += "        → " + engine.PlainLines(f.Advice, maxFinding) + "\n"
		}
		if anchor, ok := web.Entry(f.Text); ok && f.Level != server.LevelOK {
			text += "        More: " + page + "#" + anchor + "\n"
		}
		if _, err := fmt.Fprint(std.out, text); err != nil {
			return err
		}
	}
	return nil
}

// checkClients looks at the configuration files of assistants: whether they can be read,
// and whether what they start or connect to exists.
func checkClients(ctx context.Context, env clientconfig.Environment, state string) []server.Finding {
	var findings []server.Finding
	add := func(client string, level server.Level, text, advice string) {
		findings = append(findings, server.Finding{Check: client, Level: level, Text: text, Advice: advice})
	}
	installed := 0
	for _, s := range clientconfig.List(env, "pagemcp", false) {
		again := "`pagemcp install " + s.Client.ID + " --force`"
		switch {
		case s.Err != nil:
			add(s.Client.Title, server.LevelProblem, s.Err.Error(), "correct the file; the client cannot read it either")
		case !s.Installed:
			continue
		case s.Program != "":
			checkProgram(s, again, add)
			checkName(ctx, s, state, add)
		case s.URL != "":
			checkURL(ctx, s, state, again, add)
		}
		if s.Installed {
			installed++
		}
	}
	if installed == 0 {
		add("assistants", server.LevelWarning, "no assistant is configured by `pagemcp install`", "`pagemcp install --list` shows those on this machine")
	}
	return findings
}

// checkProgram checks the command that a client starts.
func checkProgram(s clientconfig.Status, again string, add func(client string, level server.Level, text, advice string)) {
	path, err := exec.LookPath(s.Program)
	switch {
	case err != nil:
		add(s.Client.Title, server.LevelProblem, s.Path+" starts "+s.Program+", which does not exist or cannot be run", again)
	case !filepath.IsAbs(s.Program) && s.Program != "npx" && s.Program != "cmd":
		add(s.Client.Title, server.LevelWarning, s.Path+" starts "+s.Program+" without its directory; clients with a window often have another PATH", again)
	default:
		add(s.Client.Title, server.LevelOK, "starts "+path, "")
	}
}

// checkURL checks the address and the token that a client uses over HTTP.
func checkURL(ctx context.Context, s clientconfig.Status, state, again string, add func(client string, level server.Level, text, advice string)) {
	again = strings.TrimSuffix(again, "`") + " --http`"
	running, ok := server.FindRunning(ctx, state)
	if !ok {
		add(s.Client.Title, server.LevelWarning, "connects to "+s.URL+", where no gateway runs now", "start one: over HTTP a client does not start it")
		return
	}
	if !sameAddress(s.URL, running.MCP) {
		add(s.Client.Title, server.LevelProblem, "connects to "+s.URL+", but the gateway is at "+running.MCP, again)
		return
	}
	if problem, advice := checkTokenOf(ctx, s, state, running.TokenFile, again); problem != "" {
		add(s.Client.Title, server.LevelProblem, problem, advice)
		return
	}
	add(s.Client.Title, server.LevelOK, "connects to "+s.URL, "")
}

// sameAddress reports whether two URLs of gateways have the same port on this machine.
func sameAddress(a, b string) bool {
	first, err := url.Parse(a)
	second, err2 := url.Parse(b)
	return err == nil && err2 == nil && first.Port() == second.Port() && slices.Contains([]string{"127.0.0.1", "localhost", "::1"}, first.Hostname())
}
