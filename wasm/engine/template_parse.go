package engine

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pagemcp/pagemcp/wasm/internal/schema"
)

// An expression is what stands between braces: an operator and variables.
type expression struct {
	operator
	variables []variable
}

// A variable is one of an expression. RFC 6570, section 2.3.
type variable struct {
	name    string
	key     string // the name as it stands in a canonical URI
	prefix  int    // {name:prefix}, characters; 0: none
	explode bool
}

// An operator of RFC 6570, appendix A.
type operator struct {
	first, separator string
	named            bool
	ifEmpty          string
	reserved         bool // characters that stand for themselves beyond the unreserved
}

// operatorOf returns the operator that c stands for, or that of a plain {name}.
func operatorOf(c byte) (op operator, known bool) {
	switch c {
	case '+':
		return operator{"", ",", false, "", true}, true
	case '#':
		return operator{"#", ",", false, "", true}, true
	case '.':
		return operator{".", ".", false, "", false}, true
	case '/':
		return operator{"/", "/", false, "", false}, true
	case ';':
		return operator{";", ";", true, "", false}, true
	case '?':
		return operator{"?", "&", true, "=", false}, true
	case '&':
		return operator{"&", "&", true, "=", false}, true
	}
	return operator{"", ",", false, "", false}, false
}

// parseTemplate reads a template by the grammar of RFC 6570, section 2: the texts around
// the expressions, and these. The error says what is wrong with it.
func parseTemplate(template string) (literals []string, expressions []expression, err error) {
	if !utf8.ValidString(template) {
		return nil, nil, errors.New("it is not UTF-8")
	}
	for {
		literal, behind, more := strings.Cut(template, "{")
		if err := checkLiteral(literal); err != nil {
			return nil, nil, err
		}
		literals = append(literals, literal)
		if !more {
			return literals, expressions, nil
		}
		text, rest, closed := strings.Cut(behind, "}")
		if !closed {
			return nil, nil, errors.New("an expression has no end")
		}
		x, err := parseExpression(text)
		if err != nil {
			return nil, nil, err
		}
		expressions, template = append(expressions, x), rest
	}
}

// checkLiteral: RFC 6570, section 2.1, and the apostrophe of its erratum 6937.
func checkLiteral(literal string) error {
	for i := 0; i < len(literal); i++ {
		switch c := literal[i]; {
		case c == '%' && (i+2 >= len(literal) || !schema.IsHex(literal[i+1]) || !schema.IsHex(literal[i+2])):
			return errors.New("it has a percent sign that encodes nothing")
		case c <= ' ' || c == 0x7f || strings.IndexByte("\"<>\\^`|}", c) >= 0:
			return errors.New("it has a character that a literal must percent-encode")
		}
	}
	return nil
}

// parseExpression reads what stands between the braces.
func parseExpression(text string) (x expression, err error) {
	if text == "" {
		return x, errors.New("an expression is empty")
	}
	var known bool
	if x.operator, known = operatorOf(text[0]); known {
		text = text[1:]
	}
	for spec := range strings.SplitSeq(text, ",") {
		v := variable{name: spec}
		if name, ok := strings.CutSuffix(spec, "*"); ok {
			v.name, v.explode = name, true
		} else if name, length, ok := strings.Cut(spec, ":"); ok {
			v.name = name
			v.prefix, _ = strconv.Atoi(length)
			if v.prefix < 1 || v.prefix > 9999 || !schema.IsDigit(length[0]) || length[0] == '0' {
				return x, errors.New("the length of a prefix is not a number from 1 to 9999")
			}
		}
		if !validVariable(v.name) {
			return x, errors.New("an expression has a variable whose name is not one")
		}
		v.key = schema.CanonicalText(v.name)
		x.variables = append(x.variables, v)
	}
	return x, nil
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
