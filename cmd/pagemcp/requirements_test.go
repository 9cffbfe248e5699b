package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// testdata/requirements.tsv lists the requirements of the protocol and their state:
//
//	id  level  versions  state  tests  reason
//
// States: proved by the tests; partly proved, with the reason for what is missing; not
// applicable, and not built, with the reason. Tests, separated by spaces:
//
//	transcript:NAME                  testdata/transcripts/NAME.txtar
//	go:DIR.TestName or go:DIR.TestName/sub
//	ts:web/test/FILE.test.ts#title   the beginning of the title, with _ for spaces
//	conformance:REVISION/SCENARIO    of the official suite
const requirementsFile = "testdata/requirements.tsv"

// Every requirement has tests that exist, or a reason for none. R-016.
func TestRequirementsAreProved(t *testing.T) {
	text := fileText(t, filepath.Join(root, requirementsFile))
	tests := map[string]bool{} // whether they exist
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n")[1:] {
		fields := strings.Split(line, "\t")
		if len(fields) != 6 {
			t.Fatalf("%s:%d: %d fields, want 6", requirementsFile, i+2, len(fields))
		}
		id, state, named, reason := fields[0], fields[3], strings.Fields(fields[4]), fields[5]
		if isProved := state == "proved"; isProved && len(named) == 0 || !isProved && reason == "" {
			t.Errorf("%s is %s: name a test, or say why there is none", id, state)
		}
		for _, test := range named {
			known, seen := tests[test]
			if !seen {
				known = testExists(t, test)
				tests[test] = known
			}
			if !known {
				t.Errorf("%s: there is no %s", id, test)
			}
		}
	}
}

func testExists(t *testing.T, test string) bool {
	kind, rest, _ := strings.Cut(test, ":")
	switch kind {
	case "transcript":
		_, err := os.Stat(filepath.Join(root, "testdata/transcripts", rest+".txtar"))
		return err == nil
	case "ts":
		file, title, _ := strings.Cut(rest, "#")
		text, err := os.ReadFile(filepath.Join(root, file))
		return err == nil && strings.Contains(strings.ReplaceAll(string(text), " ", "_"), title)
	case "go":
		rest, _, _ = strings.Cut(rest, "/Test")
		at := max(strings.LastIndex(rest, ".Test"), strings.LastIndex(rest, ".Fuzz"))
		if at < 0 {
			return false
		}
		name, _, _ := strings.Cut(rest[at+1:], "/")
		files, err := filepath.Glob(filepath.Join(root, rest[:at], "*_test.go"))
		for _, file := range files {
			if strings.Contains(fileText(t, file), "\nfunc "+name+"(") {
				return true
			}
		}
		if err != nil {
			t.Error(err)
		}
		return false
	}
	return kind == "conformance"
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
				if !well.MatchString(key) || !strings.HasPrefix(key, "io.github.pagemcp/") {
					t.Errorf("%s has the key %s: ours begin with io.github.pagemcp/", name, key)
				}
			}
		}, ".go", ".ts")
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
