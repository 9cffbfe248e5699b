package fit

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Bounds of what a page can make of a schema.
const (
	maxDepth    = 64      // of schemas in schemas; what is below is left out
	maxBranches = 256     // of combinators at the top level, with those that they refer to
	maxNote     = 2 << 10 // bytes of removed rules in a description
	maxKey      = 64      // characters of the key of a property
)

// Tool returns the description of a tool, which clients call name, with an inputSchema that model APIs take: it accepts what
// the page's own schema accepts, and more. The description says what was removed, and the page
// checks arguments by its own schema.
func (f Fitter) Tool(name string, object []byte) []byte {
	own := jsonrpc.Member(object, "inputSchema")
	s := schemas{root: own}
	schema, removed := s.top(own)
	if schema == nil || len(schema) > 2*len(own)+maxNote {
		schema, removed = []byte(`{"type":"object","properties":{}}`), "more than can be described here"
	}
	if f.Removed != nil {
		f.Removed(name, removed)
	}
	if bytes.Equal(schema, own) && removed == "" {
		return object
	}
	o := writer{'{'}
	for scan := jsonrpc.Scan(object); scan.Next(); {
		value := scan.Value
		if string(scan.Name) == "inputSchema" {
			value = schema
		}
		o.member(string(scan.Name), value)
	}
	fitted := append([]byte(o), '}')
	if removed == "" {
		return fitted
	}
	return withNote(fitted, "\n\n", "The arguments must also fit this JSON Schema, by which the page checks them: "+removed)
}

// combinators are what APIs refuse at the top level of a schema. They take them below it.
var combinators = []string{"anyOf", "oneOf", "allOf", "$ref", "not", "if", "then", "else", "enum", "const"}

// schemas rewrites the schema of a tool.
type schemas struct {
	root     []byte
	branches int // of combinators that were looked at
}

// top returns the schema of all arguments without combinators, and those that it had, as JSON.
func (s *schemas) top(own []byte) (schema []byte, removed string) {
	var all, rest writer
	u := union{}
	s.collect(own, &u, 0)
	keys, properties := u.properties(s)
	required := u.requiredOf(keys)
	for scan := jsonrpc.Scan(own); scan.Next(); {
		name := string(scan.Name)
		switch {
		case slices.Contains(combinators, name):
			rest.member(name, scan.Value)
		case name == "properties":
			all.member(name, properties)
			properties = nil
		case name == "required":
			if required != nil {
				all.member(name, required)
			}
			required = nil
		case name == "exclusiveMinimum", name == "exclusiveMaximum", name == "format": // say nothing of an object
		default:
			all.member(name, s.keyword(name, scan.Value, 1))
		}
	}
	if properties != nil {
		all.member("properties", properties)
	}
	if required != nil {
		all.member("required", required)
	}
	if len(rest) > 0 {
		removed = "{" + string(rest) + "}"
		if len(removed) > maxNote {
			removed = removed[:strings.LastIndexByte(removed[:maxNote], ',')+1] + " …"
		}
	}
	return append(append([]byte{'{'}, all...), '}'), removed
}

// A union has the properties of a schema and of the schemas that it combines, in their order.
type union struct {
	keys     []string
	schemas  map[string][][]byte // by key; several for one that differs
	required []string
}

func (u *union) add(key string, schema []byte) {
	if u.schemas == nil {
		u.schemas = map[string][][]byte{}
	}
	before, known := u.schemas[key]
	if !known {
		u.keys = append(u.keys, key)
	}
	if !slices.ContainsFunc(before, func(one []byte) bool { return bytes.Equal(one, schema) }) {
		u.schemas[key] = append(before, schema)
	}
}

func (u *union) addAll(other *union) {
	for _, key := range other.keys {
		for _, schema := range other.schemas[key] {
			u.add(key, schema)
		}
	}
}

// collect adds the properties of a schema, and what all of its alternatives require.
func (s *schemas) collect(schema []byte, u *union, depth int) {
	if s.branches++; s.branches > maxBranches || depth > maxDepth {
		return
	}
	var required []string
	for scan := jsonrpc.Scan(schema); scan.Next(); {
		switch name := string(scan.Name); name {
		case "properties":
			for each := jsonrpc.Scan(scan.Value); each.Next(); {
				u.add(string(each.Name), slices.Clone(each.Value))
			}
		case "required":
			required = append(required, texts(scan.Value)...)
		case "allOf", "anyOf", "oneOf":
			branches, _ := jsonrpc.Elements(scan.Value)
			var common []string
			for i, branch := range branches {
				one := union{}
				s.collect(branch, &one, depth+1)
				u.addAll(&one)
				switch {
				case i == 0:
					common = one.required
				case name == "allOf":
					common = append(common, one.required...)
				default:
					common = slices.DeleteFunc(common, func(key string) bool { return !slices.Contains(one.required, key) })
				}
			}
			required = append(required, common...)
		case "$ref", "then", "else":
			one, branch := union{}, scan.Value
			if name == "$ref" {
				branch = s.target(branch)
			}
			s.collect(branch, &one, depth+1)
			u.addAll(&one)
			if name == "$ref" {
				required = append(required, one.required...)
			}
		}
	}
	u.required = append(u.required, required...)
}

