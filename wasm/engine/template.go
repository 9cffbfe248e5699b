package engine

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"github.com/yosida95/uritemplate/v3"
)

// A matcher tells whether a URI is an expansion of a template, and of which
// values. Templates of literals and plain {name}, which is nearly all of them,
// are matched by a scan; the library's Match, which costs 40 to 150 µs in wasm,
// has the others.
type matcher struct {
	prefix  string // the literal text before the first expression
	pieces  []piece
	library *uritemplate.Template // nil: pieces are enough
	names   []string              // of the variables
}

// A piece is an expression {name} and the literal text behind it.
type piece struct {
	name    string
	literal string
	again   bool // the name has been there before: its value must be the same
}

// newMatcher compiles a template; the error says what is wrong with it.
func newMatcher(template string) (*matcher, error) {
	compiled, err := uritemplate.New(template)
	if err != nil {
		return nil, err
	}
	prefix, rest, _ := strings.Cut(template, "{")
	m := &matcher{prefix: prefix, names: compiled.Varnames()}
	if rest == "" {
		return m, nil
	}
	for rest != "" {
		name, behind, _ := strings.Cut(rest, "}")
		literal, next, more := strings.Cut(behind, "{")
		if !plainName(name) || more && !endsVariable(literal) || literal != "" && !endsVariable(literal) {
			return &matcher{prefix: prefix, library: compiled, names: m.names}, nil
		}
		again := slices.ContainsFunc(m.pieces, func(p piece) bool { return p.name == name })
		m.pieces = append(m.pieces, piece{name, literal, again})
		rest = next
	}
	return m, nil
}

// plainName: no operator, no modifier, one variable.
func plainName(name string) bool {
	for i := range len(name) {
		if c := name[i]; !isLetter(c) && !isDigit(c) && c != '_' {
			return false
		}
	}
	return name != ""
}

// endsVariable: where this literal begins, no value can go on, because values of
// {name} have reserved characters only percent-encoded. So a scan needs no
// second try.
func endsVariable(literal string) bool {
	return literal != "" && !isUnreserved(literal[0]) && literal[0] != '%' && literal[0] != ',' && literal[0] < utf8.RuneSelf
}

// match returns the values of the variables as a JSON object, or false.
func (m *matcher) match(uri string) ([]byte, bool) {
	rest, ok := strings.CutPrefix(uri, m.prefix)
	if !ok {
		return nil, false
	}
	if m.library != nil {
		return m.matchByLibrary(uri)
	}
	values := []byte{'{'}
	for i, p := range m.pieces {
		end := 0
		for end < len(rest) && (isUnreserved(rest[end]) || rest[end] == '%') {
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

func (m *matcher) matchByLibrary(uri string) ([]byte, bool) {
	found := m.library.Match(uri)
	if found == nil {
		return nil, false
	}
	values := []byte{'{'}
	for _, name := range m.library.Varnames() {
		value, ok := found[name]
		if !ok {
			continue
		}
		if len(values) > 1 {
			values = append(values, ',')
		}
		values = append(jsonrpc.AppendString(values, name), ':')
		if value.T == uritemplate.ValueTypeString && len(value.V) > 0 {
			values = jsonrpc.AppendString(values, value.V[0])
			continue
		}
		values = append(values, '[')
		for i, v := range value.V {
			if i > 0 {
				values = append(values, ',')
			}
			values = jsonrpc.AppendString(values, v)
		}
		values = append(values, ']')
	}
	return append(values, '}'), true
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
		if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
			return "", false
		}
		text = append(text, unhex(s[i+1])<<4|unhex(s[i+2]))
		i += 2
	}
	return string(text), utf8.Valid(text)
}
