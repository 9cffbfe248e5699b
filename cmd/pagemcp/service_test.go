package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server"
	"github.com/spf13/pflag"
)

// testService returns a service that records its commands.
func testService(t *testing.T, system string) (s *service, out *bytes.Buffer, commands *[]string) {
	t.Helper()
	out, commands = &bytes.Buffer{}, &[]string{}
	return &service{system: system, home: t.TempDir(), std: streams{strings.NewReader(""), out, out},
		run: func(_ context.Context, program string, args ...string) ([]byte, error) {
			*commands = append(*commands, program+" "+strings.Join(args, " "))
			return nil, nil
		}}, out, commands
}

// The service of systemd is written, started, replaced and removed; a dry run changes
// nothing.
func TestServiceOfSystemd(t *testing.T) {
	s, out, commands := testService(t, "linux")
	file := filepath.Join(s.home, ".config", "systemd", "user", "pagemcp.service")
	flags := []string{"--allow-origin=https://app.example"}
	if err := s.install(t.Context(), "/opt/page mcp/pagemcp", flags, true); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err == nil || len(*commands) > 0 || !strings.Contains(out.String(), `ExecStart="/opt/page mcp/pagemcp" "serve" "--allow-origin=https://app.example"`) {
		t.Errorf("dry run: %v, %q, %s", err, *commands, out)
	}
	for range 2 {
		*commands = nil
		if err := s.install(t.Context(), "/usr/bin/pagemcp", flags, false); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), "WantedBy=default.target") || !slices.Equal(*commands, []string{
			"systemctl --user daemon-reload", "systemctl --user enable pagemcp.service", "systemctl --user restart pagemcp.service",
		}) {
			t.Errorf("%s, %v, %q", text, err, *commands)
		}
	}
	*commands = nil
	for range 2 {
		if err := s.uninstall(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(file); err == nil || !slices.Equal(*commands, []string{"systemctl --user disable --now pagemcp.service", "systemctl --user daemon-reload"}) {
		t.Errorf("%v, %q", err, *commands)
	}
	if entries, _ := os.ReadDir(filepath.Dir(file)); len(entries) > 0 || !strings.Contains(out.String(), "The service is not installed.") {
		t.Errorf("%v, %s", entries, out)
	}
	s.config = filepath.Join(s.home, "elsewhere")
	if d, err := s.definition(); err != nil || d.file != filepath.Join(s.config, "systemd", "user", "pagemcp.service") {
		t.Errorf("%s, %v", d.file, err)
	}
}

// The agent of launchd is a valid property list with every argument as it is.
func TestServiceOfLaunchd(t *testing.T) {
	s, _, commands := testService(t, "darwin")
	args := []string{"/Applications/A & <B>/pagemcp", "serve", `--state="x"`}
	if err := s.install(t.Context(), args[0], args[2:], false); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(s.home, "Library", "LaunchAgents", "io.github.pagemcp.pagemcp.plist")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Dict struct {
			Arrays []struct {
				Strings []string `xml:"string"`
			} `xml:"array"`
		} `xml:"dict"`
	}
	if err := xml.Unmarshal(text, &list); err != nil || len(list.Dict.Arrays) != 1 || !slices.Equal(list.Dict.Arrays[0].Strings, args) {
		t.Errorf("%+v, %v", list, err)
	}
	if len(*commands) != 1 || !strings.HasPrefix((*commands)[0], "launchctl bootstrap gui/") {
		t.Errorf("%q", *commands)
	}
	// Again: the service is loaded, and ends some time after bootout has returned.
	*commands = nil
	remaining := 3
	s.run = func(_ context.Context, program string, args ...string) ([]byte, error) {
		*commands = append(*commands, args[0])
		if args[0] == "print" {
			if remaining--; remaining < 0 {
				return nil, errors.New("no such service")
			}
		}
		return nil, nil
	}
	synctest.Test(t, func(t *testing.T) {
		if err := s.install(t.Context(), args[0], nil, false); err != nil || !slices.Equal(*commands, []string{"print", "bootout", "print", "print", "print", "bootstrap"}) {
			t.Errorf("again: %q, %v", *commands, err)
		}
		*commands, remaining = nil, 1_000
		if err := s.uninstall(t.Context()); err == nil || !strings.Contains(err.Error(), "has not ended") {
			t.Errorf("a service that does not end: %v", err)
		}
	})
}

