package server

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// diagnose returns the findings for a state directory.
func diagnose(t *testing.T, dir string, change ...func(*DiagnoseOptions)) []Finding {
	t.Helper()
	o := DiagnoseOptions{State: dir, Addr: "127.0.0.1:0", Version: "0.0.0-test"}
	for _, c := range change {
		c(&o)
	}
	return Diagnose(t.Context(), o)
}

// found returns the findings that are not ok, as lines.
func found(findings []Finding) (lines string) {
	for _, f := range findings {
		if f.Level != LevelOK {
			lines += string(f.Level) + " " + f.Check + ": " + f.Text + "; " + f.Advice + "\n"
		}
	}
	return lines
}

// A gateway with a page has no findings but ok.
func TestNothingIsWrong(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	page := newPage(t, testOrigin, "tab")
	page.join(g)
	findings := diagnose(t, g.state.dir)
	if lines := found(findings); lines != "" || len(findings) < 5 {
		t.Errorf("%d findings: %s", len(findings), lines)
	}
}

// Each fault is named with its cause and what to do.
func TestStagedFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		want []string // parts of one line each
		// stage makes the fault in dir and returns changes of the options.
		stage func(t *testing.T, dir string) func(*DiagnoseOptions)
	}{
		{"no gateway", []string{"warning gateway: is not running; start it with `pagemcp serve`"},
			func(*testing.T, string) func(*DiagnoseOptions) { return nil }},
		{"a killed gateway", []string{"warning gateway: is not running; the last one was killed"},
			func(t *testing.T, dir string) func(*DiagnoseOptions) {
				killed, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, socketName), Net: "unix"})
				if err != nil {
					t.Fatal(err)
				}
				killed.SetUnlinkOnClose(false)
				killed.Close()
				return nil
			}},
		{"a process that has the directory", []string{"problem gateway: process 77 uses the state directory, but is not ready"},
			func(t *testing.T, dir string) func(*DiagnoseOptions) { holdLock(t, dir); return nil }},
		{"a port in use", []string{"problem port: another program listens on 127.0.0.1:", "start the gateway with another port"},
			func(t *testing.T, _ string) func(*DiagnoseOptions) {
				other, err := net.Listen("tcp4", "127.0.0.1:0")
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { other.Close() })
				return func(o *DiagnoseOptions) { o.Addr = other.Addr().String() }
			}},
		{"an address of the network", []string{"problem port: ", "name an address on loopback"},
			func(*testing.T, string) func(*DiagnoseOptions) {
				return func(o *DiagnoseOptions) { o.Addr = "0.0.0.0:8808" }
			}},
		{"a state directory for all", []string{"warning state directory: ", "chmod 700"},
			func(t *testing.T, dir string) func(*DiagnoseOptions) { chmod(t, dir, 0o755); return nil }},
		{"a file as state directory", []string{"problem state directory: ", "is not a directory"},
			func(t *testing.T, dir string) func(*DiagnoseOptions) {
				writeState(t, dir, "file", "")
				return func(o *DiagnoseOptions) { o.State = filepath.Join(dir, "file") }
			}},
		{"broken files", []string{"warning state directory: 1 broken files were set aside, like names.json.broken"},
			func(t *testing.T, dir string) func(*DiagnoseOptions) {
				writeState(t, dir, "names.json.broken", "")
				return nil
			}},
		{"a token that others can read", []string{"problem token: other users can read", "`pagemcp token rotate`"},
			func(t *testing.T, dir string) func(*DiagnoseOptions) {
				writeState(t, dir, "token", strings.Repeat("x", tokenLength))
				chmod(t, filepath.Join(dir, "token"), 0o644)
				return nil
			}},
		{"a short token", []string{"problem token: ", "is shorter than 43 characters; stop the gateway, remove the file"},
			func(t *testing.T, dir string) func(*DiagnoseOptions) { writeState(t, dir, "token", "x"); return nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && (c.name == "a state directory for all" || c.name == "a token that others can read") {
				t.Skip("Windows has no permission bits")
			}
			dir := t.TempDir()
			chmod(t, dir, 0o700)
			change := c.stage(t, dir)
			if change == nil {
				change = func(*DiagnoseOptions) {}
			}
			lines := found(diagnose(t, dir, change))
			for _, want := range c.want {
				if !strings.Contains(lines, want) {
					t.Errorf("there is no %q in\n%s", want, lines)
				}
			}
		})
	}
}

// What is wrong with a running gateway is found by asking it.
func TestStagedFaultsOfARunningGateway(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{NoToken: true, Origins: []string{}})
	lines := found(diagnose(t, g.state.dir, func(o *DiagnoseOptions) { o.Version = "9.9.9" }))
	for _, want := range []string{
		"problem pages: no origin may join; `pagemcp pair",
		"warning version: the gateway has version 0.0.0-test, this program 9.9.9; restart the gateway",
		"warning token: the gateway runs with --no-token",
	} {
		if !strings.Contains(lines, want) {
			t.Errorf("there is no %q in\n%s", want, lines)
		}
	}
	if _, err := g.pair(testOrigin); err != nil {
		t.Fatal(err)
	}
	page := newPage(t, testOrigin, "tab")
	page.join(g)
	page.leave()
	page.awaitAway(g)
	g.origins.Remove(testOrigin)
	lines = found(diagnose(t, g.state.dir))
	if want := "warning origins: " + testOrigin + " has keys but may not join"; !strings.Contains(lines, want) {
		t.Errorf("there is no %q in\n%s", want, lines)
	}
	g.origins.Add(testOrigin)
	if lines = found(diagnose(t, g.state.dir)); !strings.Contains(lines, "warning pages: none is connected") {
		t.Errorf("%s", lines)
	}
}

func chmod(t *testing.T, name string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}

func writeState(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// holdLock holds the lock of a directory, as process 77.
func holdLock(t *testing.T, dir string) {
	t.Helper()
	unlock, err := osDisk{dir}.Lock(lockFileName, "process 77")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(unlock)
}
