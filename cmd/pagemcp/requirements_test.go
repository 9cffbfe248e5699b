package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// testdata/requirements.tsv lists the requirements of the protocol and their state:
//
//	id  level  versions  state  tests  reason
//
// The requirements come from a design page that is not part of this repository. Where that
// page exists beside it, ids, levels and versions are compared with it; [rulesDigest] is
// the digest of the last comparison. States: proved by the tests; partly proved, with the
// reason for what is missing; not applicable, and not built, with the reason. Tests,
// separated by spaces:
//
//	transcript:NAME                     testdata/transcripts/NAME.txtar, whose header names the id
//	go:DIR.TestName or go:DIR.TestName/sub
//	ts:web/test/FILE.test.ts#title      the title, or the beginning of it, with _ for spaces
//	conformance:REVISION/SCENARIO       run by web/test/conformance and by TestConformanceNative

const requirementsFile = "testdata/requirements.tsv"

type requirement struct {
	id, level, versions, state string
	tests                      []string
	reason                     string
}

func readRequirements(t *testing.T) (all []requirement) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, requirementsFile))
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		fields := strings.Split(line, "\t")
		if len(fields) != 6 {
			t.Fatalf("%s:%d: %d fields, want 6", requirementsFile, i+1, len(fields))
		}
		if i > 0 { // the first line names the columns
			all = append(all, requirement{fields[0], fields[1], fields[2], fields[3], strings.Fields(fields[4]), fields[5]})
		}
	}
	return all
}

// Every requirement has a test or a reason for none, and every test exists and runs.
//
func TestRequirementsAreProved(t *testing.T) {
	all := readRequirements(t)
	counts := map[string]int{}
	tests := &testFinder{goFiles: map[string]map[string]goTest{}, texts: map[string]string{}, scenarios: map[string]bool{}}
	for i, r := range all {
		counts[r.state]++
		if i > 0 && r.id <= all[i-1].id {
			t.Errorf("%s stands behind %s", r.id, all[i-1].id)
		}
		switch r.state {
		case "proved":
			if len(r.tests) == 0 {
				t.Errorf("%s is proved by no test", r.id)
			}
		case "partly":
			if len(r.tests) == 0 || r.reason == "" {
				t.Errorf("%s is partly proved: name a test, and what is missing", r.id)
			}
		case "not applicable", "not built":
			if r.reason == "" {
				t.Errorf("%s is %s: say why", r.id, r.state)
			}
		default:
			t.Errorf("%s: there is no state %q", r.id, r.state)
		}
		if strings.HasPrefix(r.level, "MUST") && len(r.tests) == 0 && r.reason == "" {
			t.Errorf("%s is a %s without test and without reason", r.id, r.level)
		}
		for _, test := range r.tests {
			if err := tests.find(test, r.id); err != nil {
				t.Errorf("%s: %s: %v", r.id, test, err)
			}
		}
	}
	states := slices.Sorted(maps.Keys(counts))
	for _, state := range states {
		t.Logf("%-14s %3d", state, counts[state])
	}
	compareWithProtocol(t, all)
}

// rulesDigest is the SHA-256 of ids, levels and versions at the last comparison with the
// list of requirements.
const rulesDigest = "5e3cb654c6019e7f97ab4f54fd2681049c07754ad8503479fbe04daacc863c21"

