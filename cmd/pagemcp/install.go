package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/pagemcp/pagemcp/server"
	"github.com/pagemcp/pagemcp/server/clientconfig"
	"github.com/pagemcp/pagemcp/server/published"
	"github.com/pagemcp/pagemcp/web"
)

// installOptions are the flags of install and uninstall.
type installOptions struct {
	client     string // ID
	name       string // of the server in the client's file
	state      string // empty: the default, which is not written into the file
	http       bool
	npx        bool // only if the name of the package is registered
	writeToken bool
	project    bool
	force      bool
	dryRun     bool
}

// A clientEditor edits files of clients. Tests replace the machine.
type clientEditor struct {
	env        clientconfig.Environment
	executable string // of this process
	run        clientconfig.Runner
	std        streams
}

func newClientEditor(std streams) (*clientEditor, error) {
	env, err := clientconfig.Host()
	if err != nil {
		return nil, err
	}
	executable, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return &clientEditor{env, executable, runProgram, std}, nil
}

// runProgram runs a program without input.
func runProgram(ctx context.Context, program string, args ...string) ([]byte, error) {
	return exec.CommandContext(ctx, program, args...).CombinedOutput()
}

// install adds the server to the file of a client, and prints what it changes.
func (e *clientEditor) install(ctx context.Context, opts installOptions) error {
	client, err := clientconfig.ClientNamed(opts.client)
	if err != nil {
		return mistake{err}
	}
	if err := opts.check(); err != nil {
		return mistake{err}
	}
	s, program, err := e.server(ctx, opts)
	if err != nil {
		return err
	}
	plan := func() (*clientconfig.Change, error) {
		return clientconfig.PlanInstall(e.env, client, s, clientconfig.Options{Project: opts.project, Force: opts.force})
	}
	change, err := plan()
	if err != nil {
		return e.explain(err)
	}
	if change.Outcome == clientconfig.Differs {
		fmt.Fprint(e.std.out, change.Diff())
		return fmt.Errorf("%s already has another server %q: replace it with --force, or choose another name with --name", change.Path, opts.name)
	}
	if opts.dryRun {
		return e.preview(change, s, opts)
	}
	if opts.http {
		if err := e.ensureToken(ctx, opts, &s); err != nil {
			return err
		}
		if change, err = plan(); err != nil { // with the token, if the file gets it
			return e.explain(err)
		}
	}
	if program.copied {
		if err := clientconfig.CopyProgram(e.executable, program.path); err != nil {
			return err
		}
		fmt.Fprintf(e.std.out, "Copied the program to %s, since %s is temporary.\n", program.path, e.executable)
	}
	if change.Outcome == clientconfig.Unchanged {
		fmt.Fprintf(e.std.out, "%s is already installed in %s: %s\n", opts.name, client.Title, change.Path)
		return nil
	}
	if change, err = e.apply(ctx, change, s, opts, plan); err != nil {
		return e.explain(err)
	}
	fmt.Fprintf(e.std.out, "Installed %s in %s: %s\n%s\n", opts.name, client.Title, change.Path, client.Reload)
	e.hints(change, s, opts)
	return nil
}

// check rejects flags that contradict each other.
func (opts installOptions) check() error {
	switch {
	case opts.writeToken && !opts.http:
		return errors.New("--write-token is for --http: commands need no token")
	case opts.writeToken && opts.project:
		return errors.New("--write-token with --project would put the token into a file that is often shared: omit one of them")
	}
	return nil
}

// A programPath is the program that a client starts.
type programPath struct {
	path   string
	copied bool // it is a copy, which must be made
}

// program returns the program that clients start: this one, by its path on the PATH if it
// is there, since that stays when another version is installed; or a copy, if this one
// will vanish.
func (e *clientEditor) program(state string) programPath {
	if clientconfig.IsTemporary(e.executable) {
		return programPath{clientconfig.ProgramCopy(state, e.executable), true}
	}
	if found, ok := e.env.LookPath("pagemcp"); ok && filepath.IsAbs(found) && !clientconfig.IsTemporary(found) && isSameFile(found, e.executable) {
		return programPath{found, false}
	}
	return programPath{e.executable, false}
}

func isSameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// server returns what to write into the file. The program is not copied yet.
func (e *clientEditor) server(ctx context.Context, opts installOptions) (s clientconfig.Server, program programPath, err error) {
	state, err := stateDirectory(opts.state)
	if err != nil {
		return s, program, err
	}
	var start []string // the program, with what comes before its arguments
	if opts.npx {
		start = published.Start(web.Version())
		if e.env.OS == "windows" {
			start = append([]string{"cmd", "/c"}, start...)
		}
	} else {
		program = e.program(state)
		start = []string{program.path}
	}
	var flags []string
	explicit, err := explicitState(opts.state)
	if err != nil {
		return s, program, err
	}
	if explicit != "" {
		state, flags = explicit, []string{"--state", explicit}
	}
	s = clientconfig.Server{Name: opts.name}
	if !opts.http {
		s.Command = append(append(start, "stdio", "--as", opts.client), flags...)
		return s, program, nil
	}
	s.URL, s.TokenFile = "http://"+defaultMCP+"/mcp", server.SavedToken(state, opts.client)
	if running, ok := server.FindRunning(ctx, state); ok {
		s.URL = running.MCP
	}
	s.HeadersCommand = commandLine(e.env.OS, append(append(start, "token", "headers", "--as", opts.client), flags...))
	if opts.client != "claude-code" || opts.writeToken { // no other client runs it
		program.copied = false
	}
	if opts.writeToken {
		if s.Token, err = server.ReadSavedToken(state, opts.client); err != nil {
			s.Token = futureToken
		}
		return s, program, nil
	}
	return s, program, nil
}

// commandLine joins arguments for the shell of a system.
func commandLine(system string, args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = arg
		switch plain := regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`).MatchString(arg); {
		case system == "windows" && (!plain || strings.Contains(arg, "%")):
			quoted[i] = `"` + arg + `"` // paths cannot contain quotation marks
		case system != "windows" && !plain:
			quoted[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// preview prints what would change.
func (e *clientEditor) preview(change *clientconfig.Change, s clientconfig.Server, opts installOptions) error {
	if !change.Writes() {
		fmt.Fprintf(e.std.out, "%s would not change.\n", change.Path)
		return nil
	}
	fmt.Fprintf(e.std.out, "%s would change:\n%s", change.Path, change.Diff())
	if change.HasCommand(e.env, s, opts.project) {
		for _, line := range change.Commands(s) {
			fmt.Fprintf(e.std.out, "by: %s\n", strings.Join(line, " "))
		}
	}
	return nil
}

// apply prints the difference and makes the change: by the client's own command, or in
// the file.
func (e *clientEditor) apply(ctx context.Context, change *clientconfig.Change, s clientconfig.Server, opts installOptions, plan func() (*clientconfig.Change, error)) (*clientconfig.Change, error) {
	fmt.Fprint(e.std.out, change.Diff())
	if change.HasCommand(e.env, s, opts.project) {
		return change, change.Run(ctx, s, e.run, plan)
	}
	return clientconfig.Apply(plan)
}

// explain prints the lines to add by hand.
func (e *clientEditor) explain(err error) error {
	if manual := (*clientconfig.ManualError)(nil); errors.As(err, &manual) && manual.Lines != "" {
		fmt.Fprintf(e.std.out, "%s\n", manual.Lines)
	}
	return err
}

// hints prints what else the user should know.
func (e *clientEditor) hints(change *clientconfig.Change, s clientconfig.Server, opts installOptions) {
	if change.Client.NoResources {
		fmt.Fprintf(e.std.out, "%s does not read resources: it uses the tools list_resources, read_resource and wait_for_change instead.\n", change.Client.Title)
	}
	if s.URL != "" {
		fmt.Fprintln(e.std.out, "Keep the gateway running, by `pagemcp serve` or `pagemcp dev`: by HTTP the assistant does not start it.")
		if s.URL != "http://"+defaultMCP+"/mcp" {
			fmt.Fprintln(e.std.out, "The address is that of the running gateway: start it with the same --mcp the next time, or run this command again.")
		}
	}
	if s.Token != "" {
		fmt.Fprintf(e.std.out, "The file contains a copy of the token of %s: `pagemcp token revoke %[1]s` ends it.\n", opts.client)
		if change.ReadableByOthers() {
			fmt.Fprintf(e.std.out, "Other users of this machine can read it: run chmod 600 %s\n", change.Path)
		}
	}
	if opts.project && !opts.npx && s.URL == "" {
		advice := "do not share it."
		if published.Registered {
			advice = "use --npx if you share it."
		}
		fmt.Fprintln(e.std.out, "The file contains a path of this machine:", advice)
	}
}
