package server

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/internal/gatewaytest"
	"github.com/pagemcp/pagemcp/wasm/engine"
)

const clientsAccept = "../testdata/clients-accept"

// An acceptRule is a row of rules.json.
type acceptRule struct {
	Rule    string   `json:"rule"`
	Of      string   `json:"of"`
	Matches string   `json:"matches"`
	Has     []string `json:"has"`
	Lacks   []string `json:"lacks"`
	Formats []string `json:"formats"`

	pattern *regexp.Regexp // of Matches
}

func acceptRules(t *testing.T) (rules []acceptRule) {
	data, err := os.ReadFile(filepath.Join(clientsAccept, "rules.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &rules); err != nil {
		t.Fatal(err)
	}
	for i := range rules {
		rules[i].pattern = regexp.MustCompile(rules[i].Matches)
	}
	return rules
}

// An acceptance checks the entries of lists by the rules.
type acceptance struct {
	t     *testing.T
	rules []acceptRule
	about string
}

func (a acceptance) each(of string, broken func(acceptRule) bool, what any) {
	a.t.Helper()
	for _, rule := range a.rules {
		if rule.Of == of && broken(rule) {
			a.t.Errorf("%s: %.400s: %s", a.about, toJSON(what), rule.Rule)
		}
	}
}

func (a acceptance) text(of, text string) {
	a.t.Helper()
	a.each(of, func(r acceptRule) bool { return !r.pattern.MatchString(text) }, text)
}

func (a acceptance) object(of string, schema object) {
	a.t.Helper()
	a.each(of, func(r acceptRule) bool {
		for _, name := range r.Has {
			if _, ok := schema[name]; !ok {
				return true
			}
		}
		for _, name := range r.Lacks {
			if _, ok := schema[name]; ok {
				return true
			}
		}
		format, ok := schema["format"].(string)
		return ok && r.Formats != nil && !slices.Contains(r.Formats, format)
	}, schema)
}

// schema checks a schema and all in it.
func (a acceptance) schema(value any) {
	a.t.Helper()
	schema, ok := value.(object)
	if !ok {
		return
	}
	a.object("schema", schema)
	if kind := schema["type"]; kind == "object" {
		a.object("object", schema)
	}
	for keyword, value := range schema {
		switch keyword {
		case "const", "enum", "default", "examples":
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			inner, _ := value.(object)
			for key, one := range inner {
				if keyword == "properties" {
					a.text("key", key)
				}
				a.schema(one)
			}
		default:
			if list, ok := value.(array); ok {
				for _, one := range list {
					a.schema(one)
				}
			}
			a.schema(value)
		}
	}
}

// list checks a list of tools or prompts.
func (a acceptance) list(entries []object) {
	a.t.Helper()
	seen := map[string]bool{}
	for _, entry := range entries {
		name, _ := entry["name"].(string)
		a.text("name", name)
		a.each("names", func(acceptRule) bool { return seen[name] }, name)
		seen[name] = true
		if schema, ok := entry["inputSchema"].(object); ok {
			a.object("arguments", schema)
			a.schema(schema)
		}
	}
}

// Every list of tools and prompts that the gateway makes is one that real clients and the APIs of
// models take. Package fit has more schemas.
func TestClientsAcceptEachList(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	newConformancePage(t).join(g)
	page := newCallingPage(t, "hostile")
	for _, name := range []string{"add.item", "add_item", "add item", "日本", "😀", strings.Repeat("x", 100), "read_resource", "/"} {
		page.tool(name, "does it", object{"type": "object", "anyOf": array{object{"$ref": "#/$defs/x"}}, "$defs": object{"x": object{"properties": object{
			"items[]": object{"type": "array", "items": object{"type": "object"}}, "ü": object{"type": "integer", "exclusiveMinimum": 0}, "b": object{"format": "email"},
		}}}}, always("ran"))
		page.prompt(name, "asks", []string{"items[]"}, always(array{}), nil)
	}
	page.join(g)
	c, rules := caller(t, g), acceptRules(t)
	for _, path := range []string{"", "/conformance", "/" + page.name} {
		for _, kind := range []string{"tools", "prompts"} {
			cursor, total := "", 0
			for {
				_, body := c.Do(t.Context(), "POST", "/mcp"+path, gatewaytest.Modern("1", kind+"/list", cursor), gatewaytest.V2026, "Mcp-Method: "+kind+"/list", "Accept: application/json") // however long it takes
				var answer struct {
					Result struct {
						Tools      []object `json:"tools"`
						Prompts    []object `json:"prompts"`
						NextCursor string   `json:"nextCursor"`
					} `json:"result"`
				}
				if err := json.Unmarshal([]byte(body), &answer); err != nil {
					t.Fatalf("%s: %v", body, err)
				}
				entries := slices.Concat(answer.Result.Tools, answer.Result.Prompts)
				acceptance{t, rules, path + " " + kind}.list(entries)
				total += len(entries)
				if answer.Result.NextCursor == "" {
					break
				}
				cursor = `"cursor":"` + answer.Result.NextCursor + `"`
			}
			if total < 4 {
				t.Errorf("%s has %d %s", path, total, kind)
			}
		}
	}
}

// newCallingPage makes a page that has tools and prompts.
func newCallingPage(t *testing.T, id string) *testPage {
	p := newPage(t, testOrigin, id)
	p.engine = engine.New(engine.Info{Name: "page", Version: "1"}, &engine.Options{Tools: true, Prompts: true, Completions: true})
	p.engine.Mount("", p.table)
	return p
}

// What clients send first is answered as each of them needs it.
func TestOpeningsOfClients(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(clientsAccept, "openings", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	g := startGateway(t, Options{})
	page := newCallingPage(t, "tab")
	page.write("notes://a", "the text")
	page.tool("add", "Adds items.", object{"type": "object", "properties": object{"items": object{"type": "array"}}}, func(_ context.Context, arguments object) (any, error) {
		return fmt.Sprint("added ", strings.Trim(fmt.Sprint(arguments["items"]), "[]")), nil
	})
	page.prompt("ask", "Asks.", []string{"topic"}, always(array{}), nil)
	page.join(g)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { replayOpening(t, g, file) })
	}
}

