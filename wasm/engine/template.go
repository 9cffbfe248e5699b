package engine

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/schema"
)

// A matcher reports whether a URI is an expansion of a template, and of which values. The
// texts of the expressions are found first (ends), each as long as it can be from left to
// right, then split into the values of variables (split). Both take time linear in the URI.
//
// It takes the templates of RFC 6570 whose URIs have each value in a place of its own: an expression has
// one variable, or several with names, as in {?a,b}; neither {a*} nor {a:3}. No library and no regular
// expression finds the values: Match of uritemplate/v3 takes seconds for 1,000 characters, and in
// {+path}{?q} it finds the query in path; a RegExp tries all ways to cut a URI by {year}-{month}-{day}.
type matcher struct {
	prefix string // the literal text that all URIs begin with, as it stands in a canonical one
	lead   string // the literal text from there to the first expression: a query, which may have another order
	pieces []piece
	scans  bool     // a scan from the left finds where values end
	names  []string // of the variables
	query  []string // the names of {?name} and {&name}, as they stand in a URI
}

// A piece is an expression and the literal text behind it.
type piece struct {
	operator
	variables []variable
	literal   string // as it stands in a canonical URI
	not       string // what the expressions directly behind begin with: it is not in this one's values
}

// A variable is one of an expression. RFC 6570, section 2.3.
type variable struct {
	name string
	key  string // the name as it stands in a canonical URI
}

// An operator of RFC 6570, appendix A.
type operator struct {
	first     string
	separator byte // of variables with names; 0: there is one variable
	ifEmpty   string
	reserved  bool // characters that stand for themselves beyond the unreserved
}

// operators by their characters; the plain {name} has none.
var operators = map[byte]operator{
	'+': {"", 0, "", true}, '#': {"#", 0, "", true},
	'.': {".", 0, "", false}, '/': {"/", 0, "", false},
	';': {";", ';', "", false}, '?': {"?", '&', "=", false}, '&': {"&", '&', "=", false},
}

// maxVariables bounds what is matched; a template beyond is refused.
const maxVariables = 32

// newMatcher compiles a template; the error describes what is wrong with it, or why
// what it expands to cannot be matched.
func newMatcher(template string) (*matcher, error) {
	if len(template) > schema.MaxURI {
		return nil, errors.New("it is longer than 8 KiB")
	}
	m := &matcher{scans: true}
	rest, err := literalBefore(&m.prefix, lowerScheme(template))
	for err == nil && rest != "" {
		var text string
		var closed bool
		if text, rest, closed = strings.Cut(rest[1:], "}"); !closed {
			return nil, errors.New("an expression has no end")
		}
		var p piece
		if p, err = m.readPiece(text); err == nil {
			rest, err = literalBefore(&p.literal, rest)
			m.pieces = append(m.pieces, p)
		}
	}
	if err == nil {
		err = m.check()
	}
	if err != nil {
		return nil, err
	}
	if at := strings.IndexByte(m.prefix, '?'); at >= 0 && len(m.query) > 0 {
		m.prefix, m.lead = m.prefix[:at], m.prefix[at:]
	}
	return m, nil
}

// literalBefore reads the literal text before the next expression, and returns the rest, which begins with that.
// RFC 6570, section 2.1, and the apostrophe of its erratum 6937.
func literalBefore(literal *string, text string) (rest string, err error) {
	at := strings.IndexByte(text, '{')
	if at < 0 {
		at = len(text)
	}
	*literal = schema.CanonicalText(text[:at])
	for i := range at {
		if c := text[i]; c <= ' ' || c == 0x7f || strings.IndexByte("\"<>\\^`|}", c) >= 0 {
			return "", errors.New("it has a character that a literal must percent-encode")
		}
	}
	if _, ok := percentDecode(*literal); !ok {
		return "", errors.New("it has a percent sign that encodes nothing, or text that is not UTF-8")
	}
	return text[at:], nil
}

