package engine

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pagemcp/pagemcp/wasm/internal/schema"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A matcher reports whether a URI is an expansion of a template, and of which
// values. Templates of literals and plain {name}, which is nearly all of them,
// are matched by a scan, the others by a graph (template_match.go). Both take time
// linear in the URI.
type matcher struct {
	prefix string // the literal text before the first expression, as it stands in a canonical URI
	pieces []piece
	graph  *graph   // nil: pieces are enough
	names  []string // of the variables
	places []int    // of each that is not exploded
	query  []string // the names of {?name} and {&name}, as they stand in a URI
}

// A piece is an expression {name} and the literal text behind it.
type piece struct {
	name    string
	literal string
	again   bool // the name has been there before: its value must be the same
}

// newMatcher compiles a template; the error describes what is wrong with it, or why
// what it expands to cannot be matched.
func newMatcher(template string) (*matcher, error) {
	if len(template) > schema.MaxURI {
		return nil, errors.New("it is longer than 8 KiB")
	}
	parts, err := parseTemplate(template)
	if err != nil {
		return nil, jsonrpc.Wrap("it is not one by RFC 6570", err)
	}
	m := &matcher{prefix: escapedLiteral(lowerScheme(parts[0].literal))}
	m.names, m.places = namesOf(parts)
	for _, p := range parts {
		for _, v := range p.variables {
			if p.op.separator == "&" {
				m.query = append(m.query, escapedLiteral(v.name))
			}
		}
	}
	g, err := newGraph(parts)
	if err != nil {
		return nil, err
	}
	if err := checkRepeats(parts, m.names); err != nil {
		return nil, err
	}
	for i, p := range parts[:len(parts)-1] {
		literal := escapedLiteral(parts[i+1].literal)
		ends := endsVariable(literal) || literal == "" && i+2 == len(parts)
		if !p.isPlain() || !ends {
			m.graph, m.pieces = g, nil
			return m, nil
		}
		name := p.variables[0].name
		again := slices.ContainsFunc(m.pieces, func(p piece) bool { return p.name == name })
		m.pieces = append(m.pieces, piece{name, literal, again})
	}
	return m, nil
}

// isPlain: no operator, no modifier, one variable.
func (p *templatePart) isPlain() bool {
	return p.op.separator == "," && !p.op.reserved && len(p.variables) == 1 && !p.variables[0].explode && p.variables[0].prefix == 0
}

// endsVariable: where this literal begins, no value can go on, because values of
// {name} have reserved characters only percent-encoded. So a scan needs no
// second try.
func endsVariable(literal string) bool {
	return literal != "" && !schema.IsUnreserved(literal[0]) && literal[0] != '%' && literal[0] != ','
}

// match returns the values of the variables as a JSON object, or false. The URI is canonical; its query
// variables may have any order.
func (m *matcher) match(uri string) ([]byte, bool) {
	values, ok := m.matchInOrder(uri)
	if !ok && len(m.query) > 0 && strings.IndexByte(uri, '&') >= 0 {
		return m.matchInOrder(sortedQuery(uri, func(name string) string { return string(rune(slices.Index(m.query, name) + 1)) }))
	}
	return values, ok
}

func (m *matcher) matchInOrder(uri string) ([]byte, bool) {
	rest, ok := strings.CutPrefix(uri, m.prefix)
	if !ok {
		return nil, false
	}
	if m.graph != nil {
		if found, ok := m.graph.match(uri); ok {
			return m.variables(found)
		}
		return nil, false
	}
	values := []byte{'{'}
	for i, p := range m.pieces {
		end := 0
		for end < len(rest) && (schema.IsUnreserved(rest[end]) || rest[end] == '%') {
			end++
		}
		value, ok := percentDecode(rest[:end])
		if !ok {
			return nil, false
		}
		if rest, ok = strings.CutPrefix(rest[end:], p.literal); !ok {
			return nil, false
		}
		if p.again {
			if known, _ := jsonrpc.Text(jsonrpc.Member(append(values[:len(values):len(values)], '}'), p.name)); known != value {
				return nil, false
			}
			continue
		}
		if i > 0 {
			values = append(values, ',')
		}
		values = jsonrpc.AppendString(values, p.name)
		values = jsonrpc.AppendString(append(values, ':'), value)
	}
	return append(values, '}'), rest == ""
}

// percentDecode returns the text that s encodes, or false if it encodes none, or
// text that is no UTF-8.
func percentDecode(s string) (string, bool) {
	if strings.IndexByte(s, '%') < 0 {
		return s, true
	}
	text := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			text = append(text, s[i])
			continue
		}
		if i+2 >= len(s) || !schema.IsHex(s[i+1]) || !schema.IsHex(s[i+2]) {
			return "", false
		}
		text = append(text, schema.Unhex(s[i+1])<<4|schema.Unhex(s[i+2]))
		i += 2
	}
	return string(text), utf8.Valid(text)
}
