package clientconfig

import (
	"fmt"
	"regexp"
	"strings"
)

func (yamlFormat) snippet(p placement) string { return p.parent + ":\n" + p.lines("  ", "  ", "\n") }

// lines returns the server as child of a block map.
func (p placement) lines(indent, unit, newline string) string {
	return indent + p.name + ":" + newline + yamlLinesOf(p.value, indent+unit, unit, newline)
}

func yamlLinesOf(o object, indent, unit, newline string) string {
	var text strings.Builder
	for _, m := range o {
		text.WriteString(indent + m.key + ":")
		switch v := m.value.(type) {
		case object:
			text.WriteString(newline + yamlLinesOf(v, indent+unit, unit, newline))
			continue
		case []string:
			for _, one := range v {
				text.WriteString(newline + indent + unit + "- " + yamlScalar(one))
			}
			if len(v) == 0 {
				text.WriteString(" []")
			}
		default:
			text.WriteString(" " + yamlScalar(m.value))
		}
		text.WriteString(newline)
	}
	return text.String()
}

// yamlScalar returns a scalar, in double quotes unless it is clearly a string.
func yamlScalar(value any) string {
	s, ok := value.(string)
	if !ok {
		return fmt.Sprint(value) // bool, int
	}
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "y", "n", "null":
		return quoted(s)
	}
	if regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9_/.-]*$`).MatchString(s) {
		return s
	}
	var text strings.Builder
	for _, r := range quoted(s) { // JSON, with those characters escaped that are not printable in YAML
		if r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' || r == '\ufeff' {
			fmt.Fprintf(&text, `\u%04X`, r)
		} else {
			text.WriteRune(r)
		}
	}
	return text.String()
}
