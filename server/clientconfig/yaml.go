package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"
)

// yamlFormat is YAML in block style. A server is the first child of the parent.
type yamlFormat struct{}

// parseYAML returns the root of the only document, or nil if that has no content.
func parseYAML(text []byte) (root *yaml.Node, err error) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	var document, second yaml.Node
	if err = d.Decode(&document); errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err == nil {
		if err = d.Decode(&second); err == nil {
			return nil, &notEditableError{"the file has several documents"}
		}
	}
	if !errors.Is(err, io.EOF) {
		reported := &SyntaxError{Line: 1, Reason: strings.TrimPrefix(err.Error(), "yaml: ")}
		if load := (*yaml.LoadError)(nil); errors.As(err, &load) {
			reported.Line, reported.Column, reported.Reason = max(load.Mark.Line, 1), load.Mark.Column, load.Message
		}
		return nil, reported
	}
	root = document.Content[0]
	if root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" {
		return nil, nil
	}
	return root, nil
}

// child returns the index of a key in the content of a mapping, or -1.
func child(mapping *yaml.Node, name string) (int, error) {
	found := -1
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if key := mapping.Content[i]; key.Kind != yaml.ScalarNode || key.Value != name {
			continue
		}
		if found >= 0 {
			return 0, &notEditableError{fmt.Sprintf("there are two keys %q", name)}
		}
		found = i
	}
	return found, nil
}

// A yamlLocation is where a place is in a document; indexes are -1 if it is not there.
type yamlLocation struct {
	root, parent *yaml.Node
	at, index    int // of the keys
}

// locateYAML finds a place. Root and parent must be mappings in block style.
func locateYAML(text []byte, p place) (l yamlLocation, err error) {
	l.at, l.index = -1, -1
	if l.root, err = parseYAML(text); err != nil || l.root == nil {
		return l, err
	}
	if l.root.Kind != yaml.MappingNode {
		return l, &notEditableError{"the document is not a map"}
	}
	if l.at, err = child(l.root, p.parent); err != nil || l.at < 0 {
		return l, err
	}
	l.parent = l.root.Content[l.at+1]
	if l.parent.Kind != yaml.MappingNode {
		return l, &notEditableError{fmt.Sprintf("%s is not a map", p.parent)}
	}
	l.index, err = child(l.parent, p.name)
	return l, err
}

func (yamlFormat) find(text []byte, p place) (any, error) {
	l, err := locateYAML(text, p)
	if err != nil || l.index < 0 {
		return nil, err
	}
	var value any
	if err := l.parent.Content[l.index+1].Decode(&value); err != nil {
		return nil, &notEditableError{fmt.Sprintf("%s in %s cannot be read", p.name, p.parent)}
	}
	if value == nil { // null: present, and equal to no entry
		return struct{}{}, nil
	}
	return value, nil
}

func (f yamlFormat) set(text []byte, p placement) ([]byte, error) {
	l, err := locateYAML(text, p.place)
	if err != nil {
		return nil, err
	}
	lines, err := yamlLines(text)
	if err != nil {
		return nil, err
	}
	newline := lineBreak(text)
	if l.parent == nil { // a new parent, at the end
		indent := ""
		if l.root != nil {
			if l.root.Style&yaml.FlowStyle != 0 {
				return nil, &notEditableError{"the document is in flow style"}
			}
			indent = strings.Repeat(" ", l.root.Content[0].Column-1)
		}
		if len(text) > 0 && text[len(text)-1] != '\n' {
			indent = newline + indent
		}
		added := indent + p.parent + ":" + newline + p.lines(strings.TrimPrefix(indent, newline)+"  ", "  ", newline)
		return append(bytes.Clone(text), added...), nil
	}
	key := l.root.Content[l.at]
	if l.parent.Style&yaml.FlowStyle != 0 || len(l.parent.Content) == 0 || l.parent.Content[0].Line <= key.Line {
		return nil, &notEditableError{fmt.Sprintf("%s is in flow style", p.parent)}
	}
	first := l.parent.Content[0]
	unit := strings.Repeat(" ", max(first.Column-key.Column, 2))
	own := p.lines(strings.Repeat(" ", first.Column-1), unit, newline)
	if l.index >= 0 {
		start, end, err := lines.entry(text, l)
		if err != nil {
			return nil, err
		}
		if end == len(text) && text[end-1] != '\n' {
			own = strings.TrimSuffix(own, newline)
		}
		return replaced(text, start, end, own), nil
	}
	return inserted(text, lines.start(key.Line+1), own), nil
}