// A service that could not be stopped is reported, with the exit code of a failure.
func TestUninstallReportsWhatFails(t *testing.T) {
	s, out, _ := testService(t, "linux")
	if err := s.install(t.Context(), "/usr/bin/pagemcp", nil, false); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	s.run = func(context.Context, string, ...string) ([]byte, error) {
		return []byte("Failed to connect to bus"), errors.New("exit status 1")
	}
	err := s.uninstall(t.Context())
	if err == nil || !strings.Contains(err.Error(), "may still run") || !strings.Contains(err.Error(), "Failed to connect to bus") || strings.Contains(out.String(), "is removed") {
		t.Errorf("%v, %s", err, out)
	}
}

// servedGateway returns a gateway that serves, and what its Serve returns.
func servedGateway(t *testing.T, state string) (*server.Gateway, <-chan error) {
	t.Helper()
	g, err := server.New(server.Options{State: state, Version: "0.0.0-test"})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- g.Serve(t.Context()) }() // ends with Close
	return g, served
}

// `serve --wait`, which the service runs, waits for the gateway of another command.
func TestServeWaitsForAnotherGateway(t *testing.T) {
	state := t.TempDir()
	first, served := servedGateway(t, state)
	waiting, serving := make(chan string, 16), make(chan string, 16)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"serve", "--wait", "--json", "--state", state, "--mcp", "127.0.0.1:0"}, streams{strings.NewReader(""), lines(serving), lines(waiting)})
	}()
	if got := <-waiting; !strings.Contains(got, "waiting until it ends") {
		t.Errorf("at first: %s", got)
	}
	stopped, stop := context.WithCancel(ctx)
	other, otherEnded := make(chan string, 16), make(chan error, 1)
	go func() {
		otherEnded <- run(stopped, []string{"serve", "--wait", "--state", state, "--mcp", "127.0.0.1:0"}, streams{strings.NewReader(""), io.Discard, lines(other)})
	}()
	<-other
	stop()
	if err := <-otherEnded; err != nil {
		t.Errorf("ended by a signal while it waits: %v", err)
	}
	first.Close(t.Context())
	if err := <-served; err != nil {
		t.Error(err)
	}
	select {
	case got := <-serving:
		if !strings.Contains(got, `"mcp":`) {
			t.Errorf("then: %s", got)
		}
	case err := <-ended:
		t.Fatalf("ended while it waited: %v", err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Another gateway may begin just after `serve --wait` has seen none: it waits for that one, too. Other
// errors end it.
func TestServeWaitsForAGatewayThatWasFaster(t *testing.T) {
	state := t.TempDir()
	first, served := servedGateway(t, state)
	running := settings{state: state, wait: true}
	_, err := running.newGateway(t.Context(), streams{strings.NewReader(""), io.Discard, io.Discard})
	if err == nil || !running.otherWasFirst(t.Context(), err) {
		t.Errorf("while a gateway runs: %v", err)
	}
	first.Close(t.Context())
	if err := <-served; err != nil {
		t.Error(err)
	}
	none := settings{state: t.TempDir(), wait: true}
	for err, want := range map[error]bool{
		fmt.Errorf("open: %w", &server.OwnedError{}): true,
		errors.New("the disk is full"):               false,
	} {
		if got := none.otherWasFirst(t.Context(), err); got != want {
			t.Errorf("%v: %v", err, got)
		}
	}
}

// lines receives what is written, while it has room.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	select {
	case l <- string(p):
	default:
	}
	return len(p), nil
}

