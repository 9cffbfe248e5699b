package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlFormat is TOML. A server is a table of its own, at the end of the file.
type tomlFormat struct{}

// maxTOML is the number of lines of a TOML file, and of its equals signs: the decoder's time
// grows with the square of the tables, and of the keys of an inline table, to about a second
// for these.
const maxTOML = 10_000

func parseTOML(text []byte) (map[string]any, error) {
	if max(bytes.Count(text, []byte("\n")), bytes.Count(text, []byte("="))) > maxTOML {
		return nil, &notEditableError{fmt.Sprintf("the file has more than %d lines or keys", maxTOML)}
	}
	var all map[string]any
	err := toml.Unmarshal(text, &all)
	if err == nil {
		return all, nil
	}
	reported := &SyntaxError{Line: 1, Column: 1, Reason: strings.TrimPrefix(err.Error(), "toml: ")}
	if decode := (*toml.DecodeError)(nil); errors.As(err, &decode) {
		reported.Line, reported.Column = decode.Position()
	}
	return nil, reported
}

func (tomlFormat) find(text []byte, p place) (any, error) {
	all, err := parseTOML(text)
	if err != nil || all[p.parent] == nil {
		return nil, err
	}
	parent, ok := all[p.parent].(map[string]any)
	if !ok {
		return nil, &notEditableError{fmt.Sprintf("%s is not a table", p.parent)}
	}
	return parent[p.name], nil
}

// An expression is a table header or a key with its value.
type expression struct {
	path  []string // from the root
	kind  unstable.Kind
	start int // of its line
	end   int // after its last line; comments and blank lines that follow are not part of it
}

// expressions returns all expressions of a text that parses. The parser reports where
// keys are; an expression ends before the comments in front of the next one.
func expressions(text []byte) ([]expression, error) {
	var p unstable.Parser
	p.Reset(text)
	var all []expression
	var table []string
	for p.NextExpression() {
		node := p.Expression()
		var path []string
		start := -1
		for keys := node.Key(); keys.Next(); {
			if start < 0 {
				start = int(keys.Node().Raw.Offset)
			}
			path = append(path, string(keys.Node().Data))
		}
		if node.Kind == unstable.KeyValue {
			path = slices.Concat(table, path)
		} else {
			table = path
		}
		all = append(all, expression{path: path, kind: node.Kind, start: lineStart(text, start)})
	}
	if err := p.Error(); err != nil {
		return nil, &notEditableError{err.Error()}
	}
	for i := range all {
		limit := len(text)
		if i+1 < len(all) {
			limit = all[i+1].start
		}
		all[i].end = trimmedEnd(text, all[i].start, limit)
	}
	return all, nil
}

// trimmedEnd returns the end of text[start:end] without the lines at its end that are
// blank or comments.
func trimmedEnd(text []byte, start, end int) int {
	for end > start {
		last := lineStart(text, end-1)
		line := bytes.TrimSpace(text[last:end])
		if last <= start || len(line) > 0 && line[0] != '#' {
			break
		}
		end = last
	}
	return end
}

// A cut is text[start:end], whole lines with expressions of one server.
type cut struct {
	start, end int
	table      bool // begins with the server's own header
}

// cuts returns the expressions of p, merged where they follow each other.
func cuts(text []byte, p place) ([]cut, error) {
	all, err := expressions(text)
	if err != nil {
		return nil, err
	}
	var found []cut
	follows := false
	for _, e := range all {
		if len(e.path) < 2 || e.path[0] != p.parent || e.path[1] != p.name {
			follows = false
			continue
		}
		if follows {
			found[len(found)-1].end = e.end
		} else {
			found = append(found, cut{e.start, e.end, e.kind == unstable.Table && len(e.path) == 2})
		}
		follows = true
	}
	return found, nil
}

func (f tomlFormat) set(text []byte, p placement) ([]byte, error) {
	value, err := f.find(text, p.place)
	if err != nil {
		return nil, err
	}
	newline := lineBreak(text)
	if value != nil {
		found, err := cuts(text, p.place)
		if err != nil || len(found) == 0 {
			return nil, orInline(err, p.parent)
		}
		if len(found) == 1 && found[0].table {
			table := p.table(newline)
			if text[found[0].end-1] != '\n' {
				table = strings.TrimSuffix(table, newline)
			}
			return replaced(text, found[0].start, found[0].end, table), nil
		}
		if text, err = f.remove(text, p.place); err != nil {
			return nil, err
		}
	}
	all, err := expressions(text)
	if err != nil {
		return nil, err
	}
	for _, e := range all {
		if e.kind != unstable.KeyValue {
			break
		}
		if e.path[0] == p.parent {
			return nil, orInline(nil, p.parent)
		}
	}
	switch {
	case len(text) == 0:
		return []byte(p.table(newline)), nil
	case text[len(text)-1] != '\n': // remove knows by this that there was no line break
		return append(bytes.Clone(text), newline+newline+strings.TrimSuffix(p.table(newline), newline)...), nil
	}
	return append(bytes.Clone(text), newline+p.table(newline)...), nil
}

// orInline returns err, or why there is nothing that can be cut.
func orInline(err error, parent string) error {
	if err != nil {
		return err
	}
	return &notEditableError{fmt.Sprintf("%s is an inline table, or is made of dotted keys", parent)}
}

func (tomlFormat) remove(text []byte, p place) ([]byte, error) {
	found, err := cuts(text, p)
	if err != nil || len(found) == 0 {
		return nil, orInline(err, p.parent)
	}
	for _, c := range slices.Backward(found) {
		start := c.start
		if c.table {
			before := withoutLineBreak(text[:start])
			if len(before) < start && (len(before) == 0 || before[len(before)-1] == '\n') { // the blank line before the table
				start = len(before)
			}
			if c.end == len(text) && text[c.end-1] != '\n' {
				start = len(withoutLineBreak(text[:start]))
			}
		}
		text = replaced(text, start, c.end, "")
	}
	return text, nil
}

// withoutLineBreak returns text without one line break at its end.
func withoutLineBreak(text []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
}

func (f tomlFormat) same(before, after []byte, all []place) bool {
	a, errA := parseTOML(before)
	b, errB := parseTOML(after)
	if errA != nil || errB != nil {
		return false
	}
	for _, p := range all {
		for _, document := range []map[string]any{a, b} {
			if parent, ok := document[p.parent].(map[string]any); ok {
				delete(parent, p.name)
			}
		}
		dropEmptyParent(a, b, p.parent)
		dropEmptyParent(b, a, p.parent)
	}
	return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b)
}

// dropEmptyParent removes the empty table name from one if other has none.
func dropEmptyParent(one, other map[string]any, name string) {
	if parent, ok := one[name].(map[string]any); ok && len(parent) == 0 && other[name] == nil {
		delete(one, name)
	}
}

func (tomlFormat) snippet(p placement) string { return p.table("\n") }

// table returns the table of the server.
func (p placement) table(newline string) string {
	text := "[" + p.parent + "." + p.name + "]" + newline
	for _, m := range p.value {
		text += m.key + " = " + tomlValue(m.value) + newline
	}
	return text
}

func tomlValue(value any) string {
	var parts []string
	switch v := value.(type) {
	case string:
		return strings.ReplaceAll(quoted(v), "\x7f", `\u007F`) // the only difference to JSON
	case []string:
		for _, one := range v {
			parts = append(parts, tomlValue(one))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case object:
		for _, m := range v {
			parts = append(parts, m.key+" = "+tomlValue(m.value))
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	}
	return fmt.Sprint(value) // bool, int
}
