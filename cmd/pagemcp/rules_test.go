package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	gobuild "go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/bundle"
	"github.com/pagemcp/pagemcp/server/release"
	"github.com/pagemcp/pagemcp/web"
)

const (
	module = "github.com/pagemcp/pagemcp/"
	root   = "../.."
)

// arrows are imports that must not be, however far they are.
var arrows = []struct{ from, banned, why string }{
	{"wasm/jsonrpc", module + "wasm/engine", "messages know nothing of who answers them"},
	{"wasm/jsonrpc", "encoding/json", "+246 KB brotli and 4x slower here: use jsontext"},
	{"wasm/engine", module + "wasm/engine/remote", "a Remote is a source like any other; the page has none"},
	{"wasm", module + "wasm/engine/remote", "a Remote is a source like any other; the page has none"},
	{"wasm/internal/schema", module + "wasm/engine", "values are checked without an engine"},
	{"wasm/internal/plain", module + "wasm/engine", "texts are cleaned without an engine"},
	{"wasm/internal/hop", module + "wasm/engine", "both ends of a hop import it"},
	{"cmd/pagemcp", module + "wasm/internal/enginetest", "it has clients for tests alone"},
	{"cmd/pagemcpd", module + "wasm/internal/enginetest", "it has clients for tests alone"},
	{"wasm/engine/remote", "encoding/json", "+246 KB brotli and 4x slower here: use jsontext"},
	{"wasm/engine", "encoding/json", "+246 KB brotli and 4x slower here: use jsontext"},
	{"wasm/engine", "syscall/js", "the engine runs anywhere: the browser is the skin's affair"},
	{"wasm/engine", "os", "the engine has no machine"},
	{"wasm/engine", "net", "the engine has no network: a Port is given to it"},
	{"wasm/engine", "net/http", "the engine has no network: a Port is given to it"},
	{"wasm/engine", "log", "the engine reports through Options.Report"},
	{"wasm", "fmt", "+65 KB brotli, with package reflect: use jsonrpc.Wrap and strconv"},
	{"wasm", "net/http", "megabytes: the browser fetches"},
	{"wasm", "github.com/coder/websocket", "+610 KB brotli: the browser opens the socket"},
	{"wasm", module + "server", "arrows point down"},
	{"server", "github.com/evanw/esbuild/pkg/api", "the gateway serves; bundle builds"},
	{"server", module + "server/bundle", "arrows point down"},
	{"server", "syscall/js", "the gateway is native"},
	{"server", module + "server/docs", "the gateway serves; docs builds"},
	{"server/bundle", module + "server", "arrows point down"},
	{"server/docs", module + "server", "it reads sources: what they do is nothing to it"},
	{"server", "github.com/spf13/cobra", "a library has no command line"},
	{"server", "github.com/prometheus/client_golang/prometheus", "programs that embed the gateway choose their metrics"},
	{"server", "github.com/go-jose/go-jose/v4", "the local gateway has a token of its own, and no issuer"},
	{"server", module + "server/internal/oauth", "the local gateway has a token of its own, and no issuer"},
	{"cmd/pagemcp", "github.com/go-jose/go-jose/v4", "OAuth is the hosted gateway's"},
	{"cmd/pagemcp", module + "server/internal/oauth", "OAuth is the hosted gateway's"},
	{"server", module + "server/hosted", "the local gateway has one user"},
	{"cmd/pagemcp", module + "server/hosted", "the hosted gateway is a program of its own"},
	{"server/hosted", module + "server", "what both gateways need is in server/internal"},
	{"server", module + "server/cluster", "the local gateway has no other nodes"},
	{"server", "github.com/nats-io/nats.go", "the local gateway has no other nodes"},
	{"cmd/pagemcp", module + "server/cluster", "the local gateway has no other nodes"},
	{"cmd/pagemcp", "github.com/nats-io/nats.go", "the local gateway has no other nodes"},
	{"server/hosted/config", module + "server/internal/gateway", "a configuration is read without a gateway"},
	{"server/hosted/config", module + "server/internal/mcphttp", "a configuration is read without a gateway"},
	{"cmd/pagemcpd", module + "server/hosted/config/configtest", "it writes files of tests"},
	{"server/internal/keys", module + "server/internal/gateway", "secrets do not depend on what uses them"},
	{"server/hosted/sessions", module + "server/internal/oauth", "sessions do not depend on how clients authenticate themselves"},
	{"server/hosted/internal/front", module + "server/internal/gateway", "an address knows nothing of what is served there"},
	{"server/hosted/internal/admin", module + "server/internal/gateway", "an address knows nothing of what is served there"},
	{"server/hosted/internal/audit", module + "server/internal/gateway", "it writes entries, whoever makes them"},
	{"server/hosted", module + "server/cluster", "a hosted gateway runs without a cluster"},
	{"server/hosted", "github.com/nats-io/nats.go", "a hosted gateway runs without a cluster"},
	{"server/internal/gateway", module + "server/cluster", "it knows other nodes by interfaces"},
	{"server/internal/gateway", "github.com/nats-io/nats.go", "it knows other nodes by interfaces"},
	{"server/cluster", module + "server", "what both gateways need is in server/internal"},
	{"server/cluster", module + "server/hosted", "it connects nodes of any gateway"},
	{"server/cluster", "github.com/nats-io/nats-server/v2/server", "+10 MB: NATS servers are for tests and for programs that embed one"},
	{"cmd/pagemcpd", "github.com/nats-io/nats-server/v2/server", "+10 MB: it contains a NATS server with the tag embednats alone"},
	{"server", "go.yaml.in/yaml/v4", "the local gateway has flags, and no configuration file"},
	{"server/internal/oauth", module + "server", "what any gateway needs does not depend on the local one"},
	{"server/internal/oauth", module + "server/internal/gateway", "credentials are verified without a gateway"},
	{"server/internal/oauth", module + "server/internal/oauth/oauthtest", "it signs hostile tokens, for tests alone"},
	{"server/internal/gateway", "github.com/go-jose/go-jose/v4", "it knows an Authenticator by its interface"},
	{"server", module + "server/devserver", "the gateway runs without the development server"},
	{"server", module + "server/clientconfig", "the gateway does not know the files of its clients"},
	{"server/clientconfig", module + "server", "it edits files: what is in them is passed in"},
	{"server/devserver", module + "server", "it serves files: what pages may do is the gateway's"},
	{"server/devserver", module + "server/internal/gateway", "it serves files: what pages may do is the gateway's"},
	{"server/hosted", module + "server/internal/loopback", "a hosted gateway is not on loopback"},
	{"cmd/pagemcpd", module + "server/internal/conns/connstest", "connections are in memory in tests alone"},
	{"server/internal/conns", module + "server/internal/loopback", "it limits connections of any listener"},
	{"server/internal/auditlog", module + "server", "each gateway writes its log where it wants"},
	{"cmd/pagemcpd", module + "server", "what both gateways need is in server/internal"},
	{"cmd/pagemcpd", module + "server/internal/oauth/oauthtest", "it signs hostile tokens, for tests alone"},
	{"server/internal/gateway", module + "server", "what any gateway needs does not depend on the local one"},
	{"server/internal/gateway", module + "server/internal/loopback", "a hosted gateway is not on loopback"},
	{"server/internal/gateway", module + "server/internal/monitor", "it knows a monitor by its interface"},
	{"server/internal/mcphttp", module + "server/internal/gateway", "HTTP serves endpoints, whoever makes them"},
	{"server/internal/mcphttp", module + "server/internal/socket", "HTTP knows no WebSocket"},
	{"server/internal/mcphttp", "github.com/coder/websocket", "HTTP knows no WebSocket"},
	{"server/internal/monitor", module + "server/internal/mcphttp", "it sees messages, however they came"},
	{"server/internal/monitor", module + "server/internal/gateway", "it sees messages, however they came"},
	{"server/internal/access", module + "server/internal/mcphttp", "rules do not depend on a transport"},
	{"server/internal/access", module + "server/internal/socket", "rules do not depend on a transport"},
	{"server/internal/access", module + "server/internal/quotas", "it knows a Limiter by its interface"},
	{"server/internal/quotas", module + "server/internal/mcphttp", "limits do not depend on a transport"},
	{"server/internal/socket", module + "server/internal/access", "a port knows no rules"},
	{"server/internal/message", "net/http", "messages know no transport"},
	{"web", module + "server", "arrows point down"},
	{"cmd/pagemcp", module + "server/internal/recorded", "messages are recorded in tests alone"},
	{"server", module + "server/internal/history", "histories are judged in tests alone"},
	{"cmd/pagemcpd", module + "server/internal/history", "histories are judged in tests alone"},
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

// An embedder's module graph has what the product uses. Modules for tests alone are
// required by server/interop, which is a module of its own; uritemplate, without
// dependencies, stays here: the engine's templates are compared with it. cobra, with its
// flags, is for the program alone: help, suggestions and completion in four shells.
// goldmark, without dependencies, is for server/docs, which builds the documentation.
// go-jose, without dependencies, is for server/internal/oauth, the hosted gateway's.
// hujson, go-toml and yaml are for server/clientconfig, which edits files of MCP clients;
// yaml is for the configuration of server/hosted, too. nats.go is for server/cluster, and
// its tests start NATS servers; no other package may have it (TestNATSIsTheClusters).
func TestModulesAreTheProducts(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	var modules []string
	for _, found := range regexp.MustCompile(`(?m)^(?:require)?\s+([\w./-]+) v`).FindAllStringSubmatch(string(text), -1) {
		modules = append(modules, found[1])
	}
	want := []string{
		"github.com/coder/websocket", "github.com/evanw/esbuild", "github.com/go-jose/go-jose/v4", "github.com/go-json-experiment/json",
		"github.com/nats-io/jwt/v2", "github.com/nats-io/nats-server/v2", "github.com/nats-io/nats.go", "github.com/nats-io/nkeys",
		"github.com/pelletier/go-toml/v2", "github.com/prometheus/client_golang", "github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/tailscale/hujson", "github.com/yosida95/uritemplate/v3", "github.com/yuin/goldmark", "go.yaml.in/yaml/v4",
		"golang.org/x/sys", "golang.org/x/term", // the width of a terminal, on each system
		"golang.org/x/time",
		"github.com/antithesishq/antithesis-sdk-go",               // of nats-server, like go-tpm and highwayhash
		"github.com/beorn7/perks", "github.com/cespare/xxhash/v2", // of client_golang, like the next but one and those after
		"github.com/cpuguy83/go-md2man/v2", // of cobra/doc, which writes manual pages and is in no program
		"github.com/google/go-tpm",
		"github.com/inconshreveable/mousetrap", // of cobra, on Windows
		"github.com/klauspost/compress",        // of nats.go, like nuid and crypto
		"github.com/minio/highwayhash",
		"github.com/munnerz/goautoneg", "github.com/nats-io/nuid", "github.com/prometheus/client_model", "github.com/prometheus/common", "github.com/prometheus/procfs",
		"github.com/russross/blackfriday/v2", "go.yaml.in/yaml/v3", // of cobra/doc
		"golang.org/x/crypto", "google.golang.org/protobuf",
	}
	if !slices.Equal(modules, want) {
		t.Errorf("go.mod requires %q, want %q", modules, want)
	}
}

// server/cluster alone imports the NATS client, besides a benchmark of server/clustertest that
// compares a link with a bare exchange, and no program contains a NATS server unless it
// is built with the tag embednats: tests of server/cluster and server/clustertest start some.
func TestNATSIsTheClusters(t *testing.T) {
	const quoted = `"github.com/nats-io/nats`
	for _, dir := range []string{"wasm", "server", "cmd", "web"} {
		sources(t, dir, func(name, text string) {
			rel, err := filepath.Rel(root, name)
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Base(name) == "rules_test.go" { // it names them
				return
			}
			ours := strings.HasPrefix(filepath.ToSlash(rel), "server/cluster/")
			mayServe := ours || strings.HasPrefix(filepath.ToSlash(rel), "server/clustertest/")
			switch {
			case strings.Contains(text, quoted+"-server/") && !(mayServe && strings.HasSuffix(name, "_test.go")) &&
				!(strings.HasPrefix(filepath.ToSlash(rel), "server/cluster/embed/") && strings.HasPrefix(text, "//go:build embednats\n")):
				t.Errorf("%s imports the NATS server", rel)
			case (strings.Contains(text, quoted+`.go"`) || strings.Contains(text, quoted+".go/")) && !ours && !(mayServe && strings.HasSuffix(name, "_test.go")):
				t.Errorf("%s imports the NATS client", rel)
			}
		}, ".go")
	}
}

// The wall clock of a node is wrong in tests only.
func TestOnlyTestsShiftTheClock(t *testing.T) {
	for _, dir := range []string{"cmd", "server", "wasm"} {
		sources(t, dir, func(name, text string) {
			if !strings.HasSuffix(name, "_test.go") && strings.Contains(text, "clock.Shift(") {
				t.Errorf("%s shifts the clock of the process", name)
			}
		}, ".go")
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

func TestPackagesHaveOneCommentEach(t *testing.T) {
	comments := map[string][]string{}
	for _, dir := range []string{"cmd", "server", "wasm", "web"} {
		sources(t, dir, func(name, text string) {
			file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Error(err)
				return
			}
			if strings.HasSuffix(file.Name.Name, "_test") {
				return
			}
			pkg := filepath.Dir(name)
			comments[pkg] = append(comments[pkg], "")
			if file.Doc != nil {
				comments[pkg] = append(comments[pkg], name)
			}
		}, ".go")
	}
	for pkg, found := range comments {
		if with := strings.Fields(strings.Join(found, " ")); len(with) != 1 {
			t.Errorf("%s has package comments in %v; want exactly one: it is the sentence that says what the package is", pkg, with)
		}
	}
}

func TestLibraryDoesNotLog(t *testing.T) {
	log := regexp.MustCompile(`\bconsole\.(log|info|debug)\b`)
	sources(t, "web/src", func(name, text string) {
		if log.MatchString(text) {
			t.Errorf("%s logs: an app's console belongs to the app; report by an event or an error", name)
		}
	}, ".ts")
}

// connections are the files of the local gateway and its program that open connections, each
// with its target, which is on this machine. Listeners are checked by loopback.CheckAddress.
var connections = map[string]string{
	"cmd/pagemcp/open.go":         "the running `pagemcp dev`",
	"server/control_client.go":    "the running gateway",
	"server/diagnosis.go":         "the resolver of the system, for localhost",
	"server/diagnosis_network.go": "the running gateway, as a page and as an assistant",
	"server/running.go":           "the running gateway",
	"server/stdio.go":             "the running gateway",
}

// The documentation promises that PageMCP sends nothing off the machine of its user.
func TestLocalProgramConnectsToThisMachineOnly(t *testing.T) {
	opens := regexp.MustCompile(`\bhttp\.(?:(?:Get|Head|Post|PostForm)\(|Client\{|DefaultClient|DefaultTransport|Transport\{)|\bnet\.Dial|\bDialContext\b|\btls\.Dial|\bwebsocket\.Dial\(|\bnet\.Lookup|\bnet\.DefaultResolver`)
	// What only builds, tests and the hosted gateway have; TestImportsPointDown keeps it apart.
	others := regexp.MustCompile(`_test\.go$|^server/(?:hosted|cluster|clustertest|interop|release|bundle|docs)/|^server/internal/(?:oauth|testlimit|rawhttp)/`)
	found := map[string]bool{}
	for _, dir := range []string{"cmd/pagemcp", "server", "wasm"} {
		sources(t, dir, func(name, text string) {
			name = strings.TrimPrefix(filepath.ToSlash(filepath.Clean(name)), "../../")
			if others.MatchString(name) || !opens.MatchString(text) {
				return
			}
			found[name] = true
			if connections[name] == "" {
				t.Errorf("%s opens a connection (%s): to which target? The documentation says that PageMCP sends nothing off the machine", name, opens.FindString(text))
			}
		}, ".go")
	}
	for name := range connections {
		if !found[name] {
			t.Errorf("%s opens no connection: remove it from the list", name)
		}
	}
}

// One version is in all files, and in the program; the changelog has a section of it, or of
// what is not released yet.
func TestVersionsAgree(t *testing.T) {
	version, err := release.CheckVersions(root)
	if err != nil {
		t.Fatal(err)
	}
	if version != web.Version() {
		t.Errorf("the program has version %q, the files %s", web.Version(), version)
	}
	unreleased := strings.Contains(fileText(t, filepath.Join(root, "web", "CHANGELOG.md")), "\n## Unreleased\n")
	if _, err := release.ReadSection(root, version); err != nil && !unreleased {
		t.Error(err)
	}
}

// engineBudget is what engine.wasm may weigh on the way to a page. The design allows 820,000.
// Changes of a few lines move the figure by up to 1,500, whatever they do.
const engineBudget = 795_000 // bytes, brotli; 15,000 of them decide by grants, 2,000 complete from lists at gateways, 57,000 are tasks and events, 4,000 clean requests for input and check media types and skills

// The documentation states the budget, so that a larger one is a change of the claim.
func TestEvidenceStatesTheBudgetOfTheEngine(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "web", "docs", "evidence.md"))
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("at most %d,%03d bytes (brotli)", engineBudget/1000, engineBudget%1000); !strings.Contains(string(text), want) {
		t.Errorf("evidence.md does not say %q", want)
	}
}