// target returns the schema that a reference inside of the document names, or nil.
func (s *schemas) target(ref []byte) []byte {
	pointer, _ := jsonrpc.Text(ref)
	path, ok := strings.CutPrefix(pointer, "#/")
	if !ok {
		return nil
	}
	at := s.root
	for part := range strings.SplitSeq(path, "/") {
		if len(at) == 0 || at[0] != '{' {
			return nil
		}
		at = jsonrpc.Member(at, strings.NewReplacer("~1", "/", "~0", "~").Replace(part))
	}
	return at
}

// properties returns the properties as JSON, and what their keys became.
func (u *union) properties(s *schemas) (keys map[string]string, object []byte) {
	keys = keysOf(u.keys)
	o := writer{'{'}
	for _, key := range u.keys {
		all := u.schemas[key]
		fitted := s.schema(all[0], 1)
		if len(all) > 1 {
			var any writer
			for i, one := range all {
				if i > 0 {
					any = append(any, ',')
				}
				any = append(any, s.schema(one, 1)...)
			}
			fitted = append(append([]byte(`{"anyOf":[`), any...), `]}`...)
		}
		o.member(keys[key], named(fitted, key, keys[key]))
	}
	return keys, append(o, '}')
}

func (u *union) requiredOf(keys map[string]string) []byte {
	o := writer{'['}
	seen := map[string]bool{}
	for _, key := range u.required {
		if shown := keys[key]; shown != "" && !seen[shown] {
			seen[shown] = true
			if len(o) > 1 {
				o = append(o, ',')
			}
			o = jsonrpc.AppendString(o, shown)
		}
	}
	if len(seen) == 0 {
		return nil
	}
	return append(o, ']')
}

// keysOf returns keys of properties as APIs take them: with `_` for other characters.
func keysOf(keys []string) map[string]string {
	shown, taken := map[string]string{}, map[string]bool{}
	for _, key := range keys {
		if ValidKey(key) {
			shown[key], taken[key] = key, true
		}
	}
	for _, key := range keys {
		if shown[key] != "" {
			continue
		}
		spelled := strings.Map(func(r rune) rune {
			if isKey(r) {
				return r
			}
			return '_'
		}, key)
		spelled = spelled[:min(len(spelled), maxKey-6)]
		one := spelled
		for i := 2; one == "" || taken[one]; i++ {
			one = spelled + "_" + strconv.Itoa(i)
		}
		shown[key], taken[one] = one, true
	}
	return shown
}

// ValidKey reports whether APIs take the key of a property.
func ValidKey(key string) bool {
	return key != "" && len(key) <= maxKey && !strings.ContainsFunc(key, func(r rune) bool { return !isKey(r) })
}

func isKey(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '.'
}

// named says in the description of a property what its key is at the page, if that is another one.
func named(schema []byte, key, shown string) []byte {
	if key == shown {
		return schema
	}
	return withNote(schema, " ", "In a call its name is "+jsonrpc.Quoted(key)+".")
}

// withNote adds a note to the description of a schema or tool.
func withNote(object []byte, separator, note string) []byte {
	if len(object) == 0 || object[0] != '{' {
		return object
	}
	o, described := writer{'{'}, false
	for scan := jsonrpc.Scan(object); scan.Next(); {
		if string(scan.Name) != "description" {
			o.member(string(scan.Name), scan.Value)
			continue
		}
		text := note
		if before, _ := jsonrpc.Text(scan.Value); before != "" {
			text = before + separator + note
		}
		o.text("description", text)
		described = true
	}
	if !described {
		o.text("description", note)
	}
	return append(o, '}')
}

