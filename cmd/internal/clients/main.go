// Command clients installs MCP clients from npm into a temporary directory, runs `pagemcp
// install` for each in an empty home directory, and asks the client whether it connects.
// The validator of Claude Code also checks the plugin. It needs the network and half a gigabyte
// of disk; `make clients` runs it.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// A client is one that lists its servers without a login.
type client struct {
	id      string // of `pagemcp install`
	npm     string // package with version
	program string // pattern below node_modules, of a native program or a script
	list    []string
	shows   string // pattern of the line that reports success; NAME is the server
}

// clients have pinned versions: formats change, and then server/clientconfig has to.
var clients = [...]client{
	{
		id: "claude-code", npm: "@anthropic-ai/claude-code@2.1.330", program: "@anthropic-ai/claude-code-*-*/claude",
		list: []string{"mcp", "list"}, shows: `NAME: .*Connected`,
	},
	{ // lists what it has read; it connects in a session only, which needs a login
		id: "codex", npm: "@openai/codex@0.169.0", program: ".bin/codex",
		list: []string{"mcp", "list"}, shows: `NAME .*enabled`,
	},
	{
		id: "gemini", npm: "@google/gemini-cli@0.61.0", program: ".bin/gemini",
		list: []string{"mcp", "list"}, shows: `NAME: .*Connected`,
	},
	{
		id: "opencode", npm: "opencode-ai@1.18.33", program: "opencode-*-*/bin/opencode",
		list: []string{"mcp", "list"}, shows: `NAME .*connected`,
	},
}

// clientTimeout is for one command of a client.
const clientTimeout = 2 * time.Minute

func main() {
	program := flag.String("program", "bin/pagemcp", "`path` of the program to test")
	plugin := flag.String("plugin", ".claude-plugin/pagemcp", "`folder` of the plugin to validate")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *program, *plugin)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "clients:", err)
		os.Exit(1)
	}
}

// A lab is a temporary directory with clients, and an environment without settings.
type lab struct {
	dir, program string
	environment  []string
}

func run(ctx context.Context, program, plugin string) error {
	program, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	if plugin, err = filepath.Abs(plugin); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mcp-clients-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	l := &lab{dir: dir, program: program}
	home, bin := filepath.Join(dir, "home"), filepath.Join(dir, "bin")
	for _, one := range []string{home, bin, filepath.Join(dir, "project")} {
		if err := os.Mkdir(one, 0o700); err != nil {
			return err
		}
	}
	if err := l.installPackages(ctx, bin); err != nil {
		return err
	}
	l.environment = []string{
		"HOME=" + home, "PATH=" + bin + ":" + os.Getenv("PATH"),
		"GEMINI_CLI_TRUST_WORKSPACE=true", // it starts no server in other directories
		"NO_COLOR=1",
	}
	failed := []error{l.validate(ctx, plugin)}
	gateway := exec.CommandContext(ctx, program, "serve", "--mcp", "127.0.0.1:0")
	gateway.Env, gateway.Cancel = l.environment, func() error { return gateway.Process.Signal(os.Interrupt) }
	if err := gateway.Start(); err != nil {
		return err
	}
	defer func() { gateway.Process.Signal(os.Interrupt); gateway.Wait() }()
	if err := l.awaitGateway(ctx); err != nil {
		return err
	}
	for _, c := range clients {
		if err := l.try(ctx, c); err != nil {
			failed = append(failed, err)
			fmt.Printf("%-12s %v\n", c.id, err)
		}
	}
	return errors.Join(failed...)
}

// validate has Claude Code check the plugin as the directory of plugins does, warnings included.
func (l *lab) validate(ctx context.Context, plugin string) error {
	out, err := l.command(ctx, "claude", "plugin", "validate", "--strict", "--profile", "directory", plugin)
	if err != nil || strings.Contains(out, "warning") {
		return fmt.Errorf("the plugin is not valid (%v):\n%s", err, out)
	}
	fmt.Printf("%-12s plugin validate: passed without a warning\n", "claude-code")
	return nil
}

// installPackages fetches all clients, without running scripts of packages.
func (l *lab) installPackages(ctx context.Context, bin string) error {
	if err := os.WriteFile(filepath.Join(l.dir, "package.json"), []byte(`{"private": true}`), 0o600); err != nil {
		return err
	}
	args := []string{"install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"}
	for _, c := range clients {
		args = append(args, c.npm)
	}
	npm := exec.CommandContext(ctx, "npm", args...)
	npm.Dir, npm.Stdout, npm.Stderr = l.dir, os.Stdout, os.Stderr
	if err := npm.Run(); err != nil {
		return fmt.Errorf("npm install: %w", err)
	}
	for _, c := range clients {
		found, err := filepath.Glob(filepath.Join(l.dir, "node_modules", filepath.FromSlash(c.program)))
		if err != nil || len(found) == 0 {
			return fmt.Errorf("%s has no program %s", c.npm, c.program)
		}
		name := strings.TrimSuffix(c.id, "-code") // claude
		if err := os.Symlink(found[0], filepath.Join(bin, name)); err != nil {
			return err
		}
	}
	return nil
}

// awaitGateway waits until the gateway answers.
func (l *lab) awaitGateway(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		if _, err := l.command(ctx, l.program, "status"); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.New("the gateway does not answer within 30 s")
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// try installs, asks the client, and uninstalls.
func (l *lab) try(ctx context.Context, c client) error {
	if out, err := l.command(ctx, l.program, "install", c.id); err != nil {
		return fmt.Errorf("install: %w\n%s", err, out)
	}
	out, listErr := l.command(ctx, strings.TrimSuffix(c.id, "-code"), c.list...)
	found := regexp.MustCompile(strings.ReplaceAll(c.shows, "NAME", "pagemcp")).FindString(out)
	if _, err := l.command(ctx, l.program, "uninstall", c.id); err != nil {
		return fmt.Errorf("uninstall: %w", err)
	}
	after, err := l.command(ctx, strings.TrimSuffix(c.id, "-code"), c.list...)
	switch {
	case found == "":
		return fmt.Errorf("%s does not show %q (%v); it prints\n%s", c.npm, c.shows, listErr, out)
	case err != nil || strings.Contains(after, "pagemcp"):
		return fmt.Errorf("%s shows the server after `pagemcp uninstall` (%v)\n%s", c.npm, err, after)
	}
	fmt.Printf("%-12s %s\n", c.id, found)
	return nil
}

// command runs a program in the project and returns what it prints.
func (l *lab) command(ctx context.Context, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, clientTimeout)
	defer cancel()
	if !filepath.IsAbs(program) {
		program = filepath.Join(l.dir, "bin", program)
	}
	command := exec.CommandContext(ctx, program, args...)
	command.Env, command.Dir = l.environment, filepath.Join(l.dir, "project")
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	err := command.Run()
	return regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(out.String(), ""), err
}