func TestEngineKeepsToItsBudget(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	engine, problems, err := bundle.BuildEngine(ctx, root)
	if err != nil || problems != nil {
		t.Fatal(err, problems)
	}
	file := filepath.Join(t.TempDir(), "engine.wasm")
	if err := os.WriteFile(file, engine, 0o600); err != nil {
		t.Fatal(err)
	}
	const script = `const zlib = require('zlib'); const data = require('fs').readFileSync(process.argv[1]);
		const params = { [zlib.constants.BROTLI_PARAM_QUALITY]: 11, [zlib.constants.BROTLI_PARAM_LGWIN]: 24, [zlib.constants.BROTLI_PARAM_SIZE_HINT]: data.length };
		process.stdout.write(String(zlib.brotliCompressSync(data, { params }).length))`
	out, err := exec.CommandContext(ctx, bundle.NodeProgram(root), "-e", script, file).Output()
	if err != nil {
		t.Fatal(err)
	}
	size, err := strconv.Atoi(string(out))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("engine.wasm: %d bytes, %d by brotli", len(engine), size)
	if size > engineBudget {
		t.Errorf("engine.wasm is %d bytes by brotli, over its budget of %d: every page pays for it; see what came in by `go list -deps`", size, engineBudget)
	}
	results, err := os.ReadFile(filepath.Join(root, "web/bench/RESULTS.md"))
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\| engine\.wasm +\|.*\| +(\d+) \|$`).FindSubmatch(results)
	if row == nil {
		t.Fatal("RESULTS.md does not state the size of engine.wasm")
	}
	if stated, _ := strconv.Atoi(string(row[1])); max(stated*1000-size, size-stated*1000) > size/100 {
		t.Errorf("RESULTS.md states %d KB of engine.wasm, it is %d bytes: run `make bench ARGS=size`, then bench/run.ts --update with its file", stated, size)
	}
}

// The package has the declarations of its entry points, which import only what is in it, and
// nothing of an earlier build.
func TestPackageHasTypes(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "types", "old.d.ts")
	if err := (bundle.Files{"/types/old.d.ts": []byte("export {}")}).Write(dir, "/"); err != nil {
		t.Fatal(err)
	}
	if err := bundle.WritePackage(root, dir, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a declaration of an earlier build: %v", err)
	}
	for _, name := range []string{"access", "index", "pairing", "react", "redaction", "sources"} {
		if _, err := os.Stat(filepath.Join(dir, "types", name+".d.ts")); err != nil {
			t.Error(err)
		}
	}
	imported := regexp.MustCompile(`(?:from |import\()['"](\.[^'"]*)['"]`)
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".ts" {
			return err
		}
		text, err := os.ReadFile(name)
		for _, found := range imported.FindAllStringSubmatch(string(text), -1) {
			target := filepath.Join(filepath.Dir(name), strings.TrimSuffix(found[1], ".js")+".d.ts")
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s imports %s: %v", name, found[1], err)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
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

// The walks in CONTRIBUTING lead through functions that exist, in at most ten steps each.
func TestWalksAreTrue(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, ".github", "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	walks := 0
	for section := range strings.SplitSeq(string(text), "\n## ") {
		title, _, _ := strings.Cut(section, "\n")
		steps := regexp.MustCompile("(?m)^\\| (\\d+) \\| \\[([^]]+)\\]\\(\\.\\./([^)]+)\\) \\| `(\\w+)` \\|").FindAllStringSubmatch(section, -1)
		if len(steps) == 0 {
			continue
		}
		walks++
		if len(steps) > 10 {
			t.Errorf("%s: %d steps, want at most 10", title, len(steps))
		}
		for i, step := range steps {
			number, name, file, function := step[1], step[2], step[3], step[4]
			if number != strconv.Itoa(i+1) || name != file {
				t.Errorf("%s: step %d is %s, %s", title, i+1, number, name)
			}
			source, err := os.ReadFile(filepath.Join(root, file))
			if err != nil {
				t.Errorf("%s, step %s: %v", title, number, err)
				continue
			}
			declared := regexp.MustCompile(`(?m)(^func (\([^)]*\) )?|function |const |^\s+(async )?)` + function + `\b ?[(=:]`)
			if !declared.Match(source) {
				t.Errorf("%s, step %s: %s declares no %s", title, number, file, function)
			}
		}
	}
	if walks != 2 {
		t.Errorf("%d walks, want 2", walks)
	}
}
