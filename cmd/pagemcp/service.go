package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/kardianos/service"
	"github.com/pagemcp/pagemcp/server/clientconfig"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func serviceCommand(std streams) *cobra.Command {
	c := &cobra.Command{Use: "service", GroupID: groupRun, Short: "Run the gateway in the background whenever you are logged in"}
	var s settings
	install := &cobra.Command{
		Use:     "install",
		Short:   "Install and start the service, with the flags of `pagemcp serve`",
		Example: "  pagemcp service install --allow-origin https://app.example",
		Args:    noArguments,
	}
	s.register(install.Flags())
	install.RunE = func(c *cobra.Command, _ []string) error {
		if err := s.check(); err != nil {
			return err
		}
		flags, err := serveFlags(c)
		if err != nil {
			return err
		}
		program, err := serviceProgram(s.state, std)
		if err != nil {
			return err
		}
		return installService(program, flags, std)
	}
	uninstall := &cobra.Command{
		Use: "uninstall", Short: "Stop the service and remove its file", Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return uninstallService(std) },
	}
	c.AddCommand(install, uninstall)
	return c
}

// serveFlags returns the flags of serve that were set for `service install`, with absolute
// paths: the process has another working directory.
func serveFlags(c *cobra.Command) (flags []string, err error) {
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
		if name == "token-file" || strings.HasPrefix(name, "tls-") {
			if path, err := filepath.Abs(value); err == nil {
				value = path
			}
		}
		flags = append(flags, "--"+name+"="+value)
	})
	return flags, nil
}

// serviceProgram returns the program of the service: the same one as clients start.
func serviceProgram(state string, std streams) (string, error) {
	in, err := newInstaller(std)
	if err != nil {
		return "", err
	}
	if state, err = stateDirectory(state); err != nil {
		return "", err
	}
	program := in.program(state)
	if !program.copied {
		return program.path, nil
	}
	return program.path, clientconfig.CopyProgram(in.executable, program.path)
}

// systemdUnit restarts the gateway whenever it fails, however often. It may write below the
// home directory, where its state is, and gains no privileges. See systemd.exec(5).
const systemdUnit = `[Unit]
Description={{Description}}
StartLimitIntervalSec=0

[Service]
ExecStart={{Path | cmdEscape}}{{range Arguments}} {{. | cmd}}{{end}}
Restart=on-failure
RestartSec=1
NoNewPrivileges=yes
LockPersonality=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
UMask=0077

[Install]
WantedBy=default.target
`

// newService returns the gateway as a service of this user: of systemd on Linux, of launchd on
// macOS.
func newService(program string, args []string) (service.Service, error) {
	config := &service.Config{
		Name: "pagemcp", DisplayName: "PageMCP", Description: "PageMCP gateway between web pages and AI assistants",
		Executable: program, Arguments: args,
		Option: service.KeyValue{"UserService": true, "RunAtLoad": true, "SystemdScript": systemdUnit},
	}
	for _, system := range service.AvailableSystems() {
		switch name := system.String(); name {
		case "linux-systemd": // specifiers and variables are not expanded: systemd.syntax(7)
			plain := strings.NewReplacer(`\`, `\\`, `%`, `%%`, `$`, `$$`)
			config.Executable = plain.Replace(program)
			config.Arguments = nil
			for _, arg := range args {
				config.Arguments = append(config.Arguments, plain.Replace(arg))
			}
			return system.New(noProgram{}, config)
		case "darwin-launchd":
			config.Name = "io.github.pagemcp.pagemcp"
			return system.New(noProgram{}, config)
		}
	}
	return nil, fmt.Errorf("services on %s are not supported: start `pagemcp serve` at login by yourself, as with a task of the Task Scheduler, or let assistants start `pagemcp stdio`", runtime.GOOS)
}

// noProgram is the program of a service that only its manager starts.
type noProgram struct{}

// Start implements service.Interface.
func (noProgram) Start(service.Service) error { return nil }

// Stop implements service.Interface.
func (noProgram) Stop(service.Service) error { return nil }

// installService installs and starts the service. An older one is replaced, so that a new
// version of the program runs.
func installService(program string, flags []string, std streams) error {
	if slices.ContainsFunc(append(flags, program), func(text string) bool { return strings.ContainsAny(text, "\n\r\x00") }) {
		return mistake{errors.New("a path or flag of the service contains a line break")}
	}
	s, err := newService(program, append([]string{"serve"}, flags...))
	if err != nil {
		return err
	}
	s.Stop()      // fails if there is none
	s.Uninstall() // the same
	if err := s.Install(); err != nil {
		return fmt.Errorf("install the service: %w", err)
	}
	if err := s.Start(); err != nil {
		return fmt.Errorf("the service is installed, but does not start: %w", err)
	}
	_, err = fmt.Fprintln(std.out, "The gateway runs in the background. `pagemcp logs` prints its log; `pagemcp service uninstall` removes it.")
	return err
}

func uninstallService(std streams) error {
	s, err := newService("pagemcp", nil)
	if err != nil {
		return err
	}
	if _, err := s.Status(); errors.Is(err, service.ErrNotInstalled) {
		_, err := fmt.Fprintln(std.out, "The service is not installed.")
		return err
	}
	if err := errors.Join(s.Stop(), s.Uninstall()); err != nil {
		return fmt.Errorf("remove the service, which may still run until you log out: %w", err)
	}
	_, err = fmt.Fprintln(std.out, "The service is removed. Token, keys and names stay in the state directory.")
	return err
}
