// Package mcpschema checks the messages of tests against the JSON schemas of MCP's five revisions.
//
// The official schemas are no part of this project: they are looked for beside
// it, in ../shared/spec. Where they are absent, schemas made of the playground's
// table of types take their place. See [Open].
package mcpschema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

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

// Schemas are the types of all revisions. Its methods may be called concurrently.
type Schemas struct {
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
	sets = map[string]*set{} // by file name
)

// Open finds the schemas. The official ones are preferred, since they know more types.
func Open() (*Schemas, error) {
	root, err := projectRoot()
	if err != nil {
		return nil, err
	}
	if dir := officialDir(root); dir != "" {
		return &Schemas{dir: dir}, nil
	}
	dir, err := derived()
	return &Schemas{dir: dir}, err
}

// Validate compares a JSON value with a type of a revision, such as
// "ReadResourceResult". A member that the revision's type does not have is an
// error, although JSON Schema allows it: that is how a client of 2024-11-05
// would learn of titles.
func (s *Schemas) Validate(revision, typeName string, value any) error {
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
	file := filepath.Join(s.dir, "schema-"+revision+".json")
	if known := sets[file]; known != nil {
		return known, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var parsed struct {
		Dialect     string         `json:"$schema"`
		Definitions map[string]any `json:"definitions"` // draft-07
		Defs        map[string]any `json:"$defs"`       // 2020-12
	}
	if err := json.Unmarshal(text, &parsed); err != nil {
		return nil, err
	}
	types := &set{dialect: parsed.Dialect, defs: map[string][]byte{}, known: map[string]*jsonschema.Resolved{}}
	for _, defs := range []map[string]any{parsed.Definitions, parsed.Defs} {
		for name, value := range defs {
			if !open(name) {
				closeObjects(name, value)
			}
			if types.defs[name], err = json.Marshal(value); err != nil {
				return nil, err
			}
		}
	}
	sets[file] = types
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

// open reports whether an object may have members that its schema does not name: keys of
// _meta, capabilities and JSON Schemas are defined by others, too.
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