// readPiece reads what stands between braces.
func (m *matcher) readPiece(text string) (p piece, err error) {
	if text != "" {
		var known bool
		if p.operator, known = operators[text[0]]; known {
			text = text[1:]
		}
	}
	for name := range strings.SplitSeq(text, ",") {
		switch {
		case strings.HasSuffix(name, "*"):
			return p, errors.New("{a*} cannot be matched: write {+a} for a text with slashes")
		case strings.Contains(name, ":"):
			return p, errors.New("{a:3} cannot be matched: write {a}")
		case !validVariable(name):
			return p, errors.New("an expression is empty, or has a variable whose name is not one")
		case slices.Contains(m.names, name):
			return p, errors.New("a variable stands twice")
		case len(m.names) == maxVariables:
			return p, errors.New("it has more than 32 variables")
		}
		v := variable{name, schema.CanonicalText(name)}
		p.variables, m.names = append(p.variables, v), append(m.names, name)
		if p.separator == '&' {
			m.query = append(m.query, v.key)
		}
	}
	if p.separator == 0 && len(p.variables) > 1 {
		return p, errors.New("values of {a,b} cannot be told apart: write {a},{b}")
	}
	return p, nil
}

// check returns why what pieces expand to cannot be told from what is behind them.
func (m *matcher) check() error {
	for i := range m.pieces {
		p := &m.pieces[i]
		isLast := i+1 == len(m.pieces)
		for n := i; n+1 < len(m.pieces) && m.pieces[n].literal == ""; n++ {
			p.not += m.pieces[n+1].first
		}
		switch {
		case p.literal != "":
			if p.separator != 0 && p.takes(p.literal[0]) {
				return errors.New("the text behind {?a} or {;a} begins with a character that a value may have: begin it with one such as #")
			}
		case isLast:
		case m.pieces[i+1].first == "":
			return errors.New("two expressions follow each other with nothing between them: put text there")
		case p.separator != 0 && m.pieces[i+1].separator == p.separator:
			return errors.New("variables of two expressions with names follow each other: write {?a,b}, not {?a}{&b}")
		}
		m.scans = m.scans && p.first == "" && (p.literal == "" && isLast || p.literal != "" && !p.takes(p.literal[0]))
	}
	return nil
}

// validVariable: RFC 6570, section 2.3, varname.
func validVariable(name string) bool {
	dot := true // a dot, or the beginning, was last
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case schema.IsLetter(c) || schema.IsDigit(c) || c == '_':
			dot = false
		case c == '.' && !dot:
			dot = true
		case c == '%' && i+2 < len(name) && schema.IsHex(name[i+1]) && schema.IsHex(name[i+2]):
			dot = false
			i += 2
		default:
			return false
		}
	}
	return !dot
}

// takes reports whether the text of an expression may have c behind its first character.
func (p *piece) takes(c byte) bool {
	return (schema.IsUnreserved(c) || c == '%' || p.separator != 0 && (c == '=' || c == p.separator) || p.reserved && schema.URICharacters[c]) && strings.IndexByte(p.not, c) < 0
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
	if ok {
		rest, ok = strings.CutPrefix(rest, m.lead)
	}
	if !ok {
		return nil, false
	}
	var room [4]int
	ends := room[:0]
	if m.scans {
		ends, ok = m.scan(rest, ends)
	} else {
		ends, ok = m.ends(rest)
	}
	if !ok {
		return nil, false
	}
	return m.split(rest, ends)
}

// scan is ends of a template whose pieces all scan.
func (m *matcher) scan(uri string, ends []int) ([]int, bool) {
	place := 0
	for i := range m.pieces {
		p := &m.pieces[i]
		for place < len(uri) && (schema.IsUnreserved(uri[place]) || uri[place] == '%' || p.reserved && schema.URICharacters[uri[place]]) {
			place++
		}
		ends = append(ends, place)
		if !strings.HasPrefix(uri[place:], p.literal) {
			return nil, false
		}
		place += len(p.literal)
	}
	return ends, place == len(uri)
}

