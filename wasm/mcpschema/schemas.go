// Package mcpschema checks what is said in tests against the JSON schemas of MCP's five revisions.
//
// The schemas are no part of this project: they are looked for beside it, in
// ../shared/spec. Where there are none, nothing is checked, and the test's log
// says so.
package mcpschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// Revisions of MCP, the oldest first.
const (
	R20241105 = "2024-11-05"
	R20250326 = "2025-03-26"
	R20250618 = "2025-06-18"
	R20251125 = "2025-11-25"
	R20260728 = "2026-07-28"
)

var revisions = [...]string{R20241105, R20250326, R20250618, R20251125, R20260728}

// Schemas are the types of all revisions. Its methods may be called concurrently.
type Schemas struct {
	t   testing.TB
	dir string
}

// set is the types of one revision. They are compiled when first asked for.
type set struct {
	dialect string
	defs    map[string][]byte // JSON, made strict
	known   map[string]*jsonschema.Resolved
}

// sets are shared by all tests of a process: to read one takes 50 ms.
var (
	mu   sync.Mutex
	sets = map[string]*set{} // by revision
)

// For finds the schemas for a test. It never returns nil: without schemas, all
// that is asked of it is right.
func For(t testing.TB) *Schemas {
	t.Helper()
	s, err := Open()
	if err != nil {
		t.Logf("messages are not compared with the specification's schemas: %v", err)
	}
	s.t = t
	return s
}

// Open is For without a test: [Conversation.Check] reports what is wrong. With an
// error, there are no schemas, and all is right.
func Open() (*Schemas, error) {
	dir, err := findSpec()
	return &Schemas{dir: dir}, err
}

// Present reports whether there are schemas to compare with.
func (s *Schemas) Present() bool { return s.dir != "" }

// Examples is the directory of the specification's examples of 2026-07-28: a
// directory for each type.
func (s *Schemas) Examples() string { return filepath.Join(s.dir, "examples-2026-07-28") }

// findSpec looks beside the module that the test is in.
func findSpec() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("the test does not run inside of a module")
		}
		dir = parent
	}
	spec := filepath.Join(dir, "..", "shared", "spec")
	if _, err := os.Stat(filepath.Join(spec, "schema-"+R20260728+".json")); err != nil {
		return "", err
	}
	return spec, nil
}

// Validate compares a JSON value with a type of a revision, such as
// "ReadResourceResult". A member that the revision's type does not have is an
// error, although JSON Schema allows it: that is how a client of 2024-11-05
// would learn of titles.
func (s *Schemas) Validate(revision, typeName string, value any) error {
	if !s.Present() {
		return nil
	}
	mu.Lock()
	defer mu.Unlock()
	types, err := s.of(revision)
	if err != nil {
		return err
	}
	schema, err := types.compile(typeName)
	if err != nil {
		return fmt.Errorf("%s of %s: %w", typeName, revision, err)
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("is no %s of %s: %w", typeName, revision, err)
	}
	return nil
}

// Has reports whether a revision has a type of that name.
func (s *Schemas) Has(revision, typeName string) bool {
	mu.Lock()
	defer mu.Unlock()
	types, err := s.of(revision)
	return err == nil && types.defs[typeName] != nil
}

// framed reports whether a type of messages has the members of JSON-RPC.
func (s *Schemas) framed(revision, typeName string) bool {
	mu.Lock()
	defer mu.Unlock()
	types, err := s.of(revision)
	return err == nil && bytes.Contains(types.defs[typeName], []byte(`"jsonrpc"`))
}

func (s *Schemas) of(revision string) (*set, error) {
	if known := sets[revision]; known != nil {
		return known, nil
	}
	text, err := os.ReadFile(filepath.Join(s.dir, "schema-"+revision+".json"))
	if err != nil {
		return nil, err
	}
	var file struct {
		Dialect     string         `json:"$schema"`
		Definitions map[string]any `json:"definitions"` // draft-07
		Defs        map[string]any `json:"$defs"`       // 2020-12
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	types := &set{dialect: file.Dialect, defs: map[string][]byte{}, known: map[string]*jsonschema.Resolved{}}
	for _, defs := range []map[string]any{file.Definitions, file.Defs} {
		for name, value := range defs {
			if !open(name) {
				closeObjects(name, value)
			}
			if types.defs[name], err = json.Marshal(value); err != nil {
				return nil, err
			}
		}
	}
	sets[revision] = types
	return types, nil
}

// reference finds the names of the types that a type is made of.
var reference = regexp.MustCompile(`"#/(?:\$defs|definitions)/(\w+)"`)

func (types *set) compile(name string) (*jsonschema.Resolved, error) {
	if known := types.known[name]; known != nil {
		return known, nil
	}
	defs := map[string]*jsonschema.Schema{}
	for todo := []string{name}; len(todo) > 0; todo = todo[1:] {
		text := types.defs[todo[0]]
		if text == nil {
			return nil, fmt.Errorf("there is no type %s", todo[0])
		}
		if defs[todo[0]] != nil {
			continue
		}
		schema := new(jsonschema.Schema)
		if err := json.Unmarshal(text, schema); err != nil {
			return nil, err
		}
		defs[todo[0]] = schema
		for _, found := range reference.FindAllSubmatch(text, -1) {
			todo = append(todo, string(found[1]))
		}
	}
	root := &jsonschema.Schema{Schema: types.dialect}
	place := "#/$defs/"
	if strings.Contains(types.dialect, "draft-07") {
		place, root.Definitions = "#/definitions/", defs
	} else {
		root.Defs = defs
	}
	root.AllOf = []*jsonschema.Schema{{Ref: place + name}}
	compiled, err := root.Resolve(nil)
	if err != nil {
		return nil, err
	}
	types.known[name] = compiled
	return compiled, nil
}

// open tells what is open by its nature, though not by its schema: whoever
// defines a key of _meta, a capability or a JSON Schema need not ask.
func open(name string) bool {
	switch name {
	case "inputSchema", "outputSchema", "requestedSchema", "_meta", "experimental", "extensions", "data":
		return true
	}
	return strings.HasSuffix(name, "MetaObject")
}

// closeObjects makes a schema strict; name is that of the type or member that
// it describes. Parts of an allOf stay open, since each sees what is another's.
func closeObjects(name string, schema any) {
	value, ok := schema.(map[string]any)
	if !ok {
		return
	}
	properties, ok := value["properties"].(map[string]any)
	if _, says := value["additionalProperties"]; ok && !says {
		value["additionalProperties"] = false
		if name == "params" && properties["_meta"] == nil {
			properties["_meta"] = true // allowed in all params, though not written down with each
		}
	}
	for name, one := range properties {
		if !open(name) {
			closeObjects(name, one)
		}
	}
	closeObjects(name, value["items"])
	closeObjects(name, value["additionalProperties"])
	if arms, ok := value["anyOf"].([]any); ok {
		for _, arm := range arms {
			closeObjects(name, arm)
		}
	}
}
