package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The service of systemd is written with the flags, replaced and removed. systemctl is a script
// that records its arguments.
func TestServiceOfSystemd(t *testing.T) {
	home, bin := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	record := filepath.Join(bin, "record")
	if err := os.WriteFile(filepath.Join(bin, "systemctl"), []byte("#!/bin/sh\necho \"$@\" >> "+record+"\necho active\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	std := streams{strings.NewReader(""), &out, &out}
	unit := filepath.Join(home, ".config", "systemd", "user", "pagemcp.service")
	for range 2 {
		if err := installService("/opt/page mcp/100%/pagemcp", []string{"--lenient=true", `--state=C:\x"$HOME`}, std); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(unit)
		if err != nil || !strings.Contains(string(text), `ExecStart=/opt/page\x20mcp/100%%/pagemcp "serve" "--lenient=true" "--state=C:\\x\"$$HOME"`+"\n") || !strings.Contains(string(text), "\nWantedBy=default.target\n") {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	if calls, err := os.ReadFile(record); err != nil || !strings.HasSuffix(string(calls), "enable --user pagemcp.service\ndaemon-reload --user\nstart --user pagemcp.service\n") {
		t.Errorf("%v\n%s", err, calls)
	}
	if err := uninstallService(std); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(unit); !os.IsNotExist(err) {
		t.Errorf("the unit is left: %v", err)
	}
	if err := installService("/opt/page\nmcp", nil, std); err == nil || exitCode(err) != exitMistake {
		t.Errorf("a path with a line break: %v", err)
	}
}
