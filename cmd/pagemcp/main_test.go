package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server"
)

// TestMain makes this test binary the program that pagemcp stdio starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		main()
		return
	}
	os.Exit(m.Run())
}

// httpClient is http.DefaultClient with a limit for a request and its answer.
var httpClient = &http.Client{Timeout: time.Minute}

// Every mistake in a command line is reported in one line that says what to do, with an exit code of its own, before
// anything is printed or served.
func TestMistakesSayWhatToDo(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for line, want := range map[string]string{
		"":                                       "no command: use one of those above",
		"run":                                    `unknown command "run"`,
		"sreve":                                  "Did you mean this? serve",
		"version now":                            `version takes no argument "now"`,
		"serve now":                              "serve takes no argument",
		"serve --stat x":                         "unknown flag: --stat; see pagemcp serve --help",
		"serve --reads-per-second many":          "invalid argument",
		"serve --mcp 0.0.0.0:8808":               "use 127.0.0.1:8808",
		"serve --mcp 8808":                       "want host:port, like",
		"serve --mcp 127.0.0.1:99999":            "port must be a number",
		"serve --log-format xml":                 `--log-format "xml": want text or json`,
		"serve --dir " + t.TempDir():             "--dir: ",
		"serve --dir /does/not/exist":            "--dir: ",
		"serve --open":                           "--open needs --dir",
		"serve --web 127.0.0.1:0":                "--web needs --dir",
		"serve --allow-origin *":                 "want scheme, host and port",
		"serve --allow-origin null":              "want scheme, host and port",
		"serve --allow-origin https://a.b/":      `browsers send it as "https://a.b"`,
		"serve --allow-origin https://*.example": "there are no patterns",
		"serve --tls-cert cert.pem":              "--tls-cert and --tls-key are needed together",
		"stdio --log-format xml":                 `--log-format "xml": want text or json`,
		"stdio --as Claude":                      "--as: the name",
		"pair":                                   "pair needs one origin",
		"pair http://localhost:5173/":            `browsers send it as "http://localhost:5173"`,
		"pair localhost:5173":                    "want scheme, host and port",
		"revoke":                                 "revoke needs one origin",
		"revoke --all https://app.test":          "revoke takes no argument",
		"pause soon":                             "pause needs one time like 20m or 8h",
		"pause 0s":                               "pause needs one time like 20m or 8h",
		"pause 1h 2h":                            "pause needs one time like 20m or 8h",
		"pause 1000h":                            "at most 720h",
		"resume now":                             "resume takes no argument",
		"watch --as Claude":                      "--as: the name",
		"token rotate now":                       "rotate takes no argument",
		"token add":                              "token add needs the name of one assistant",
		"token add Claude":                       `the name "Claude" is not valid`,
		"token add token":                        `the name "token" is reserved`,
		"token revoke":                           "token revoke needs the name",
		"token add x --expires 0d":               "is not a time: want one like 12h or 30d",
		"token add x --expires 5":                "is not a time",
		"token add x --expires -1h":              "is not a time",
		"install":                                "install needs one assistant: claude-code, claude-desktop",
		"install cursor zed":                     "install needs one assistant",
		"install --list cursor":                  `install takes no argument "cursor"`,
		"install clode":                          `no client "clode": use one of`,
		"uninstall clode":                        `no client "clode": use one of`,
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		var out, complaints bytes.Buffer
		err := run(ctx, strings.Fields(line), streams{strings.NewReader(""), &out, &complaints})
		cancel()
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") || exitCode(err) != exitMistake {
			t.Errorf("%q: exit code %d, %v; want %q", line, exitCode(err), err, want)
		}
		if out.Len() > 0 {
			t.Errorf("%q: standard output %q", line, out.String())
		}
	}
	if code := exitCode(errors.New("the disk is full")); code != exitFailed {
		t.Errorf("other errors: %d", code)
	}
}

func TestFailuresSayWhatToDo(t *testing.T) {
	inUse, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer inUse.Close()
	for line, want := range map[string]string{
		"serve --mcp " + inUse.Addr().String(): "choose another port with --mcp",
		"stdio --mcp " + inUse.Addr().String(): "choose another port with --mcp",
		"stdio --mcp 192.0.2.1:1":              "serves this machine only",
		"dev --files /nothing/there":           "--files: read the built files: ",
	} {
		_, err := runForOutput(t, append(strings.Fields(line), "--state", t.TempDir())...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", line, err, want)
		}
	}
}

// The flags of serve reach the gateway: with --lenient a plain POST is served, and with
// --no-resource-tools a gateway without pages has no tools.
func TestServePassesItsFlags(t *testing.T) {
	line, _ := startServe(t, t.TempDir(), "--lenient", "--logging", "--no-resource-tools")
	secret, err := os.ReadFile(line.TokenFile)
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`:                                    `"result":{"tools":[]}`,
		`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"warning"}}`: `"result":{}`,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, line.MCP, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Agent-API-Key", strings.TrimSpace(string(secret)))
		answer, err := httpClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %d %s, %v", body, answer.StatusCode, text, err)
		}
	}
}

// What serve prints for pages can be opened as it is; each link has an invitation of its own.
func TestServePrintsLinksOfAllowedOrigins(t *testing.T) {
	for _, c := range []struct {
		origins []string
		want    []string // lines
	}{
		{nil, []string{"  No page can join yet: allow its origin, like `pagemcp pair http://localhost:5173` while the gateway runs, or --allow-origin"}},
		{[]string{"http://localhost:5173"}, []string{"  http://localhost:5173/#pagemcp=1"}},
		{[]string{"http://localhost:5173", "https://app.example"}, []string{"  http://localhost:5173/#pagemcp=1", "  https://app.example/#pagemcp=2"}},
	} {
		var printed strings.Builder
		invitations := 0
		printPairing(&printed, func() string { invitations++; return fmt.Sprint("#pagemcp=", invitations) }, c.origins)
		lines := strings.Split(printed.String(), "\n")
		for _, want := range c.want {
			if !slices.Contains(lines, want) {
				t.Errorf("%q: there is no line %q in %q", c.origins, want, printed.String())
			}
		}
	}
}

// serve --json prints one line for scripts, and serves until it is stopped. Another one with
// the same state directory has a door of the gateway that runs, and the gateway once that
// ends.
func TestServePrintsJSON(t *testing.T) {
	state := t.TempDir()
	line, stop := startServe(t, state)
	if info, err := os.Stat(line.TokenFile); err != nil || !hasMode(info, 0o600) || !strings.HasPrefix(line.MCP, "http://127.0.0.1:") || line.Pages == nil ||
		!strings.HasPrefix(line.Pairing, "#pagemcp=") {
		t.Errorf("%+v, %v", line, err)
	}
	second, _ := startServe(t, state)
	if second.MCP != line.MCP {
		t.Errorf("the second one serves %s, the first one %s", second.MCP, line.MCP)
	}
	stop()
	for began := time.Now(); ; {
		if control, err := server.Connect(t.Context(), state); err == nil && control.Running.MCP == line.MCP {
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatal("waited a minute and still not: the second one is the gateway")
		}
	}
}

// fetch returns the status and the text of a URL.
func fetch(t *testing.T, url string, header ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	answer, err := httpClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func run(ctx context.Context, args []string, std streams) error {
	err := execute(ctx, args, std)
	return err
}
