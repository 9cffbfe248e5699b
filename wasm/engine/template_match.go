package engine

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/pagemcp/pagemcp/wasm/internal/emit"
	"github.com/pagemcp/pagemcp/wasm/internal/schema"
)

// Templates beyond literals and plain {name} are matched by a graph of nodes: a
// literal, a value, or a choice of two. A table has for each node and each place
// in the URI whether the rest matches from there. It is filled in from the end, in
// time and space linear in both; then one walk from the beginning takes the values.
// It never backtracks.
//
// Where an expansion has several readings, as RFC 6570 allows: a variable is there
// rather than not, and its value is as long as it can be, except that
//
//   - only the last variable of an expression, if not exploded, contains the
//     separator of the expression;
//   - a value that an expression with an operator follows directly does not
//     contain the character that this one begins with.
//
// {name*} is a list, {name} is text and never a list, and objects are not matched.

// Bounds of what is matched; a template beyond is refused.
const (
	maxVariables = 32
	maxNodes     = 256 // as many as a nodeSet holds
)

// A graph matches URIs. Nodes stand behind those that follow them, except for the
// items of a list, where a separator leads back.
type graph struct {
	nodes []node
	start int
}

type node struct {
	kind     nodeKind
	next     int // the node behind
	instead  int // the second choice
	literal  string
	variable templateVariable
	reserved bool   // a value of {+name} or {#name}
	not      string // characters that the value does not contain
}

type nodeKind uint8

const (
	endNode nodeKind = iota
	literalNode
	choiceNode
	valueNode
)

type nodeSet [maxNodes / 64]uint64

func (s *nodeSet) has(n int) bool { return s[n/64]>>(n%64)&1 != 0 }
func (s *nodeSet) add(n int)      { s[n/64] |= 1 << (n % 64) }

// add adds a node. That the functions that add some are not inlined saves a third
// of their code.
//
//go:noinline
func (g *graph) add(n *node) int {
	g.nodes = append(g.nodes, *n)
	return len(g.nodes) - 1
}

//go:noinline
func (g *graph) addLiteral(text string, next int) int {
	return g.add(&node{kind: literalNode, literal: text, next: next})
}

//go:noinline
func (g *graph) addChoice(next, instead int) int {
	return g.add(&node{kind: choiceNode, next: next, instead: instead})
}

// newGraph returns the graph of a template, or why it is rejected.
func newGraph(parts []templatePart) (*graph, error) {
	g := &graph{}
	next := g.add(&node{kind: endNode})
	variables, follows := 0, "" // what the part behind begins with; "": the end or a literal
	adjacent := false           // the part behind is an expression without an operator's character
	for i := len(parts) - 1; i >= 0; i-- {
		p := &parts[i]
		if p.isExpr {
			if adjacent {
				return nil, errors.New("two expressions follow each other with nothing between them")
			}
			if variables += len(p.variables); variables > maxVariables {
				return nil, errors.New("it has more than 32 variables")
			}
			next = g.expression(p, next, follows)
		}
		follows, adjacent = "", false
		if p.literal != "" {
			text := escapedLiteral(p.literal)
			if _, ok := percentDecode(text); !ok {
				return nil, errors.New("its literal text encodes no UTF-8")
			}
			next = g.addLiteral(text, next)
		} else if p.isExpr {
			follows, adjacent = p.op.first, p.op.first == ""
		}
		if len(g.nodes) > maxNodes {
			return nil, errors.New("it has too many expressions")
		}
	}
	g.start = next
	return g, nil
}

// expression adds the nodes of an expression and returns the first of them. behind
// is the node after it, and follows the character that an expression there begins
// with, or "".
func (g *graph) expression(p *templatePart, behind int, follows string) int {
	first, further := behind, behind // the rest, if no variable is there yet, or one is
	for i := len(p.variables) - 1; i >= 0; i-- {
		v := p.variables[i]
		value := node{kind: valueNode, variable: v, reserved: p.op.reserved, next: further, not: follows}
		if v.explode || i < len(p.variables)-1 {
			value.not += p.op.separator
		}
		var item int
		if v.explode {
			separator := g.addLiteral(p.op.separator, 0)
			value.next = g.addChoice(separator, further)
			item = g.named(p.op, &value)
			g.nodes[separator].next = item
		} else {
			item = g.named(p.op, &value)
		}
		begin := item
		if p.op.first != "" {
			begin = g.addLiteral(p.op.first, item)
		}
		separated := g.addLiteral(p.op.separator, item)
		if p.standing(v) == repeated {
			first, further = g.addChoice(begin, behind), separated
			continue
		}
		first, further = g.addChoice(begin, first), g.addChoice(separated, further)
	}
	return first
}

// named adds the node of a value, with `name=` before it if the operator has names, and
// returns the node that the value begins with.
func (g *graph) named(op operator, value *node) int {
	at := g.add(value)
	if !op.named {
		return at
	}
	name := escapedLiteral(value.variable.name)
	if op.ifEmpty != "" {
		return g.addLiteral(name+"=", at)
	}
	at = g.addLiteral("=", at) // ;name is an empty value
	empty := g.add(&node{kind: valueNode, variable: value.variable, next: value.next, not: anything})
	return g.addLiteral(name, g.addChoice(at, empty))
}

// anything as the characters that a value does not contain: it is empty.
const anything = "\x00all"