func replayOpening(t *testing.T, g *Gateway, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	headers, session, keepsSession := map[string]string{}, "", true
	status, got := 0, ""
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		kind, rest, _ := strings.Cut(line, " ")
		if kind == "->" || kind == "GET" {
			var lines []string
			for name, value := range headers {
				lines = append(lines, name+": "+value)
			}
			if session != "" && keepsSession {
				lines = append(lines, "Mcp-Session-Id: "+session)
			}
			method := map[string]string{"->": "POST", "GET": "GET"}[kind]
			answer, body := caller(t, g).Do(ctx, method, "/mcp", rest, lines...)
			status, got = answer.StatusCode, body
			if id := answer.Header.Get("Mcp-Session-Id"); id != "" {
				session = id
			}
			isStream := strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream")
			switch {
			case kind == "GET" && (status != 200 || !isStream):
				t.Errorf("line %d: GET is answered by %d %s", i+1, status, body)
			case kind == "->" && isStream:
				messages := gatewaytest.NewStream(t, answer).Messages
				for got = gatewaytest.Receive(t, messages); !strings.Contains(got, `"result"`) && !strings.Contains(got, `"error"`); {
					got = gatewaytest.Receive(t, messages)
				}
			}
			continue
		}
		switch kind {
		case "header":
			name, value, _ := strings.Cut(rest, ": ")
			headers[name] = value
		case "session":
			keepsSession = rest != "none"
		case "<-":
			if !strings.HasPrefix(rest, "{") {
				if fmt.Sprint(status) != rest {
					t.Errorf("line %d: %d %s, want %s", i+1, status, got, rest)
				}
				continue
			}
			var want, have any
			if err := json.Unmarshal([]byte(rest), &want); err != nil {
				t.Fatalf("line %d: %v", i+1, err)
			}
			if err := json.Unmarshal([]byte(got), &have); err != nil || !includes(have, want) {
				t.Errorf("line %d: %d %s\n want %s", i+1, status, got, rest)
			}
		}
	}
}

// includes reports whether a value has what another one has: an object its members, an array its
// elements in any order.
func includes(have, want any) bool {
	switch want := want.(type) {
	case object:
		have, ok := have.(object)
		for name, value := range want {
			ok = ok && includes(have[name], value)
		}
		return ok
	case array:
		have, ok := have.(array)
		for _, value := range want {
			ok = ok && slices.ContainsFunc(have, func(one any) bool { return includes(one, value) })
		}
		return ok
	}
	return have == want
}

// A developer who asks `pagemcp doctor` learns which tool has a schema that APIs refuse, as long as
// it has.
func TestDoctorNamesToolsThatAPIsRefuse(t *testing.T) {
	t.Parallel()
	g := startGateway(t, Options{})
	page := newCallingPage(t, "tab")
	page.tool("either", "", object{"type": "object", "anyOf": array{object{"required": array{"a"}}, object{}}}, always("ran"))
	page.tool("fine", "", nil, always("ran"))
	page.join(g)
	findings := func() string {
		caller(t, g).Do(t.Context(), "POST", "/mcp", gatewaytest.Modern("1", "tools/list", ""), gatewaytest.V2026, "Mcp-Method: tools/list", gatewaytest.Streams)
		return found(Diagnose(t.Context(), DiagnoseOptions{State: g.state.dir, Version: "0.0.0-test"}))
	}
	if got := findings(); !strings.Contains(got, page.name+"__either has") || !strings.Contains(got, "anyOf") || strings.Contains(got, "__fine") {
		t.Errorf("with such a tool: %s", got)
	}
	page.tool("either", "", nil, always("ran"))
	if got := findings(); strings.Contains(got, "__either") {
		t.Errorf("after it was mended: %s", got)
	}
}
