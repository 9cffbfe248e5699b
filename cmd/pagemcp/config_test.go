package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// prepared returns the settings of serve for a command line and a file of settings.
func prepared(t *testing.T, file string, args ...string) (settings, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, configFile), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	var s settings
	c := &cobra.Command{Use: "serve"}
	s.register(c.Flags())
	if err := c.ParseFlags(append(args, "--state="+dir)); err != nil {
		t.Fatal(err)
	}
	err := s.prepare(c)
	s.tokenFile = strings.TrimPrefix(s.tokenFile, dir)
	return s, err
}

// The file has the flags of a service, and the command line comes first.
func TestSettingsComeFromAFile(t *testing.T) {
	s, err := prepared(t, `# a service
mcp = "127.0.0.1:9000"
allow-origin = ["https://a.example", "https://b.example"]
lenient = true
page-size = 50
reads-per-second = 20.5
token-file = "secret"
log-level = "debug"
`, "--page-size=7")
	if err != nil {
		t.Fatal(err)
	}
	if s.mcp != "127.0.0.1:9000" || !reflect.DeepEqual(s.origins, list{"https://a.example", "https://b.example"}) || !s.lenient || s.pageSize != 7 || s.reads != 20.5 ||
		s.tokenFile != string(filepath.Separator)+"secret" || s.logLevel != "debug" {
		t.Errorf("%+v", s)
	}
	if len(s.given) != 2 { // of the command line
		t.Errorf("the command line has %v", s.given)
	}
}

func TestMistakesInTheFileOfSettingsSayWhatToDo(t *testing.T) {
	for file, want := range map[string]string{
		"page-size = ":                    "pagemcp.toml:1: ",
		"lenient = true\nlenient = false": "pagemcp.toml:2: ",
		"allow-orgin = []":                "allow-orgin: there is no such setting",
		`state = "/tmp"`:                  "state: there is no such setting",
		`json = true`:                     "json: there is no such setting",
		`page-size = "many"`:              "page-size: ",
		`page-size = [1]`:                 "page-size: want one value, not a list",
		`page-size = 0`:                   "--page-size 0: want 1 to 1000",
		`allow-origin = ["a.example"]`:    "allow-origin: origin \"a.example\"",
		`log-level = "loud"`:              "--log-level \"loud\": want debug, info, warn or error",
	} {
		if _, err := prepared(t, file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", file, err, want)
		}
	}
}
