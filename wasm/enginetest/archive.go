package enginetest

import (
	"os"
	"strings"
	"testing"
)

// An archive is a text file of named sections: a comment, and then sections that each
// begin with a line "-- name --". Format:
// https://pkg.go.dev/golang.org/x/tools/txtar, whose module would be a dependency.
type archive struct {
	comment  string
	sections []section
}

type section struct{ name, text string }

func readArchive(t *testing.T, file string) *archive {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	a := &archive{}
	into := &a.comment
	for line := range strings.Lines(string(text)) {
		name, isName := strings.CutPrefix(strings.TrimRight(line, "\n"), "-- ")
		if name, ok := strings.CutSuffix(name, " --"); isName && ok {
			a.sections = append(a.sections, section{name: name})
			into = &a.sections[len(a.sections)-1].text
			continue
		}
		*into += line
	}
	return a
}

// section returns the text of one, or nil.
func (a *archive) section(name string) []byte {
	for _, s := range a.sections {
		if s.name == name {
			return []byte(s.text)
		}
	}
	return nil
}

// write replaces the text of a section and writes the archive to a file.
func (a *archive) write(t *testing.T, file, name, text string) {
	t.Helper()
	var whole strings.Builder
	whole.WriteString(a.comment)
	for _, s := range a.sections {
		if s.name == name {
			s.text = text
		}
		whole.WriteString("-- " + s.name + " --\n" + s.text)
	}
	if err := os.WriteFile(file, []byte(whole.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
