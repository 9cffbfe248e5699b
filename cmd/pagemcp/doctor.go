package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/pagemcp/pagemcp/server"
	"github.com/pagemcp/pagemcp/server/clientconfig"
	"github.com/pagemcp/pagemcp/wasm/plain"
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
	host, err := clientconfig.ThisHost()
	if err != nil {
		return err
	}
	findings := server.Diagnose(ctx, server.DiagnoseOptions{State: state, Addr: addr, Version: web.Version()})
	findings = append(findings, checkClients(ctx, host, state)...)
	if asJSON {
		err = printJSON(std.out, findings)
	} else {
		err = printFindings(std, findings)
	}
	if err == nil && slices.ContainsFunc(findings, func(f server.Finding) bool { return f.Level == server.LevelProblem }) {
		return errProblems
	}
	return err
}

// maxFinding is the length of a text of a finding, in characters: it may quote a file.
const maxFinding = 4_000

// printFindings prints findings, each with what to do.
func printFindings(std streams, findings []server.Finding) error {
	marks := map[server.Level]string{server.LevelOK: "ok      ", server.LevelWarning: "warning ", server.LevelProblem: "PROBLEM "}
	for _, f := range findings {
		text := marks[f.Level] + f.Check + ": " + plain.Lines(f.Text, maxFinding) + "\n"
		if f.Advice != "" {
			text += "        → " + plain.Lines(f.Advice, maxFinding) + "\n"
		}
		if _, err := fmt.Fprint(std.out, text); err != nil {
			return err
		}
	}
	return nil
}

// checkClients looks at the configuration files of assistants: whether they can be read, whether
// the program that they start exists, and whether the gateway refuses the name that it gives.
func checkClients(ctx context.Context, host clientconfig.Host, state string) []server.Finding {
	var findings []server.Finding
	add := func(client string, level server.Level, text, advice string) {
		findings = append(findings, server.Finding{Check: client, Level: level, Text: text, Advice: advice})
	}
	installed := false
	for _, s := range clientconfig.List(host, "pagemcp", false) {
		switch {
		case s.Err != nil:
			add(s.Client.Title, server.LevelProblem, s.Err.Error(), "correct the file; the client cannot read it either")
		case len(s.Command) > 0:
			checkProgram(s, add)
			checkName(ctx, s, state, add)
		}
		installed = installed || s.Installed
	}
	if !installed {
		add("assistants", server.LevelWarning, "no assistant is configured by `pagemcp install`", "`pagemcp install --list` shows those on this machine")
	}
	return findings
}

// checkProgram checks the command that a client starts.
func checkProgram(s clientconfig.Status, add func(client string, level server.Level, text, advice string)) {
	program, again := s.Command[0], "`pagemcp install "+s.Client.ID+" --force`"
	path, err := exec.LookPath(program)
	switch {
	case err != nil:
		add(s.Client.Title, server.LevelProblem, s.Path+" starts "+program+", which does not exist or cannot be run", again)
	case !filepath.IsAbs(program) && program != "npx" && program != "cmd":
		add(s.Client.Title, server.LevelWarning, s.Path+" starts "+program+" without its directory; clients with a window often have another PATH", again)
	default:
		add(s.Client.Title, server.LevelOK, "starts "+path, "")
	}
}

// checkName looks at the name that a client gives to `pagemcp stdio`: the gateway refuses it
// after its token was revoked or has expired.
func checkName(ctx context.Context, s clientconfig.Status, state string, add func(client string, level server.Level, text, advice string)) {
	all, err := server.Assistants(ctx, state)
	if err != nil {
		add(s.Client.Title, server.LevelProblem, err.Error(), "restart the gateway")
		return
	}
	as := slices.Index(s.Command, "--as") + 1
	for _, a := range all {
		if as > 0 && as < len(s.Command) && a.Name == s.Command[as] && !a.IsUsable(time.Now()) {
			ended := "has expired"
			if !a.Revoked.IsZero() {
				ended = "was revoked"
			}
			add(s.Client.Title, server.LevelProblem, "the gateway refuses "+a.Name+": its token "+ended, "`pagemcp token add "+a.Name+"` lets it in again")
		}
	}
}
