package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/server/clientconfig"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A service is the gateway as a background service of this user: of systemd on Linux, of
// launchd on macOS.
type service struct {
	system string // as runtime.GOOS
	home   string
	config string // XDG_CONFIG_HOME, or empty
	run    func(ctx context.Context, program string, args ...string) ([]byte, error)
	std    streams
}

func serviceCommand(std streams) *cobra.Command {
	c := &cobra.Command{Use: "service", GroupID: groupRun, Short: "Run the gateway in the background whenever you are logged in"}
	newService := func() (*service, error) {
		home, err := os.UserHomeDir()
		return &service{system: runtime.GOOS, home: home, config: os.Getenv("XDG_CONFIG_HOME"), run: runProgram, std: std}, err
	}
	var dryRun bool
	var s settings
	install := &cobra.Command{
		Use:     "install",
		Short:   "Install and start the service, with the flags of `pagemcp serve`",
		Example: "  pagemcp service install --allow-origin https://app.example",
		Args:    noArguments,
	}
	s.register(install.Flags())
	s.registerMetrics(install.Flags())
	install.Flags().BoolVar(&dryRun, "dry-run", false, "print the file and the commands, and change nothing")
	install.RunE = func(c *cobra.Command, _ []string) error {
		one, err := newService()
		if err == nil {
			err = s.check()
		}
		if err != nil {
			return err
		}
		program, err := serviceProgram(s.state, dryRun, std)
		if err != nil {
			return err
		}
		flags, err := serveFlags(c)
		if err != nil {
			return err
		}
		return one.install(c.Context(), program, flags, dryRun)
	}
	uninstall := &cobra.Command{
		Use: "uninstall", Short: "Stop the service and remove its file", Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			one, err := newService()
			if err != nil {
				return err
			}
			return one.uninstall(c.Context())
		},
	}
	c.AddCommand(install, uninstall)
	return c
}

// serveFlags returns the flags of serve that were set for `service install`, with absolute
// paths: the service has another working directory. It waits for a gateway that runs.
func serveFlags(c *cobra.Command) (flags []string, err error) {
	flags = []string{"--wait"}
	state, err := explicitState(c.Flags().Lookup("state").Value.String())
	if err != nil {
		return nil, err
	}
	if state != "" {
		flags = append(flags, "--state="+state)
	}
	var s settings
	serve := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	serve.SortFlags = false
	s.register(serve)
	s.registerMetrics(serve)
	serve.VisitAll(func(registered *pflag.Flag) {
		name, flag := registered.Name, c.Flags().Lookup(registered.Name)
		if name == "state" || !flag.Changed {
			return
		}
		if origins, ok := flag.Value.(*list); ok {
			for _, origin := range *origins {
				flags = append(flags, "--"+name+"="+origin)
			}
			return
		}
		value := flag.Value.String()
		if name == "token-file" {
			if path, err := filepath.Abs(value); err == nil {
				value = path
			}
		}
		flags = append(flags, "--"+name+"="+value)
	})
	return flags, nil
}

// serviceProgram returns the program of the service: the same one as clients start. A copy
// is made unless this is a dry run.
func serviceProgram(state string, dryRun bool, std streams) (string, error) {
	editor, err := newClientEditor(std)
	if err != nil {
		return "", err
	}
	if state, err = stateDirectory(state); err != nil {
		return "", err
	}
	program := editor.program(state)
	if !program.copied || dryRun {
		return program.path, nil
	}
	return program.path, clientconfig.CopyProgram(editor.executable, program.path)
}

// A definition is how a system runs the service.
type definition struct {
	file        string
	text        func(program string, args []string) string
	start, stop [][]string // commands after the file was written, and before it is removed
	loaded      []string   // succeeds while the service is loaded, which stop ends later; nil: stop waits
	reload      [][]string // after it was removed
	logs        string     // where its log is, for people
}