// ends returns where the text of each expression ends, in a URI without the prefix. It
// finds, from the last piece to the first, the places from which the rest matches; then
// one walk takes the ends. It never backtracks.
func (m *matcher) ends(uri string) (ends []int, ok bool) {
	if _, ok := percentDecode(uri); !ok {
		return nil, false
	}
	behind := make([]bool, len(uri)+1) // what is behind the piece matches from here
	behind[len(uri)] = true
	mayEnd := make([][]bool, len(m.pieces))
	for i := len(m.pieces) - 1; i >= 0; i-- {
		mayEnd[i] = make([]bool, len(uri)+1)
		behind = m.pieces[i].places(uri, behind, mayEnd[i])
	}
	if !behind[0] {
		return nil, false
	}
	place := 0
	for i := range m.pieces {
		p := &m.pieces[i]
		place = p.end(uri, place, mayEnd[i])
		ends = append(ends, place)
		place += len(p.literal)
	}
	return ends, true
}

// places returns the places from which a piece and what is behind it match. It fills in
// where the text of the expression may end.
func (p *piece) places(uri string, behind, mayEnd []bool) []bool {
	n := len(uri)
	from := make([]bool, n+1)
	reach, next, begins := n, n+1, false // where a text from here ends at the latest; the next end; a text may begin at the place before
	for place := n; place >= 0; place-- {
		if isWithin(uri, place) {
			continue
		}
		if place < n && !p.takes(uri[place]) {
			reach = place
		}
		if strings.HasPrefix(uri[place:], p.literal) && behind[place+len(p.literal)] {
			mayEnd[place], next = true, place
		}
		begun := begins
		begins = next <= reach
		from[place] = begins
		if p.first != "" {
			from[place] = mayEnd[place] || begun && uri[place] == p.first[0]
		}
	}
	return from
}

// end returns the last place where the text that begins at a place may end.
func (p *piece) end(uri string, place int, mayEnd []bool) int {
	last := place
	if p.first != "" {
		if place == len(uri) || uri[place] != p.first[0] {
			return place
		}
		place++
	}
	for ; ; place++ {
		if mayEnd[place] {
			last = place
		}
		if place == len(uri) || !p.takes(uri[place]) {
			return last
		}
	}
}

// isWithin reports whether a place is within a percent-encoded byte.
func isWithin(uri string, place int) bool {
	return place > 0 && uri[place-1] == '%' || place > 1 && uri[place-2] == '%'
}

// split returns the values of the variables in the texts of the expressions, as a JSON object. Absent ones are left out.
func (m *matcher) split(uri string, ends []int) ([]byte, bool) {
	values := make(emit.JSON, 1, 64)
	values[0] = '{'
	place := 0
	for i := range m.pieces {
		p := &m.pieces[i]
		text := uri[place:ends[i]]
		place = ends[i] + len(p.literal)
		ok := true
		switch {
		case text == "" && p.first != "": // absent
		case p.separator != 0:
			ok = p.addNamed(&values, text[1:])
		default:
			ok = addValue(&values, &p.variables[0], text[len(p.first):])
		}
		if !ok {
			return nil, false
		}
	}
	return append(values, '}'), true
}

// addNamed adds the values in a text of names and values, which are in the order of the template.
func (p *piece) addNamed(values *emit.JSON, text string) bool {
	for i, more := 0, true; more; i++ {
		var pair string
		pair, text, more = strings.Cut(text, string(p.separator))
		key, value, hasValue := strings.Cut(pair, "=")
		for i < len(p.variables) && p.variables[i].key != key {
			i++
		}
		// An empty value is ;name of {;name}, and ?name= of {?name}.
		if i == len(p.variables) || hasValue != (value != "" || p.ifEmpty == "=") || strings.IndexByte(value, '=') >= 0 || !addValue(values, &p.variables[i], value) {
			return false
		}
	}
	return true
}

func addValue(values *emit.JSON, v *variable, text string) bool {
	value, ok := percentDecode(text)
	if ok {
		values.Name(v.name)
		values.Quote(value)
	}
	return ok
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

// canonicalTemplate returns a template with its literals in the form in which URIs are compared.
func canonicalTemplate(template string) string {
	var form strings.Builder
	for template = lowerScheme(template); template != ""; {
		literal, rest, isExpr := strings.Cut(template, "{")
		form.WriteString(schema.CanonicalText(literal))
		if !isExpr {
			break
		}
		expression, behind, _ := strings.Cut(rest, "}")
		form.WriteString("{" + expression + "}")
		template = behind
	}
	return form.String()
}
