package engine

import (
	"fmt"
	"strings"

	"github.com/pagemcp/pagemcp/wasm/internal/schema"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Expand returns the URI that a template and the values of its variables stand
// for, by RFC 6570, all four levels. variables is a JSON object; a value is a
// string, a number, an array or object of these, or null, which counts as
// absent. The error describes what is wrong with the template or a value.
func Expand(template string, variables []byte) (string, error) {
	literals, expressions, err := parseTemplate(template)
	if err != nil {
		return "", jsonrpc.Wrap("template "+jsonrpc.Quoted(template)+" is not one by RFC 6570", err)
	}
	values := map[string]expandable{}
	refusal := jsonrpc.Members(variables, func(name string, value []byte) *jsonrpc.Error {
		v, ok := readExpandable(value)
		if !ok {
			return &jsonrpc.Error{Message: "the value of " + jsonrpc.Brief(name) + " is neither text nor a list nor an object of texts"}
		}
		values[name] = v
		return nil
	})
	if refusal != nil {
		return "", refusal
	}
	var out strings.Builder
	for i, literal := range literals {
		appendEscaped(&out, literal, true)
		if i < len(expressions) {
			expressions[i].expand(&out, values)
		}
	}
	return out.String(), nil
}

// An expandable is a value: texts of one, or of a list; or pairs of an object.
type expandable struct {
	isText bool
	texts  []string
	names  []string // of the texts, if it is an object
}

func readExpandable(value []byte) (v expandable, ok bool) {
	if elements, isArray := jsonrpc.Elements(value); isArray {
		for _, element := range elements {
			text, isText := scalar(element)
			if !isText {
				return v, false
			}
			v.texts = append(v.texts, text)
		}
		return v, true
	}
	if value[0] == '{' {
		refusal := jsonrpc.Members(value, func(name string, member []byte) *jsonrpc.Error {
			text, isText := scalar(member)
			if !isText {
				return &jsonrpc.Error{Message: "not valid"}
			}
			v.names, v.texts = append(v.names, name), append(v.texts, text)
			return nil
		})
		return v, refusal == nil
	}
	if string(value) == "null" {
		return v, true // without texts: absent
	}
	text, isText := scalar(value)
	return expandable{isText: true, texts: []string{text}}, isText
}

// scalar returns a string, or the text of a number or boolean.
func scalar(value []byte) (string, bool) {
	if value[0] == '"' {
		return jsonrpc.Text(value)
	}
	return string(value), value[0] != '{' && value[0] != '[' && value[0] != 'n'
}

func (x *expression) expand(out *strings.Builder, values map[string]expandable) {
	op := x.operator
	separator := op.first
	for _, variable := range x.variables {
		name := variable.name
		v := values[name]
		if len(v.texts) == 0 {
			continue
		}
		out.WriteString(separator)
		separator = op.separator
		if variable.explode && !v.isText {
			expandExploded(out, op, name, v)
			continue
		}
		if op.named {
			appendEscaped(out, name, true)
			if v.isText && v.texts[0] == "" {
				out.WriteString(op.ifEmpty)
				continue
			}
			out.WriteByte('=')
		}
		for i, text := range v.texts {
			if i > 0 {
				out.WriteByte(',')
			}
			if v.names != nil {
				appendEscaped(out, v.names[i], op.reserved)
				out.WriteByte(',')
			}
			if variable.prefix > 0 && v.isText {
				text = firstRunes(text, variable.prefix)
			}
			appendEscaped(out, text, op.reserved)
		}
	}
}

func expandExploded(out *strings.Builder, op operator, name string, v expandable) {
	for i, text := range v.texts {
		if i > 0 {
			out.WriteString(op.separator)
		}
		switch {
		case v.names != nil:
			appendEscaped(out, v.names[i], op.reserved)
		case op.named:
			appendEscaped(out, name, true)
		}
		switch {
		case v.names != nil && !op.named, (v.names != nil || op.named) && text != "":
			out.WriteByte('=')
		case op.named:
			out.WriteString(op.ifEmpty)
		}
		appendEscaped(out, text, op.reserved)
	}
}

// appendEscaped percent-encodes the bytes of what does not stand for itself.
// reserved: reserved characters do, and so does what is percent-encoded already.
func appendEscaped(out *strings.Builder, text string, reserved bool) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	for i := 0; i < len(text); i++ {
		c := text[i]
		encoded := c == '%' && i+2 < len(text) && schema.IsHex(text[i+1]) && schema.IsHex(text[i+2])
		if schema.IsUnreserved(c) || reserved && (schema.URICharacters[c] || encoded) {
			out.WriteByte(c)
			continue
		}
		fmt.Fprintf(out, "%%%02X", c)
	}
}
