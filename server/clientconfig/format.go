package clientconfig

import (
	"bytes"
	"fmt"
)

// A format edits text of one syntax. Texts have no byte order mark. Methods return a
// [SyntaxError] if the text does not parse, and a notEditableError if the edit needs more
// than splicing.
type format interface {
	// find returns the value at p, like package encoding/json decodes it, or nil.
	find(text []byte, p place) (any, error)

	// set adds the value, or replaces the present one.
	set(text []byte, p placement) ([]byte, error)

	// remove removes the value at p, which find returns.
	remove(text []byte, p place) ([]byte, error)

	// same reports whether two texts are deeply equal except for what is at places.
	same(before, after []byte, places []place) bool

	// comments counts the comments of a text, and entry returns the part of a text that
	// is the value at p with its name.
	comments(text []byte) map[string]int
	entry(text []byte, p place) []byte

	// snippet returns a text that contains only p.
	snippet(p placement) string
}

// A SyntaxError reports that a file does not parse. Such files are not changed.
type SyntaxError struct {
	Path         string
	Line, Column int // from 1; the column counts bytes, and is 0 if unknown
	Reason       string
}

// Error implements error.
func (e *SyntaxError) Error() string {
	at := fmt.Sprintf("line %d, column %d", e.Line, e.Column)
	if e.Column == 0 {
		at = fmt.Sprintf("line %d", e.Line)
	}
	return fmt.Sprintf("%s does not parse: %s: %s; the file was not changed: correct it, then try again", e.Path, at, e.Reason)
}

// A notEditableError is why a text cannot be edited by splicing.
type notEditableError struct{ reason string }

func (e *notEditableError) Error() string { return e.reason }

var errNotVerified = &notEditableError{"the result would change more than this entry"}

// byteOrderMark is what some editors of Windows write first.
var byteOrderMark = []byte("\ufeff")

// checkEncoding rejects UTF-16, in which some editors of Windows save files.
func checkEncoding(text []byte) error {
	if bytes.HasPrefix(text, []byte{0xff, 0xfe}) || bytes.HasPrefix(text, []byte{0xfe, 0xff}) {
		return &SyntaxError{Line: 1, Column: 1, Reason: "the file is encoded as UTF-16: save it as UTF-8"}
	}
	return nil
}

// lineBreak returns the line break of a text, that of its first line.
func lineBreak(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// An edit is the result of adding or removing an entry.
type edit struct {
	after   []byte
	present bool // there was a value
	equal   bool // it was the one to add
}

// install adds all placements to text.
func install(f format, text []byte, all []placement) (edit, error) {
	return splice(text, func(body []byte) (e edit, err error) {
		e.after, e.equal = body, true
		for i, p := range all {
			value, err := f.find(e.after, p.place)
			if err != nil {
				return e, err
			}
			if i == 0 {
				e.present = value != nil
			}
			if value != nil && equalValues(value, p.value) {
				continue
			}
			e.equal = false
			if e.after, err = f.set(e.after, p); err != nil {
				return e, err
			}
		}
		for _, p := range all {
			if value, err := f.find(e.after, p.place); err != nil || !equalValues(value, p.value) {
				return e, errNotVerified
			}
		}
		if !f.same(body, e.after, places(all)) || !keepsComments(f, body, e.after, places(all)) {
			return e, errNotVerified
		}
		return e, nil
	})
}

// uninstall removes what is at places from text.
func uninstall(f format, text []byte, all []place) (edit, error) {
	return splice(text, func(body []byte) (e edit, err error) {
		e.after = body
		for _, p := range all {
			value, err := f.find(e.after, p)
			if err != nil {
				return e, err
			}
			if value == nil {
				continue
			}
			e.present = true
			if e.after, err = f.remove(e.after, p); err != nil {
				return e, err
			}
			if value, err := f.find(e.after, p); err != nil || value != nil {
				return e, errNotVerified
			}
		}
		if !f.same(body, e.after, all) || !keepsComments(f, body, e.after, all) {
			return e, errNotVerified
		}
		return e, nil
	})
}

// splice calls do with text without its byte order mark.
func splice(text []byte, do func([]byte) (edit, error)) (edit, error) {
	if err := checkEncoding(text); err != nil {
		return edit{}, err
	}
	body, marked := bytes.CutPrefix(text, byteOrderMark)
	e, err := do(body)
	if err == nil && marked {
		e.after = append(bytes.Clone(byteOrderMark), e.after...)
	}
	return e, err
}

func places(all []placement) []place {
	var at []place
	for _, p := range all {
		at = append(at, p.place)
	}
	return at
}

// inserted returns text with insert at an offset, in new memory.
func inserted(text []byte, at int, insert string) []byte { return replaced(text, at, at, insert) }

// replaced returns text with text[start:end] replaced, in new memory.
func replaced(text []byte, start, end int, by string) []byte {
	return bytes.Join([][]byte{text[:start], []byte(by), text[end:]}, nil)
}