// schema returns a schema below the top level, without what APIs refuse.
func (s *schemas) schema(own []byte, depth int) []byte {
	switch {
	case len(own) == 0 || own[0] != '{':
		return own // true, false, or nothing that is a schema
	case depth > maxDepth:
		return []byte("{}")
	}
	o, notes := writer{'{'}, []string{}
	isInteger := string(jsonrpc.Member(own, "type")) == `"integer"`
	for scan := jsonrpc.Scan(own); scan.Next(); {
		name, value := string(scan.Name), scan.Value
		switch name {
		case "exclusiveMinimum", "exclusiveMaximum":
			bound, sign, words := "minimum", int64(1), "More than "
			if name == "exclusiveMaximum" {
				bound, sign, words = "maximum", -1, "Less than "
			}
			if !isNumber(value) { // a boolean in draft 4
				continue
			}
			whole, err := strconv.ParseInt(string(value), 10, 52)
			has := jsonrpc.Member(own, bound) != nil
			if isInteger && err == nil && !has {
				o.member(bound, strconv.AppendInt(nil, whole+sign, 10))
				continue
			}
			if !has {
				o.member(bound, value)
			}
			notes = append(notes, words+string(value)+".")
		case "format":
			if format, _ := jsonrpc.Text(value); format != "date-time" && format != "enum" {
				if format != "" {
					notes = append(notes, "Format: "+format+".")
				}
				continue
			}
			o.member(name, value)
		case "properties":
			keys, properties := keysOf(names(value)), writer{'{'}
			for each := jsonrpc.Scan(value); each.Next(); {
				key := string(each.Name)
				properties.member(keys[key], named(s.schema(each.Value, depth+1), key, keys[key]))
			}
			o.member(name, append(properties, '}'))
		case "required":
			if list := renamed(value, jsonrpc.Member(own, "properties")); list != nil {
				o.member(name, list)
			}
		case "$ref":
			// The top level lacks what this may point to.
			pointer, _ := jsonrpc.Text(value)
			first, _, _ := strings.Cut(strings.TrimPrefix(pointer, "#/"), "/")
			if !strings.HasPrefix(pointer, "#/") || s.target(value) != nil && !slices.Contains(combinators, first) {
				o.member(name, value)
			}
		default:
			o.member(name, s.keyword(name, value, depth+1))
		}
	}
	if isObject(jsonrpc.Member(own, "type")) && jsonrpc.Member(own, "properties") == nil {
		o.member("properties", []byte("{}"))
	}
	fitted := append([]byte(o), '}')
	if len(notes) > 0 {
		fitted = withNote(fitted, " ", strings.Join(notes, " "))
	}
	return fitted
}

// keyword returns the value of a keyword with the schemas in it rewritten.
func (s *schemas) keyword(name string, value []byte, depth int) []byte {
	switch name {
	case "const", "enum", "default", "examples":
		return value
	case "patternProperties", "$defs", "definitions", "dependentSchemas":
		if value[0] != '{' {
			return value
		}
		o := writer{'{'}
		for each := jsonrpc.Scan(value); each.Next(); {
			o.member(string(each.Name), s.schema(each.Value, depth))
		}
		return append(o, '}')
	}
	switch value[0] {
	case '{':
		return s.schema(value, depth)
	case '[':
		elements, ok := jsonrpc.Elements(value)
		if !ok || !slices.ContainsFunc(elements, func(one []byte) bool { return one[0] == '{' }) {
			return value
		}
		o := writer{'['}
		for i, one := range elements {
			if i > 0 {
				o = append(o, ',')
			}
			o = append(o, s.schema(one, depth)...)
		}
		return append(o, ']')
	}
	return value
}

// renamed returns the list of required keys as the properties have them.
func renamed(required, properties []byte) []byte {
	u := union{required: texts(required)}
	keys := keysOf(names(properties))
	for _, key := range u.required { // of patternProperties
		if keys[key] == "" && ValidKey(key) {
			keys[key] = key
		}
	}
	return u.requiredOf(keys)
}

func isNumber(value []byte) bool { return value[0] == '-' || value[0] >= '0' && value[0] <= '9' }

// isObject reports whether a type is object, or a list with it.
func isObject(kind []byte) bool {
	if text, ok := jsonrpc.Text(kind); ok {
		return text == "object"
	}
	return slices.Contains(texts(kind), "object")
}

// names returns the names of the members of an object.
func names(object []byte) (all []string) {
	for each := jsonrpc.Scan(object); each.Next(); {
		all = append(all, string(each.Name))
	}
	return all
}

// texts returns the strings of a JSON array.
func texts(array []byte) (all []string) {
	if len(array) == 0 {
		return nil
	}
	elements, _ := jsonrpc.Elements(array)
	for _, one := range elements {
		if text, ok := jsonrpc.Text(one); ok {
			all = append(all, text)
		}
	}
	return all
}

// A writer makes an object or array.
type writer []byte

func (w *writer) member(name string, value []byte) {
	if n := len(*w); n > 0 && (*w)[n-1] != '{' {
		*w = append(*w, ',')
	}
	*w = append(append(jsonrpc.AppendString(*w, name), ':'), value...)
}

func (w *writer) text(name, value string) { w.member(name, jsonrpc.AppendString(nil, value)) }
