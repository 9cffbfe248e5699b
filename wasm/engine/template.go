package engine

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pagemcp/pagemcp/wasm/internal/schema"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A matcher reports whether a URI is an expansion of a template, and of which values. The
// texts of the expressions are found first (ends), each as long as it can be from left to
// right, then split into the values of variables (split). Both take time linear in the URI.
//
// No library and no regular expression does: Match of uritemplate/v3 takes seconds for 1,000
// characters and {a:5000}, its Regexp has one group for an expression and knows neither names nor
// lengths, and in both {+path}{?q} finds the query in path. A RegExp of JavaScript tries all ways
// to cut a URI by {year}-{month}-{day}.
type matcher struct {
	prefix string // the literal text that all URIs begin with, as it stands in a canonical one
	lead   string // the literal text from there to the first expression: a query, which may have another order
	pieces []piece
	scans  bool     // a scan from the left finds where values end
	names  []string // of the variables
	places []int    // how often each is in the template
	query  []string // the names of {?name} and {&name}, as they stand in a URI
}

// A piece is an expression and the literal text behind it.
type piece struct {
	expression
	literal    string // as it stands in a canonical URI
	not        string // what the expressions directly behind begin with: it is not in this one's values
	separators int    // the most in its text; -1: any number
}

// maxVariables bounds what is matched; a template beyond is refused.
const maxVariables = 32

// newMatcher compiles a template; the error describes what is wrong with it, or why
// what it expands to cannot be matched.
func newMatcher(template string) (*matcher, error) {
	if len(template) > schema.MaxURI {
		return nil, errors.New("it is longer than 8 KiB")
	}
	literals, expressions, err := parseTemplate(template)
	if err != nil {
		return nil, jsonrpc.Wrap("it is not one by RFC 6570", err)
	}
	for _, literal := range literals {
		if _, ok := percentDecode(schema.CanonicalText(literal)); !ok {
			return nil, errors.New("its literal text encodes no UTF-8")
		}
	}
	m := &matcher{prefix: schema.CanonicalText(lowerScheme(literals[0])), scans: true}
	variables := 0
	for i, x := range expressions {
		p := piece{expression: x, literal: schema.CanonicalText(literals[i+1]), separators: len(x.variables) - 1}
		for n := i + 1; n < len(expressions) && literals[n] == ""; n++ {
			p.not += expressions[n].first
		}
		if err := p.check(i+1 == len(expressions), expressions[i+1:]); err != nil {
			return nil, err
		}
		m.scans = m.scans && p.scans(i+1 == len(expressions))
		m.pieces = append(m.pieces, p)
		variables += len(x.variables)
	}
	if variables > maxVariables {
		return nil, errors.New("it has more than 32 variables")
	}
	if err := m.nameVariables(); err != nil {
		return nil, err
	}
	if at := strings.IndexByte(m.prefix, '?'); at >= 0 && len(m.query) > 0 {
		m.prefix, m.lead = m.prefix[:at], m.prefix[at:]
	}
	return m, nil
}

// check returns why what a piece expands to cannot be told from what is behind it.
func (p *piece) check(isLast bool, behind []expression) error {
	if p.literal == "" && !isLast {
		switch next := behind[0]; {
		case next.first == "":
			return errors.New("two expressions follow each other with nothing between them")
		case p.named && next.separator == p.separator:
			return errors.New("variables of two expressions with names follow each other: write {?a,b}, not {?a}{&b}")
		}
	}
	for _, v := range p.variables {
		if v.explode {
			p.separators = -1
		}
	}
	mayBeShort := p.variables[len(p.variables)-1].prefix > 0 || p.named && (p.separators != 0 || p.ifEmpty == "")
	if mayBeShort && p.literal != "" && p.takes(p.literal[0]) {
		return errors.New("the text behind {a:1}, {?a,b} or {;a} begins with a character that a value may have")
	}
	return nil
}

// scans reports whether the text of a piece ends where the first character stands that it
// cannot have, because that is what the literal behind it begins with.
func (p *piece) scans(isLast bool) bool {
	isPlain := p.first == "" && len(p.variables) == 1 && !p.variables[0].explode && p.variables[0].prefix == 0
	return isPlain && (p.literal == "" && isLast || p.literal != "" && p.literal[0] != ',' && !p.takes(p.literal[0]))
}

// How a variable stands in an expression. One that stands twice does so in the same way
// everywhere, so that it is found in all places or in none.
const (
	ambiguous = iota // a list, or beside others: 1 is also what {x,y,x} is without x
	byItself         // {name}: what is absent is found as empty
	repeated         // {name,name}, beside no other: there or absent as a whole
	marked           // behind an operator's character
)

func (x *expression) standing(v variable) int {
	isOther := func(other variable) bool { return other.name != v.name }
	switch {
	case v.explode || !x.named && slices.ContainsFunc(x.variables, isOther):
		return ambiguous
	case x.first != "":
		return marked
	case len(x.variables) > 1:
		return repeated
	}
	return byItself
}

// nameVariables collects the names, or returns why one that stands twice is refused.
func (m *matcher) nameVariables() error {
	var before []int
	for _, p := range m.pieces {
		for _, v := range p.variables {
			if p.separator == "&" {
				m.query = append(m.query, v.key)
			}
			at, is := slices.Index(m.names, v.name), p.standing(v)
			if at < 0 {
				m.names, m.places, before = append(m.names, v.name), append(m.places, 1), append(before, is)
				continue
			}
			if before[at] != is || is == ambiguous {
				return errors.New("a variable stands twice, in places where it cannot be told whether it is there")
			}
			m.places[at]++
		}
	}
	return nil
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

// takes reports whether the text of an expression has c any number of times.
func (p *piece) takes(c byte) bool {
	return p.separators < 0 && c == p.separator[0] || (schema.IsUnreserved(c) || c == '%' || c == '=' && p.named || p.reserved && schema.URICharacters[c]) && strings.IndexByte(p.not, c) < 0
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
