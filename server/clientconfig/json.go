package clientconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"
)

// jsonFormat is JSON with comments and trailing commas, as VS Code writes it.
type jsonFormat struct{}

// maxNesting is the number of nested arrays and objects that the parser, which is
// recursive, accepts.
const maxNesting = 10_000

// parseJSON parses text, which may be empty.
func parseJSON(text []byte) (hujson.Value, error) {
	if line, column := deeplyNested(text); line > 0 {
		return hujson.Value{}, &SyntaxError{Line: line, Column: column, Reason: "nested too deeply"}
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return hujson.Value{}, nil
	}
	// The parser requires a line break after a comment at the end. Clients do not.
	root, err := hujson.Parse(append(bytes.Clone(text), '\n'))
	if err == nil {
		return root, nil
	}
	reported := &SyntaxError{Line: 1, Reason: err.Error()}
	if cause := errors.Unwrap(err); cause != nil {
		reported.Reason = cause.Error()
	}
	fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &reported.Line, &reported.Column)
	if reason, _, ok := strings.Cut(reported.Reason, "invalid literal:"); ok { // which may be a secret
		reported.Reason = reason + "invalid literal"
	}
	return root, reported
}

// deeplyNested returns the position of the bracket that exceeds maxNesting, or 0.
func deeplyNested(text []byte) (line, column int) {
	depth, start := 0, 0
	line = 1
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\n':
			line, start = line+1, i+1
		case '"':
			for i++; i < len(text) && text[i] != '"' && text[i] != '\n'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if i < len(text) && text[i] == '\n' {
				i--
			}
		case '/':
			if end := commentEnd(text[i:]); end > 0 {
				line += bytes.Count(text[i:i+end], []byte("\n"))
				i += end - 1
			}
		case '[', '{':
			if depth++; depth > maxNesting {
				return line, i - start + 1
			}
		case ']', '}':
			depth--
		}
	}
	return 0, 0
}

// commentEnd returns the length of the comment with which text begins, without the line
// break after a line comment, or 0 if there is none.
func commentEnd(text []byte) int {
	switch {
	case bytes.HasPrefix(text, []byte("//")):
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			return i
		}
		return len(text)
	case bytes.HasPrefix(text, []byte("/*")):
		if i := bytes.Index(text[2:], []byte("*/")); i >= 0 {
			return 2 + i + 2
		}
		return len(text)
	}
	return 0
}

// memberOf returns the index of the member of an object, or -1. Two members of one name
// are an error: clients disagree about which one counts.
func memberOf(o *hujson.Object, name string) (int, error) {
	found := -1
	for i, m := range o.Members {
		if literal, ok := m.Name.Value.(hujson.Literal); !ok || literal.String() != name {
			continue
		}
		if found >= 0 {
			return 0, &notEditableError{fmt.Sprintf("there are two members %q", name)}
		}
		found = i
	}
	return found, nil
}

// A location is where a place is in a parsed text. What does not exist is nil, or -1.
type location struct {
	root   *hujson.Object
	at     int // of the parent in root
	parent *hujson.Value
	index  int // of the value in parent
}

// locateJSON finds a place. The document and the parent must be objects, or an array for
// the parent of elements.
func locateJSON(document hujson.Value, p place) (l location, err error) {
	l.at, l.index = -1, -1
	if document.Value == nil {
		return l, nil
	}
	root, ok := document.Value.(*hujson.Object)
	if !ok {
		return l, &notEditableError{"the document is not an object"}
	}
	l.root = root
	if l.at, err = memberOf(root, p.parent); err != nil || l.at < 0 {
		return l, err
	}
	l.parent = &root.Members[l.at].Value
	switch parent := l.parent.Value.(type) {
	case *hujson.Object:
		if p.element {
			return l, &notEditableError{fmt.Sprintf("%q is not an array", p.parent)}
		}
		l.index, err = memberOf(parent, p.name)
		return l, err
	case *hujson.Array:
		if !p.element {
			break
		}
		for i, element := range parent.Elements {
			o, ok := element.Value.(*hujson.Object)
			if !ok {
				continue
			}
			id, err := memberOf(o, "id")
			if err != nil || id < 0 {
				continue
			}
			if literal, ok := o.Members[id].Value.Value.(hujson.Literal); ok && literal.Kind() == '"' && literal.String() == p.name {
				l.index = i
				break
			}
		}
		return l, nil
	}
	if p.element {
		return l, &notEditableError{fmt.Sprintf("%q is not an array", p.parent)}
	}
	return l, &notEditableError{fmt.Sprintf("%q is not an object", p.parent)}
}

// value returns the value of the place, or nil.
func (l location) value() *hujson.Value {
	if l.index < 0 {
		return nil
	}
	switch parent := l.parent.Value.(type) {
	case *hujson.Object:
		return &parent.Members[l.index].Value
	case *hujson.Array:
		return &parent.Elements[l.index]
	}
	return nil
}

func (jsonFormat) find(text []byte, p place) (any, error) {
	document, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	l, err := locateJSON(document, p)
	if err != nil || l.value() == nil {
		return nil, err
	}
	found := l.value().Clone()
	found.Standardize()
	found.BeforeExtra, found.AfterExtra = nil, nil
	var decoded any
	if err := json.Unmarshal(found.Pack(), &decoded); err != nil {
		return nil, &notEditableError{err.Error()}
	}
	if decoded == nil { // null: present, and equal to no entry
		return struct{}{}, nil
	}
	return decoded, nil
}

func equalValues(found any, want object) bool { return reflect.DeepEqual(plain(found), plain(want)) }

func (jsonFormat) set(text []byte, p placement) ([]byte, error) {
	document, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	l, err := locateJSON(document, p.place)
	if err != nil {
		return nil, err
	}
	style := styleOf(text, l)
	if l.root == nil {
		if bytes.HasSuffix(text, []byte("\n")) {
			return append(bytes.Clone(text), p.document(style)...), nil
		}
		return append(bytes.Clone(text), p.document(style)+style.newline...), nil
	}
	if value := l.value(); value != nil {
		by := style.value(p.value, indentOfLine(text, value.StartOffset))
		if !bytes.Contains(text[value.StartOffset:value.EndOffset], []byte("\n")) && !startsLine(text, p, l) {
			by = inline(p.value)
		}
		return replaced(text, value.StartOffset, value.EndOffset, by), nil
	}
	if l.parent == nil {
		s := sequenceOf(text, document)
		return s.insertFirst(text, style, func(indent string) string { return p.parentMember(style, indent) }, p.inlineParent()), nil
	}
	s := sequenceOf(text, *l.parent)
	return s.insertFirst(text, style, func(indent string) string { return p.item(style, indent) }, p.inlineItem()), nil
}

// startsLine reports whether the value to replace is an item on a line of its own.
func startsLine(text []byte, p placement, l location) bool {
	start := sequenceOf(text, *l.parent).items[l.index].start
	return len(bytes.TrimSpace(text[lineStart(text, start):start])) == 0
}

func (jsonFormat) remove(text []byte, p place) ([]byte, error) {
	document, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	l, err := locateJSON(document, p)
	if err != nil || l.index < 0 {
		return text, err
	}
	return sequenceOf(text, *l.parent).remove(text, l.index), nil
}

func (jsonFormat) snippet(p placement) string {
	return p.document(jsonStyle{newline: "\n", unit: "  "})
}

// quoted returns a JSON string.
func quoted(s string) string {
	text, _ := jsontext.AppendQuote(nil, s) // only invalid UTF-8 is an error; it is replaced
	return string(text)
}