func (yamlFormat) remove(text []byte, p place) ([]byte, error) {
	l, err := locateYAML(text, p)
	if err != nil || l.index < 0 {
		return text, err
	}
	lines, err := yamlLines(text)
	if err != nil {
		return nil, err
	}
	start, end, err := lines.entry(text, l)
	if err != nil {
		return nil, err
	}
	if len(l.parent.Content) == 2 { // a parent without children would be null
		parent := lines.start(l.root.Content[l.at].Line)
		if bytes.ContainsRune(text[parent:start], '#') {
			return nil, &notEditableError{fmt.Sprintf("a comment at %s would be removed", p.parent)}
		}
		start = parent
	}
	return replaced(text, start, end, ""), nil
}

// lineOffsets are the offsets of the lines of a text, and of its end.
type lineOffsets []int

// yamlLines returns the lines of text. Line breaks other than LF and CRLF, which YAML
// knows in addition, are an error.
func yamlLines(text []byte) (lineOffsets, error) {
	for _, other := range []string{"\u0085", "\u2028", "\u2029"} {
		if bytes.Contains(text, []byte(other)) {
			return nil, &notEditableError{"the file has unusual line breaks"}
		}
	}
	if bytes.Count(text, []byte("\r")) != bytes.Count(text, []byte("\r\n")) {
		return nil, &notEditableError{"the file has unusual line breaks"}
	}
	lines := lineOffsets{0}
	for i, c := range text {
		if c == '\n' {
			lines = append(lines, i+1)
		}
	}
	return append(lines, len(text)), nil
}

// start returns the offset of a line, counted from 1.
func (l lineOffsets) start(line int) int { return l[min(line-1, len(l)-1)] }

// entry returns the lines of the child that l has found. Comments and blank lines after
// it belong to what follows.
func (lines lineOffsets) entry(text []byte, l yamlLocation) (start, end int, err error) {
	key := l.parent.Content[l.index]
	start, end = lines.start(key.Line), len(text)
	if l.parent.Style&yaml.FlowStyle != 0 || len(bytes.Trim(text[start:start+min(key.Column-1, len(text)-start)], " ")) > 0 {
		return 0, 0, &notEditableError{fmt.Sprintf("%s is in flow style, or not on a line of its own", key.Value)}
	}
	if l.index+2 < len(l.parent.Content) {
		end = lines.start(l.parent.Content[l.index+2].Line)
	} else if l.at+2 < len(l.root.Content) {
		end = lines.start(l.root.Content[l.at+2].Line)
	}
	trimmed := trimmedEnd(text, start, end)
	if isBlockScalar(lastLeaf(l.parent.Content[l.index+1])) { // it may contain lines that look like comments
		for line := range bytes.Lines(text[trimmed:end]) {
			if deeper := len(line) - len(bytes.TrimLeft(line, " ")); deeper < key.Column || len(bytes.TrimSpace(line)) == 0 {
				break
			}
			trimmed += len(line)
		}
	}
	return start, trimmed, nil
}

// lastLeaf returns the scalar at the end of a value.
func lastLeaf(n *yaml.Node) *yaml.Node {
	for len(n.Content) > 0 {
		n = n.Content[len(n.Content)-1]
	}
	return n
}

func isBlockScalar(n *yaml.Node) bool { return n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 }

func (yamlFormat) same(before, after []byte, all []place) bool {
	a, errA := parseYAML(before)
	b, errB := parseYAML(after)
	if errA != nil || errB != nil {
		return false
	}
	roots := [2]*yaml.Node{a, b}
	for i, root := range roots {
		if root == nil {
			roots[i] = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		}
	}
	for _, p := range all {
		var at [2]int
		for i, root := range roots {
			at[i] = -1
			if root.Kind != yaml.MappingNode {
				continue
			}
			var err error
			if at[i], err = child(root, p.parent); err != nil {
				return false
			}
			if at[i] < 0 {
				continue
			}
			parent := root.Content[at[i]+1]
			own, err := child(parent, p.name)
			if err != nil {
				return false
			}
			if own >= 0 && parent.Kind == yaml.MappingNode {
				parent.Content = append(parent.Content[:own:own], parent.Content[own+2:]...)
			}
		}
		for i, root := range roots {
			if at[i] >= 0 && at[1-i] < 0 && len(root.Content[at[i]+1].Content) == 0 {
				root.Content = append(root.Content[:at[i]:at[i]], root.Content[at[i]+2:]...)
			}
		}
	}
	return equalYAML(roots[0], roots[1])
}

// equalYAML compares values, tags, anchors and order, without comments and style.
func equalYAML(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.ShortTag() != b.ShortTag() || a.Value != b.Value || a.Anchor != b.Anchor || len(a.Content) != len(b.Content) {
		return false
	}
	for i := range a.Content {
		if !equalYAML(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}
