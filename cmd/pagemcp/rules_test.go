package main

import (
	"encoding/json"
	"errors"
	gobuild "go/build"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/release"
	"github.com/pagemcp/pagemcp/web"
)

const (
	module = "github.com/pagemcp/pagemcp/"
	root   = "../.."
)

// arrows are imports that must not be, however far they are.
var arrows = []struct{ from, banned, why string }{
	{"wasm", module + "server", "arrows point down"},
	{"wasm", module + "server/internal/remote", "a Remote is a source like any other; the page has none"},
	{"wasm", "fmt", "+65 KB brotli, with package reflect: use jsonrpc.Wrap and strconv"},
	{"wasm/jsonrpc", module + "wasm/engine", "messages know nothing of who answers them"},
	{"wasm/engine", "encoding/json", "+246 KB brotli and 4x slower here: use jsontext"},
	{"wasm/engine", "syscall/js", "the engine runs anywhere: the browser is the skin's affair"},
	{"wasm/engine", "os", "the engine has no machine"},
	{"wasm/engine", "net", "the engine has no network: a Port is given to it"},
	{"wasm/engine", "log", "the engine reports through Options.Report"},
	{"server", "github.com/evanw/esbuild/pkg/api", "the gateway serves; bundle builds"},
	{"server", "github.com/spf13/cobra", "a library has no command line"},
	{"server", "github.com/prometheus/client_golang/prometheus", "programs that embed the gateway choose their metrics"},
	{"server", "github.com/nats-io/nats.go", "the local gateway has no other nodes"},
	{"server", module + "server/hosted", "the local gateway has one user"},
	{"server", module + "server/internal/oauth", "the local gateway has a token of its own, and no issuer"},
	{"server/hosted", module + "server", "what both gateways need is in server/internal"},
	{"server/hosted", "github.com/nats-io/nats.go", "a hosted gateway runs without a cluster"},
	{"server/internal/gateway", module + "server", "what any gateway needs does not depend on the local one"},
	{"server/bundle", module + "server", "arrows point down"},
	{"server/docs", module + "server", "it reads sources: what they do is nothing to it"},
	{"cmd/pagemcpd", module + "server", "what both gateways need is in server/internal"},
}

func TestImportsPointDown(t *testing.T) {
	native := gobuild.Default
	browser := gobuild.Default
	browser.GOOS, browser.GOARCH = "js", "wasm"
	for _, platform := range []gobuild.Context{native, browser} {
		reached := map[string]map[string]bool{}
		for _, arrow := range arrows {
			if imports(t, platform, arrow.from, reached)[arrow.banned] {
				t.Errorf("%s reaches %s on %s: %s", arrow.from, arrow.banned, platform.GOOS, arrow.why)
			}
		}
	}
}

// A released program embeds the web files, and does not contain the bundler.
func TestReleaseHasNoBundler(t *testing.T) {
	list := exec.CommandContext(t.Context(), "go", "list", "-e", "-deps", "-tags", "release", "./cmd/pagemcp") // -e: the archive may be missing
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	for _, banned := range []string{"github.com/evanw/esbuild/pkg/api", module + "server/bundle", module + "server/docs", module + "server/release", "github.com/yuin/goldmark", "github.com/spf13/cobra/doc"} {
		if slices.Contains(deps, banned) {
			t.Errorf("the released program contains %s", banned)
		}
	}
	if !slices.Contains(deps, module+"server/site") {
		t.Error("the released program does not contain the web files")
	}
}

