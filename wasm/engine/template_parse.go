package engine

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/pagemcp/pagemcp/wasm/internal/schema"
)

// A templatePart is an expression of a template and the literal text before it;
// the last part has no expression.
type templatePart struct {
	literal   string // as it stands in the template
	isExpr    bool
	op        operator
	variables []templateVariable
}

// A templateVariable is one variable of an expression. RFC 6570, section 2.3.
type templateVariable struct {
	name    string
	prefix  int // {name:prefix}, characters; 0: none
	explode bool
}

// parseTemplate reads a template by the grammar of RFC 6570, section 2. The error
// says what is wrong with it.
func parseTemplate(template string) (parts []templatePart, err error) {
	if !utf8.ValidString(template) {
		return nil, errors.New("it is not UTF-8")
	}
	for {
		literal, behind, more := strings.Cut(template, "{")
		if err := checkLiteral(literal); err != nil {
			return nil, err
		}
		part := templatePart{literal: literal, isExpr: more}
		if !more {
			return append(parts, part), nil
		}
		expression, rest, closed := strings.Cut(behind, "}")
		if !closed {
			return nil, errors.New("an expression has no end")
		}
		if err := part.parse(expression); err != nil {
			return nil, err
		}
		parts = append(parts, part)
		template = rest
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

// parse reads what stands between the braces.
func (p *templatePart) parse(expression string) error {
	if expression == "" {
		return errors.New("an expression is empty")
	}
	op, known := operatorOf(expression[0])
	if known {
		expression = expression[1:]
	}
	p.op = op
	for spec := range strings.SplitSeq(expression, ",") {
		v := templateVariable{name: spec}
		if name, ok := strings.CutSuffix(spec, "*"); ok {
			v.name, v.explode = name, true
		} else if name, length, ok := strings.Cut(spec, ":"); ok {
			for _, c := range []byte(length) {
				if !schema.IsDigit(c) || len(length) > 4 {
					return errors.New("the length of a prefix is not a number from 1 to 9999")
				}
				v.prefix = v.prefix*10 + int(c-'0')
			}
			if v.prefix == 0 || length[0] == '0' {
				return errors.New("the length of a prefix is not a number from 1 to 9999")
			}
			v.name = name
		}
		if !validVariable(v.name) {
			return errors.New("an expression has a variable whose name is not one")
		}
		p.variables = append(p.variables, v)
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

// escapedLiteral returns how literal text stands in a canonical URI.
func escapedLiteral(literal string) string {
	var text strings.Builder
	appendEscaped(&text, literal, true)
	return schema.CanonicalText(text.String())
}

// canonicalTemplate returns a template with its literals in the form in which URIs are compared.
func canonicalTemplate(template string) string {
	var form strings.Builder
	for template = lowerScheme(template); template != ""; {
		literal, rest, isExpr := strings.Cut(template, "{")
		form.WriteString(escapedLiteral(literal))
		if !isExpr {
			break
		}
		expression, behind, _ := strings.Cut(rest, "}")
		form.WriteString("{" + expression + "}")
		template = behind
	}
	return form.String()
}