// definition returns how this system runs the service.
func (s *service) definition() (definition, error) {
	switch s.system {
	case "linux":
		config := s.config
		if !filepath.IsAbs(config) {
			config = filepath.Join(s.home, ".config")
		}
		return definition{
			file: filepath.Join(config, "systemd", "user", "pagemcp.service"), text: systemdUnit,
			start:  [][]string{{"systemctl", "--user", "daemon-reload"}, {"systemctl", "--user", "enable", "pagemcp.service"}, {"systemctl", "--user", "restart", "pagemcp.service"}},
			stop:   [][]string{{"systemctl", "--user", "disable", "--now", "pagemcp.service"}},
			reload: [][]string{{"systemctl", "--user", "daemon-reload"}},
			logs:   "journalctl --user -u pagemcp",
		}, nil
	case "darwin":
		file := filepath.Join(s.home, "Library", "LaunchAgents", launchdLabel+".plist")
		log := filepath.Join(s.home, "Library", "Logs", "pagemcp.log")
		domain := fmt.Sprintf("gui/%d", os.Getuid())
		return definition{
			file: file, text: func(program string, args []string) string { return launchdAgent(program, args, log) },
			start:  [][]string{{"launchctl", "bootstrap", domain, file}},
			stop:   [][]string{{"launchctl", "bootout", domain + "/" + launchdLabel}},
			loaded: []string{"launchctl", "print", domain + "/" + launchdLabel},
			logs:   log,
		}, nil
	}
	return definition{}, fmt.Errorf("services on %s are not supported: start `pagemcp serve` at login by yourself, as with a task of the Task Scheduler, or let assistants start `pagemcp stdio`", s.system)
}

// install writes the file and starts the service. The same file again restarts it, so that
// a new version of the program runs.
func (s *service) install(ctx context.Context, program string, flags []string, dryRun bool) error {
	d, err := s.definition()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(append(flags, program), func(text string) bool { return strings.ContainsAny(text, "\n\r\x00") }) {
		return mistake{errors.New("a path or flag of the service contains a line break")}
	}
	text := d.text(program, append([]string{"serve"}, flags...))
	if dryRun {
		fmt.Fprintf(s.std.out, "%s\n\n%s\n", d.file, text)
		for _, command := range d.start {
			fmt.Fprintln(s.std.out, "$", strings.Join(command, " "))
		}
		return nil
	}
	before, err := os.ReadFile(d.file)
	if err == nil && s.system == "darwin" { // bootstrap fails for a service that is loaded
		if err := s.stop(ctx, d); err != nil {
			return fmt.Errorf("stop the service before its file is replaced: %w", err)
		}
	}
	if err := os.MkdirAll(filepath.Dir(d.file), 0o755); err != nil {
		return err
	}
	if string(before) != text {
		if err := clientconfig.ReplaceFile(d.file, []byte(text)); err != nil {
			return fmt.Errorf("write %s: %w", d.file, err)
		}
	}
	if err := s.commands(ctx, d.start); err != nil {
		return fmt.Errorf("%s is written, but does not start: %w", d.file, err)
	}
	fmt.Fprintf(s.std.out, "The gateway runs in the background. File: %s. Log: %s, or `pagemcp logs`. Remove it by `pagemcp service uninstall`.\n", d.file, d.logs)
	return nil
}

func (s *service) uninstall(ctx context.Context) error {
	d, err := s.definition()
	if err != nil {
		return err
	}
	if _, err := os.Stat(d.file); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintln(s.std.out, "The service is not installed.")
		return nil
	}
	stopping := s.stop(ctx, d)
	if err := os.Remove(d.file); err != nil {
		return errors.Join(err, stopping)
	}
	if err := errors.Join(stopping, s.commands(ctx, d.reload)); err != nil {
		return fmt.Errorf("%s is removed, but the service may still run until you log out: %w", d.file, err)
	}
	fmt.Fprintf(s.std.out, "The service is removed. Token, keys and names stay in the state directory.\n")
	return nil
}

// stop stops the service, and returns when it has ended.
func (s *service) stop(ctx context.Context, d definition) error {
	isLoaded := func() bool {
		_, err := s.run(ctx, d.loaded[0], d.loaded[1:]...)
		return err == nil
	}
	if d.loaded == nil {
		return s.commands(ctx, d.stop)
	}
	if !isLoaded() {
		return nil // it cannot be stopped
	}
	if err := s.commands(ctx, d.stop); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, stopTime)
	defer cancel()
	ticker := time.NewTicker(stopTime / 200)
	defer ticker.Stop()
	for isLoaded() {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return errors.New("the service has not ended: try again later")
		}
	}
	return nil
}

// stopTime is for a service to end. It exceeds the time that a gateway waits for tools.
const stopTime = 20 * time.Second

func (s *service) commands(ctx context.Context, commands [][]string) error {
	for _, command := range commands {
		if out, err := s.run(ctx, command[0], command[1:]...); err != nil {
			return fmt.Errorf("%s: %w %s", strings.Join(command, " "), err, strings.TrimSpace(string(out)))
		}
	}
	return nil
}