// compareWithProtocol compares the list with the design page. Without that page, the
// digest of the list must be rulesDigest.
func compareWithProtocol(t *testing.T, all []requirement) {
	t.Helper()
	hash := sha256.New()
	for _, r := range all {
		fmt.Fprintf(hash, "%s\t%s\t%s\n", r.id, r.level, r.versions)
	}
	if digest := hex.EncodeToString(hash.Sum(nil)); digest != rulesDigest {
		t.Errorf("ids, levels and versions have the digest %s, not %s: compare them with the design page, then update rulesDigest", digest, rulesDigest)
	}
	page, err := os.ReadFile(filepath.Join(root, "../shared/protocol.md"))
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]requirement{}
	for _, r := range all {
		known[r.id] = r
	}
	row := regexp.MustCompile(`(?m)^\| (R-\d{3}) \| .* \| ([A-Z ]+°?) \| ([A-E–, ]+) \| [A-Z ]+ \| .* \| .* \|$`)
	found := row.FindAllSubmatch(page, -1)
	for _, rule := range found {
		id, level, versions := string(rule[1]), string(rule[2]), string(rule[3])
		r, ok := known[id]
		if !ok {
			t.Errorf("%s is missing", id)
			continue
		}
		if r.level != level || r.versions != versions {
			t.Errorf("%s is a %s of %s, not a %s of %s", id, level, versions, r.level, r.versions)
		}
		delete(known, id)
	}
	for id := range known {
		t.Errorf("%s is not a requirement of the design page", id)
	}
}

// A testFinder looks tests up, and reads each file once.
type testFinder struct {
	goFiles   map[string]map[string]goTest // directory -> name of the function
	texts     map[string]string
	scenarios map[string]bool
}

type goTest struct {
	skips    bool
	literals []string // strings in the function: names of subtests are among them
}

func (f *testFinder) find(test, id string) error {
	kind, rest, _ := strings.Cut(test, ":")
	switch kind {
	case "transcript":
		text, err := f.text("testdata/transcripts/" + rest + ".txtar")
		if err != nil {
			return err
		}
		if head, _, _ := strings.Cut(text, "\n-- "); !strings.Contains(head, id) {
			return fmt.Errorf("its header does not name %s", id)
		}
		return nil
	case "go":
		return f.findGo(rest)
	case "ts":
		return f.findTypeScript(rest)
	case "conformance":
		return f.findScenario(rest)
	}
	return fmt.Errorf("there are no tests of the kind %q", kind)
}

func (f *testFinder) text(name string) (string, error) {
	if text, ok := f.texts[name]; ok {
		return text, nil
	}
	text, err := os.ReadFile(filepath.Join(root, name))
	f.texts[name] = string(text)
	return f.texts[name], err
}

func (f *testFinder) findGo(test string) error {
	at := strings.LastIndexByte(test[:strings.Index(test+"/Test", ".Test")+1], '.')
	if fuzz := strings.Index(test, ".Fuzz"); fuzz >= 0 {
		at = fuzz
	}
	if at < 0 {
		return fmt.Errorf("want go:DIR.TestName")
	}
	dir, name := test[:at], test[at+1:]
	name, sub, _ := strings.Cut(name, "/")
	if f.goFiles[dir] == nil {
		if err := f.parse(dir); err != nil {
			return err
		}
	}
	found, ok := f.goFiles[dir][name]
	if !ok {
		return fmt.Errorf("there is no such function")
	}
	if found.skips {
		return fmt.Errorf("it can be skipped")
	}
	if sub != "" && !slices.Contains(found.literals, strings.ReplaceAll(sub, "_", " ")) {
		return fmt.Errorf("there is no such subtest")
	}
	return nil
}

// parse finds the tests of a directory.
func (f *testFinder) parse(dir string) error {
	names, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
	if err != nil {
		return err
	}
	f.goFiles[dir] = map[string]goTest{}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return err
		}
		for _, declared := range file.Decls {
			function, ok := declared.(*ast.FuncDecl)
			if !ok || function.Recv != nil {
				continue
			}
			var found goTest
			ast.Inspect(function, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					found.skips = found.skips || strings.HasPrefix(n.Sel.Name, "Skip")
				case *ast.BasicLit:
					if n.Kind == token.STRING {
						found.literals = append(found.literals, strings.Trim(n.Value, "`\""))
					}
				}
				return true
			})
			f.goFiles[dir][function.Name.Name] = found
		}
	}
	return nil
}

// skipping is how a test of node:test is left out.
var skipping = regexp.MustCompile(`\b(test|it|describe|inBrowsers)\.(skip|todo)\b|\b(skip|todo):|\bt\.(skip|todo)\(`)