// With XDG_STATE_HOME, which a service or a client may not have, the directory is written.
func TestStateIsWrittenIfTheEnvironmentNamesIt(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "")
	if got, err := explicitState(""); got != "" || err != nil {
		t.Errorf("without: %q, %v", got, err)
	}
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	root := newRoot(streams{strings.NewReader(""), io.Discard, io.Discard})
	install, _, err := root.Find([]string{"service", "install"})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := serveFlags(install); err != nil || !slices.Contains(got, "--state="+filepath.Join(dir, "pagemcp")) {
		t.Errorf("with: %q, %v", got, err)
	}
}

// Where there is no service manager, or it fails, the error says so.
func TestServiceFailures(t *testing.T) {
	s, _, _ := testService(t, "windows")
	if err := s.install(t.Context(), "pagemcp.exe", nil, false); err == nil || !strings.Contains(err.Error(), "Task Scheduler") {
		t.Error(err)
	}
	s, _, _ = testService(t, "linux")
	s.run = func(context.Context, string, ...string) ([]byte, error) { return nil, errors.New("no systemd here") }
	if err := s.install(t.Context(), "/usr/bin/pagemcp", nil, false); err == nil || !strings.Contains(err.Error(), "is written, but does not start: systemctl --user daemon-reload: no systemd here") {
		t.Error(err)
	}
	if err := s.install(t.Context(), "/usr/bin/page\nmcp", nil, false); err == nil || exitCode(err) != exitMistake {
		t.Error(err)
	}
}

// The command takes the flags of serve that were set, with absolute paths.
func TestServiceTakesFlagsOfServe(t *testing.T) {
	var got []string
	root := newRoot(streams{strings.NewReader(""), io.Discard, io.Discard})
	install, _, err := root.Find([]string{"service", "install"})
	if err != nil {
		t.Fatal(err)
	}
	if err := install.ParseFlags([]string{"--mcp", "127.0.0.1:9000", "--state", "here", "--allow-origin", "https://a.example", "--allow-origin", "https://b.example", "--lenient"}); err != nil {
		t.Fatal(err)
	}
	got, err = serveFlags(install)
	if err != nil {
		t.Fatal(err)
	}
	here, _ := filepath.Abs("here")
	want := []string{"--wait", "--state=" + here, "--mcp=127.0.0.1:9000", "--lenient=true", "--allow-origin=https://a.example", "--allow-origin=https://b.example"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if _, _, err := newRoot(streams{}).Find(append([]string{"serve"}, got...)); err != nil {
		t.Error(err)
	}
}

// No flag of serve is left out.
func TestServiceTakesAllFlagsOfServe(t *testing.T) {
	install, _, err := newRoot(streams{strings.NewReader(""), io.Discard, io.Discard}).Find([]string{"service", "install"})
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]string{"string": "x", "bool": "true", "int": "7", "float64": "7"}
	install.Flags().VisitAll(func(flag *pflag.Flag) {
		value, ok := given[flag.Value.Type()]
		if flag.Name == "dry-run" || flag.Name == "help" {
			return
		}
		if !ok {
			value = "https://a.example"
		}
		if err := install.Flags().Set(flag.Name, value); err != nil {
			t.Fatal(err)
		}
		got, err := serveFlags(install)
		if err != nil || !slices.ContainsFunc(got, func(one string) bool { return strings.HasPrefix(one, "--"+flag.Name+"=") }) {
			t.Errorf("--%s is not one of %q: %v", flag.Name, got, err)
		}
	})
}

// Words of the unit file are quoted as systemd.syntax(7) says.
func TestUnitFileQuotesWords(t *testing.T) {
	unit := systemdUnit("/opt/100% $HOME/page\"mcp", []string{"serve", `--state=C:\x`})
	for _, want := range []string{"\nStartLimitIntervalSec=0\n", "\nRestart=on-failure\n"} { // another gateway may run for long
		if !strings.Contains(unit, want) {
			t.Errorf("no %q in %s", want, unit)
		}
	}
	if want := `ExecStart="/opt/100%% $$HOME/page\"mcp" "serve" "--state=C:\\x"` + "\n"; !strings.Contains(unit, want) {
		t.Errorf("%s", unit)
	}
}
