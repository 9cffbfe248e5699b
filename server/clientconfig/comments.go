package clientconfig

import "bytes"

// keepsComments reports whether all comments of before are in after, except for those of the
// entries at places. It does not depend on how the edit was made.
func keepsComments(f format, before, after []byte, all []place) bool {
	lost := f.comments(before)
	for comment, count := range f.comments(after) {
		lost[comment] -= count
	}
	for _, p := range all {
		for comment, count := range f.comments(f.entry(before, p)) {
			lost[comment] -= count
		}
	}
	for _, count := range lost {
		if count > 0 {
			return false
		}
	}
	return true
}

// comments counts the comments of text by their text.
func (jsonFormat) comments(text []byte) map[string]int {
	found := map[string]int{}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '/':
			if end := commentEnd(text[i:]); end > 0 {
				found[string(bytes.TrimSpace(text[i:i+end]))]++
				i += end - 1
			}
		}
	}
	return found
}

func (yamlFormat) comments(text []byte) map[string]int { return hashComments(text) }
func (tomlFormat) comments(text []byte) map[string]int { return hashComments(text) }

// hashComments also counts what looks like a comment in a string.
func hashComments(text []byte) map[string]int {
	found := map[string]int{}
	for line := range bytes.Lines(text) {
		for at, c := range line {
			if c == '#' && (at == 0 || bytes.IndexByte([]byte(" \t\"']}"), line[at-1]) >= 0) {
				found[string(bytes.TrimSpace(line[at:]))]++
				break
			}
		}
	}
	return found
}

// entry returns the part of a text that is the entry at p, or nil.
func (jsonFormat) entry(text []byte, p place) []byte {
	document, err := parseJSON(text)
	if err != nil {
		return nil
	}
	l, err := locateJSON(document, p)
	if err != nil || l.index < 0 {
		return nil
	}
	item := sequenceOf(text, *l.parent).items[l.index]
	return text[item.start:item.end]
}

func (yamlFormat) entry(text []byte, p place) []byte {
	l, err := locateYAML(text, p)
	if err != nil || l.index < 0 {
		return nil
	}
	lines, err := yamlLines(text)
	if err != nil {
		return nil
	}
	start, end, err := lines.entry(text, l)
	if err != nil {
		return nil
	}
	return text[start:end]
}

func (tomlFormat) entry(text []byte, p place) (all []byte) {
	found, _ := cuts(text, p)
	for _, c := range found {
		all = append(all, text[c.start:c.end]...)
	}
	return all
}
