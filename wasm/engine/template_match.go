package engine

import (
	"strings"
	"unicode/utf8"

	"github.com/pagemcp/pagemcp/wasm/internal/emit"
)

// ends returns where the text of each expression ends, in a URI without the prefix. It
// finds, from the last piece to the first, the places from which the rest matches; then
// one walk takes the ends. It never backtracks.
func (m *matcher) ends(uri string) (ends []int, ok bool) {
	if _, ok := percentDecode(uri); !ok {
		return nil, false
	}
	n := len(uri)
	behind := make([]bool, n+1) // what is behind the piece matches from here
	behind[n] = true
	mayEnd := make([][]bool, len(m.pieces))
	for i := len(m.pieces) - 1; i >= 0; i-- {
		mayEnd[i] = make([]bool, n+1)
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
	reach := make([]int, max(p.separators, 0)+1) // where a text from here ends at the latest, by its separators
	next, begins := n+1, false                   // the next end; a text may begin at the place before
	for place := n; place >= 0; place-- {
		if isWithin(uri, place) {
			continue
		}
		if place == n || !p.takes(uri[place]) {
			isSeparator := place < n && uri[place] == p.separator[0]
			for j := len(reach) - 1; j >= 0; j-- {
				if j == 0 || !isSeparator {
					reach[j] = place
				} else {
					reach[j] = reach[j-1]
				}
			}
		}
		if strings.HasPrefix(uri[place:], p.literal) && behind[place+len(p.literal)] {
			mayEnd[place], next = true, place
		}
		begun := begins
		begins = next <= reach[len(reach)-1]
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
	for separators := p.separators; ; place++ {
		if mayEnd[place] {
			last = place
		}
		switch {
		case place == len(uri):
			return last
		case p.takes(uri[place]):
		case uri[place] == p.separator[0] && separators > 0:
			separators--
		default:
			return last
		}
	}
}

// isWithin reports whether a place is within a percent-encoded byte.
func isWithin(uri string, place int) bool {
	return place > 0 && uri[place-1] == '%' || place > 1 && uri[place-2] == '%'
}

// A capture is a value that was found for a variable.
type capture struct {
	variable *variable
	value    string
}

// split returns the values of the variables in the texts of the expressions, as a JSON object.
func (m *matcher) split(uri string, ends []int) ([]byte, bool) {
	var room [4]capture
	found, ok, place := room[:0], true, 0
	for i := range m.pieces {
		p := &m.pieces[i]
		text := uri[place:ends[i]]
		place = ends[i] + len(p.literal)
		switch {
		case m.scans:
			var value string
			value, ok = percentDecode(text)
			found = append(found, capture{&p.variables[0], value})
		case text == "" && (p.first != "" || p.standing(p.variables[0]) == repeated): // absent
		case p.named:
			found, ok = p.splitNamed(text[1:], found)
		default:
			found, ok = p.splitList(text[len(p.first):], found)
		}
		if !ok {
			return nil, false
		}
	}
	return m.variables(found)
}

// splitList splits a text without names. A separator belongs to the last variable's value.
func (p *piece) splitList(text string, found []capture) ([]capture, bool) {
	rest, more := text, true
	for i := range p.variables {
		for v := &p.variables[i]; more; {
			text, behind, isCut := rest, "", false
			if v.explode || i+1 < len(p.variables) {
				text, behind, isCut = strings.Cut(rest, p.separator)
			} else if !p.takes(p.separator[0]) && strings.Contains(rest, p.separator) {
				return nil, false
			}
			value, ok := percentDecode(text)
			if !ok {
				return nil, false
			}
			if !v.fits(value) {
				break // the variable is absent: the value is one of the next
			}
			found = append(found, capture{v, value})
			if rest, more = behind, isCut; !v.explode {
				break
			}
		}
	}
	return found, !more
}

// splitNamed splits a text of names and values, which are in the order of the template.
func (p *piece) splitNamed(text string, found []capture) ([]capture, bool) {
	for i, more := 0, true; more; {
		var pair string
		pair, text, more = strings.Cut(text, p.separator)
		key, value, hasValue := strings.Cut(pair, "=")
		for i < len(p.variables) && p.variables[i].key != key {
			i++
		}
		// An empty value is ;name of {;name}, and ?name= of {?name}.
		if i == len(p.variables) || hasValue != (value != "" || p.ifEmpty == "=") || strings.IndexByte(value, '=') >= 0 {
			return nil, false
		}
		v := &p.variables[i]
		value, ok := percentDecode(value)
		if !ok || !v.fits(value) {
			return nil, false
		}
		found = append(found, capture{v, value})
		if !v.explode {
			i++
		}
	}
	return found, true
}

// fits reports whether a value is no longer than it may be.
func (v *variable) fits(value string) bool {
	return v.prefix == 0 || utf8.RuneCountInString(value) <= v.prefix
}

// variables makes a JSON object of what was found; false: a name that stands twice
// has two values, or one only, since a variable is in all of its places or in none.
func (m *matcher) variables(found []capture) ([]byte, bool) {
	values := make(emit.JSON, 1, 64)
	values[0] = '{'
	for i, name := range m.names {
		var known *capture
		count := 0
		for j := range found {
			switch c := &found[j]; {
			case c.variable.name != name:
			case c.variable.explode:
				if count == 0 {
					values.Name(name)
				}
				values.Text(emit.Separator(count))
				values.Quote(c.value)
				count++
			case known == nil:
				known, count = c, 1
			case !c.agrees(known) && !known.agrees(c):
				return nil, false
			default:
				count++
				if limit := c.variable.prefix; limit == 0 || known.variable.prefix > 0 && known.variable.prefix < limit {
					known = c
				}
			}
		}
		switch {
		case known != nil && count != m.places[i]:
			return nil, false
		case known != nil:
			values.Name(name)
			values.Quote(known.value)
		case count > 0:
			values.Text("]")
		}
	}
	values.Text("}")
	return values, true
}

// agrees reports whether c is the value of a variable, or as much of it as c may have, if the other
// capture has it, or more of it.
func (c *capture) agrees(other *capture) bool {
	longer := other.variable.prefix == 0 || c.variable.prefix > 0 && c.variable.prefix <= other.variable.prefix
	return longer && firstRunes(other.value, c.variable.prefix) == c.value
}

// firstRunes returns the first n characters; 0: all.
func firstRunes(text string, n int) string {
	for i := range text {
		if n--; n == -1 && i > 0 {
			return text[:i]
		}
	}
	return text
}