// takes reports whether a value has the character that begins with c.
func (n *node) takes(c byte) bool {
	return n.not != anything && (schema.IsUnreserved(c) || c == '%' || n.reserved && schema.URICharacters[c]) && strings.IndexByte(n.not, c) < 0
}

// A capture is a value that was found for a variable.
type capture struct {
	variable templateVariable
	value    string
}

// match returns what the variables stand for, in the order of the template.
func (g *graph) match(uri string) ([]capture, bool) {
	steps, ok := characters(uri)
	if !ok {
		return nil, false
	}
	matches := g.table(uri, steps)
	if !matches[0].has(g.start) {
		return nil, false
	}
	var found []capture
	for at, place := g.start, 0; ; {
		n := &g.nodes[at]
		switch n.kind {
		case endNode:
			return found, true
		case literalNode:
			place += len(n.literal)
			at = n.next
		case choiceNode:
			if at = n.next; !matches[place].has(at) {
				at = n.instead
			}
		case valueNode:
			end := place
			for p, count := place, 0; ; count++ {
				if matches[p].has(n.next) {
					end = p
				}
				if p == len(uri) || !n.takes(uri[p]) || n.variable.prefix > 0 && count == n.variable.prefix {
					break
				}
				p += int(steps[p])
			}
			value, ok := percentDecode(uri[place:end])
			if !ok {
				return nil, false
			}
			found = append(found, capture{n.variable, value})
			at, place = n.next, end
		}
	}
}

// characters returns the length of the character at each place of a URI where one
// begins: a percent-encoded one is as long as its bytes make it. ok is false if
// they encode no UTF-8.
func characters(uri string) (steps []uint8, ok bool) {
	steps = make([]uint8, len(uri)+1)
	var encoded [utf8.UTFMax]byte
	for i := 0; i < len(uri); {
		n, length := 0, 1
		for uri[i] == '%' && n < utf8.UTFMax && i+3*n+2 < len(uri) && uri[i+3*n] == '%' && schema.IsHex(uri[i+3*n+1]) && schema.IsHex(uri[i+3*n+2]) {
			encoded[n] = schema.Unhex(uri[i+3*n+1])<<4 | schema.Unhex(uri[i+3*n+2])
			if n++; utf8.FullRune(encoded[:n]) {
				break
			}
		}
		if uri[i] == '%' {
			r, size := utf8.DecodeRune(encoded[:n])
			if r == utf8.RuneError && size <= 1 {
				return nil, false
			}
			length = 3 * size
		}
		steps[i] = uint8(length)
		i += length
	}
	return steps, true
}

// table returns for each place of the URI from which nodes on the rest matches.
func (g *graph) table(uri string, steps []uint8) []nodeSet {
	matches := make([]nodeSet, len(uri)+1)
	count := make([]int32, len(uri)+1)     // characters from here to the end
	ends := make([]int32, len(g.nodes))    // of values that begin here, at the latest
	nearest := make([]int32, len(g.nodes)) // the next place where what is behind a value matches
	for i := range ends {
		ends[i], nearest[i] = int32(len(uri)), -1
	}
	for place := len(uri); place >= 0; place-- {
		if place < len(uri) {
			if steps[place] == 0 {
				continue // inside a character
			}
			count[place] = count[place+int(steps[place])] + 1
		}
		here := &matches[place]
		for at := range g.nodes {
			n := &g.nodes[at]
			ok := false
			switch n.kind {
			case endNode:
				ok = place == len(uri)
			case literalNode:
				ok = strings.HasPrefix(uri[place:], n.literal) && matches[place+len(n.literal)].has(n.next)
			case choiceNode:
				ok = here.has(n.next) || here.has(n.instead)
			case valueNode:
				if place < len(uri) && !n.takes(uri[place]) {
					ends[at] = int32(place)
				}
				if here.has(n.next) {
					nearest[at] = int32(place)
				}
				near := nearest[at]
				ok = near >= 0 && near <= ends[at] &&
					(n.variable.prefix == 0 || int(count[place]-count[near]) <= n.variable.prefix)
			}
			if ok {
				here.add(at)
			}
		}
	}
	return matches
}

// variables makes a JSON object of what was found; false: a name that stands twice
// has two values, or one only, since a variable is in all of its places or in none.
func (m *matcher) variables(found []capture) ([]byte, bool) {
	values := emit.JSON("{")
	for i, name := range m.names {
		var texts []string
		isList, isThere, prefix, plain := false, false, 0, 0
		for _, c := range found {
			v := c.variable
			if v.name == name && !v.explode {
				plain++
			}
			switch {
			case v.name != name:
			case v.explode:
				texts, isList, isThere = append(texts, c.value), true, true
			case !isThere:
				texts, prefix, isThere = []string{c.value}, v.prefix, true
			case v.prefix > 0 && (prefix == 0 || v.prefix <= prefix):
				if firstRunes(texts[0], v.prefix) != c.value {
					return nil, false
				}
			case firstRunes(c.value, prefix) != texts[0] && prefix > 0, prefix == 0 && c.value != texts[0]:
				return nil, false
			default:
				texts, prefix = []string{c.value}, v.prefix
			}
		}
		if isThere && plain != m.places[i] {
			return nil, false
		}
		switch {
		case isList:
			values.Name(name)
			for i, text := range texts {
				values.Text(emit.Separator(i))
				values.Quote(text)
			}
			values.Text("]")
		case isThere:
			values.Name(name)
			values.Quote(texts[0])
		}
	}
	values.Text("}")
	return values, true
}