// imports returns each path that dir imports, itself or through our packages, and keeps the
// result in reached. go/build opens the files, so that an edit renews the cached test result.
func imports(t *testing.T, platform gobuild.Context, dir string, reached map[string]map[string]bool) map[string]bool {
	t.Helper()
	if seen := reached[dir]; seen != nil {
		return seen
	}
	pkg, err := platform.ImportDir(filepath.Join(root, dir), 0)
	if none := (*gobuild.NoGoError)(nil); err != nil && !errors.As(err, &none) { // none: nothing for this platform
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, path := range pkg.Imports {
		seen[path] = true
		if ours, ok := strings.CutPrefix(path, module); ok {
			maps.Copy(seen, imports(t, platform, ours, reached))
		}
	}
	reached[dir] = seen
	return seen
}

// sources calls do for each file with one of the extensions below dir.
func sources(t *testing.T, dir string, do func(name, text string), extensions ...string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(root, dir), func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "dist") {
			return fs.SkipDir
		}
		for _, ext := range extensions {
			if !d.IsDir() && strings.HasSuffix(name, ext) {
				data, err := os.ReadFile(name)
				if err != nil {
					return err
				}
				do(name, string(data))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// connections are the files of the local gateway and its program that open connections, each
// with its target, which is on this machine. Listeners are checked by loopback.CheckAddress.
var connections = map[string]string{
	"cmd/pagemcp/open.go":         "the running `pagemcp dev`",
	"server/control_client.go":    "the running gateway",
	"server/diagnosis.go":         "the resolver of the system, for localhost",
	"server/diagnosis_network.go": "the running gateway, as a page and as an assistant",
	"server/socket_unix.go":       "the socket of the running gateway",
	"server/socket_windows.go":    "the pipe of the running gateway",
}

// The documentation promises that PageMCP sends nothing off the machine of its user.
func TestLocalProgramConnectsToThisMachineOnly(t *testing.T) {
	opens := regexp.MustCompile(`\bhttp\.(?:(?:Get|Head|Post|PostForm)\(|Client\{|DefaultClient|DefaultTransport|Transport\{)|\bnet\.Dial|\bDialContext\b|\btls\.Dial|\bwebsocket\.Dial\(|\bnet\.Lookup|\bnet\.DefaultResolver`)
	// What only builds, tests and the hosted gateway have; TestImportsPointDown keeps it apart.
	others := regexp.MustCompile(`_test\.go$|^server/(?:hosted|interop|release|bundle|docs)/|^server/internal/(?:gatewaytest|oauth)/`)
	for _, dir := range []string{"cmd/pagemcp", "server", "wasm"} {
		sources(t, dir, func(name, text string) {
			name = strings.TrimPrefix(filepath.ToSlash(filepath.Clean(name)), "../../")
			if others.MatchString(name) || !opens.MatchString(text) {
				return
			}
			if connections[name] == "" {
				t.Errorf("%s opens a connection (%s): to which target? The documentation says that PageMCP sends nothing off the machine", name, opens.FindString(text))
			}
		}, ".go")
	}
}

// One version is in all files, and in the program.
func TestVersionsAgree(t *testing.T) {
	version, err := release.CheckVersions(root)
	if err != nil {
		t.Fatal(err)
	}
	if version != web.Version() {
		t.Errorf("the program has version %q, the files %s", web.Version(), version)
	}
}

// What is installed is what the lock file says, on every platform: each package has a
// hash, optional ones of other platforms are in it too, no registry is named, and no
// package runs a script of its own.
func TestLockFileIsCompleteAndScriptsAreNotRun(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "web/package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	var lock struct {
		Packages map[string]struct {
			Resolved, Integrity  string
			Link                 bool
			OptionalDependencies map[string]string
		}
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		t.Fatal(err)
	}
	const modules = "node_modules/"
	names := map[string]bool{}
	for at := range lock.Packages {
		if i := strings.LastIndex(at, modules); i >= 0 {
			names[at[i+len(modules):]] = true
		}
	}
	for at, one := range lock.Packages {
		if strings.Contains(at, modules) && !one.Link && !strings.HasPrefix(one.Integrity, "sha512-") {
			t.Errorf("%s has no hash", at)
		}
		if strings.Contains(one.Resolved, ":") {
			t.Errorf("%s is bound to %s", at, one.Resolved)
		}
		for name := range one.OptionalDependencies {
			if !names[name] {
				t.Errorf("%s may need %s, which the lock file lacks", at, name)
			}
		}
	}
	for name, want := range map[string]string{"Makefile": "\tcd web && npm ci --ignore-scripts ", "web/.npmrc": "\nignore-scripts=true\n"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), want) || strings.Contains(string(text), "npm install --") {
			t.Errorf("%s does not say %q", name, want)
		}
	}
}