func (f *testFinder) findTypeScript(test string) error {
	name, title, _ := strings.Cut(test, "#")
	text, err := f.text(name)
	if err != nil {
		return err
	}
	if skipping.MatchString(text) {
		return fmt.Errorf("tests of this file can be skipped")
	}
	begins := regexp.MustCompile("(?:test|inBrowsers|document)\\(\\s*['\"`]" + regexp.QuoteMeta(strings.ReplaceAll(title, "_", " ")))
	if title == "" || !begins.MatchString(text) {
		return fmt.Errorf("no test has that title")
	}
	return nil
}

// findScenario looks into the suite's own lists, of what it requires and of what
// it runs besides.
func (f *testFinder) findScenario(test string) error {
	revision, scenario, _ := strings.Cut(test, "/")
	text, err := f.text("web/node_modules/@modelcontextprotocol/conformance/requirements/" + revision + ".yaml")
	if err != nil {
		return fmt.Errorf("%w: run `npm install` in web", err)
	}
	servers, _, _ := strings.Cut(text[strings.Index(text, "\nserver:"):], "\nclient:")
	if strings.Contains(servers, "\n  - "+scenario+"\n") || strings.Contains(text, "  - scenario: "+scenario+"\n    leg: server") {
		return nil
	}
	// Not in a list, but run by name.
	if text, err := f.text("web/test/conformance/conformance.test.ts"); err == nil && strings.Contains(text, "['"+scenario+"', '"+revision+"'") {
		return nil
	}
	return fmt.Errorf("the suite has no such scenario")
}

// The transcripts seed-*.txtar and the page demo/world describe their common resources
// alike. Sizes are in bytes. R-113.
func TestSeedsShareTheWorld(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "web/demo/world/world.json"))
	if err != nil {
		t.Fatal(err)
	}
	var world map[string][]map[string]any
	if err := json.Unmarshal(text, &world); err != nil {
		t.Fatal(err)
	}
	known := map[string]map[string]any{} // by URI, template or name
	for kind, key := range map[string]string{"resources": "uri", "templates": "uriTemplate", "prompts": "name"} {
		for _, one := range world[kind] {
			known[one[key].(string)] = one
			delete(one, key)
			size, has := one["size"].(float64)
			blob, _ := one["blob"].(string)
			var data []byte
			if err := json.Unmarshal(fmt.Appendf(nil, "%q", blob), &data); err != nil {
				t.Fatal(err)
			}
			if text, ok := one["text"].(string); ok {
				data = []byte(text)
			}
			if has && int(size) != len(data) {
				t.Errorf("%v has %d bytes, not %v", one["name"], len(data), size)
			}
		}
	}
	seeds, err := filepath.Glob(filepath.Join(root, "testdata/transcripts/seed-*.txtar"))
	if err != nil || len(seeds) < 13 {
		t.Fatalf("%d seeds, want at least 13: %v", len(seeds), err)
	}
	for _, seed := range seeds {
		archive, err := os.ReadFile(seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split("\n"+string(archive), "\n-- ")[1:] {
			name, text, _ := strings.Cut(part, " --\n")
			if !slices.Contains([]string{"resources.json", "templates.json", "prompts.json"}, name) {
				continue
			}
			var shown map[string]map[string]any
			if err := json.Unmarshal([]byte(text), &shown); err != nil {
				t.Fatal(err)
			}
			for name, description := range shown {
				if description["panic"] == true {
					continue // broken on purpose
				}
				for _, member := range []string{"name", "title", "description", "mimeType", "size", "icons", "annotations", "arguments", "blob"} {
					if got, want := description[member], known[name][member]; !reflect.DeepEqual(got, want) {
						t.Errorf("%s of %s is %v in %s, and %v in the world", member, name, got, filepath.Base(seed), want)
					}
				}
			}
		}
	}
}

// The package's README and web/docs/sources.md have a row for each scheme of our own
// sources. R-133.
func TestSchemesAreDocumented(t *testing.T) {
	scheme := regexp.MustCompile(`\b([a-z][a-z0-9+.-]*):///`)
	found := map[string]bool{}
	sources(t, "web/src/sources", func(_, text string) {
		for _, match := range scheme.FindAllStringSubmatch(text, -1) {
			found[match[1]] = true
		}
	}, ".ts")
	if len(found) == 0 {
		t.Fatal("no scheme was found: where are they?")
	}
	for _, name := range []string{"web/README.md", "web/docs/sources.md"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for scheme := range found {
			if !strings.Contains(string(text), "| `"+scheme+":///") {
				t.Errorf("%s has no row for %s:///", name, scheme)
			}
		}
	}
}

// Keys that we put into _meta have a prefix of ours, as reverse DNS, and a name.
// R-241 R-242 R-243.
func TestMetaKeysAreOurs(t *testing.T) {
	key := regexp.MustCompile(`["'` + "`" + `]((?:[a-z][a-z0-9-]*\.)+[a-z0-9-]+/[\w.-]+)["'` + "`" + `]`)
	well := regexp.MustCompile(`^(?:[a-z](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z](?:[a-z0-9-]*[a-z0-9])?/[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?$`)
	reserved := map[string]bool{} // the specification's own
	for _, name := range []string{"protocolVersion", "clientCapabilities", "clientInfo", "logLevel", "serverInfo", "subscriptionId", "related-task", "skills", "tasks", "events"} {
		reserved["io.modelcontextprotocol/"+name] = true
	}
	count := 0
	for _, dir := range []string{"wasm", "server", "web/src"} {
		sources(t, dir, func(name, text string) {
			if strings.HasSuffix(name, "_test.go") {
				return
			}
			for _, found := range key.FindAllStringSubmatch(text, -1) {
				key := found[1]
				if strings.HasPrefix(key, "github.com/") || strings.HasPrefix(key, "golang.org/") || reserved[key] {
					continue
				}
				count++
				if !well.MatchString(key) || !strings.HasPrefix(key, "io.github.pagemcp/") {
					t.Errorf("%s has the key %s: ours begin with io.github.pagemcp/", name, key)
				}
			}
		}, ".go", ".ts")
	}
	if count == 0 {
		t.Error("no key was found: where are they?")
	}
}

// Codes of errors are the specification's, and no others. R-250 R-251 R-252.
func TestErrorCodesAreDefined(t *testing.T) {
	code := regexp.MustCompile(`-32\d\d\d\b`)
	defined := map[string]string{
		"-32700": "", "-32600": "", "-32601": "", "-32602": "", "-32603": "",
		"-32002": "not found, until 2025-11-25", "-32042": "URL elicitation, 2025-11-25",
		"-32020": "HeaderMismatch", "-32021": "MissingRequiredClientCapability", "-32022": "UnsupportedProtocolVersion",
		"-32023": "not found, draft of events", "-32024": "forbidden", "-32025": "exhausted",
	}
	for _, dir := range []string{"wasm", "server", "web/src", "cmd"} {
		sources(t, dir, func(name, text string) {
			if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "mcpschema") {
				return
			}
			for line := range strings.Lines(text) {
				line, _, _ = strings.Cut(line, "//")
				if strings.HasPrefix(strings.TrimSpace(line), "*") { // of a comment in TypeScript
					continue
				}
				for _, found := range code.FindAllString(line, -1) {
					if _, ok := defined[found]; !ok && !strings.ContainsAny(line, "<>") { // a range that is refused
						t.Errorf("%s has the code %s, which is not ours to use", name, found)
					}
				}
			}
		}, ".go", ".ts")
	}
}

// The expected failures of the conformance suite belong to extensions that are not implemented, or
// to schemas that model APIs refuse (testdata/clients-accept), which no revision requires.
func TestExpectedFailuresAreNotRequired(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "testdata/conformance-expected.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		line := strings.TrimSpace(string(line))
		if line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "2026-07-28 tasks-") && !strings.HasSuffix(line, " json-schema-2020-12") {
			t.Errorf("%q is expected to fail: only tasks and schemas may", line)
		}
	}
}
