package jsonrpc

import "bytes"

// A Scanner steps through the members of a JSON object. It is meant for text that
// has been accepted as JSON before, as a part of a message by [Parse] or because
// the platform wrote it: it finds its way by brackets and quotes and checks no
// more than it needs for that, at a fraction of a decoder's cost. Other text
// does no harm: it ends the scan with an error.
type Scanner struct {
	Name  []byte // of the present member, unescaped
	Value []byte // its JSON text; shares memory with the object

	text   []byte
	at     int
	isPart bool // more may follow the object
	ended  bool
	bad    bool
}

// Scan returns a Scanner of object, before its first member.
func Scan(object []byte) Scanner {
	s := Scanner{text: object}
	s.bad = !s.take('{')
	return s
}

// Next advances to the next member. It returns false at the end.
func (s *Scanner) Next() bool {
	if s.bad || s.ended {
		return false
	}
	if s.take('}') {
		s.ended = true
		s.bad = !s.isPart && s.rest()
		return false
	}
	if s.Name != nil && !s.take(',') {
		s.bad = true
		return false
	}
	name := s.value()
	if len(name) < 2 || name[0] != '"' || !s.take(':') {
		s.bad = true
		return false
	}
	s.Name = nameOf(name)
	s.Value = s.value()
	s.bad = len(s.Value) == 0
	return !s.bad
}

// nameOf returns the name of a member, which stands in quotation marks.
func nameOf(quoted []byte) []byte {
	name := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		return []byte(unquote(quoted))
	}
	return name
}

// Err returns, after Next has returned false, an error if the text was no object.
func (s *Scanner) Err() *Error {
	if s.bad {
		return &Error{Code: CodeParse, Message: "not valid JSON"}
	}
	return nil
}

// Members calls each for every member of object, as a [Scanner] finds them, and
// stops at an error of each.
func Members(object []byte, each func(name string, value []byte) *Error) *Error {
	s := Scan(object)
	for s.Next() {
		if err := each(string(s.Name), s.Value); err != nil {
			return err
		}
	}
	return s.Err()
}

// Member returns a member of object as a [Scanner] finds it, or nil if there is none
// or object is nil. It shares memory with object, and looks no further: [Parse] refuses names that occur twice.
func Member(object []byte, name string) []byte {
	s := Scan(object)
	for s.Next() {
		if string(s.Name) == name {
			return s.Value
		}
	}
	return nil
}

// Elements splits a JSON array into its elements, as a [Scanner] would: they
// share memory with it, and are to be parsed unless they have been. It returns
// false if data is no array.
func Elements(data []byte) ([][]byte, bool) {
	s := Scanner{text: data}
	if !s.take('[') {
		return nil, false
	}
	elements := [][]byte{}
	for !s.take(']') {
		if len(elements) > 0 && !s.take(',') {
			return nil, false
		}
		element := s.value()
		if len(element) == 0 {
			return nil, false
		}
		elements = append(elements, element)
	}
	return elements, !s.rest()
}

// EachObject calls each with a [Scanner] of every element of a JSON array of objects, in one pass over its text, until one
// returns an error. It returns false if array is none.
func EachObject(array []byte, each func(object *Scanner) error) (ok bool, err error) {
	s := Scanner{text: array}
	if !s.take('[') {
		return false, nil
	}
	for i := 0; !s.take(']'); i++ {
		if i > 0 && !s.take(',') {
			return false, nil
		}
		object := Scanner{text: s.text[s.at:], isPart: true}
		object.bad = !object.take('{')
		if err := each(&object); err != nil {
			return true, err
		}
		for object.Next() {
		}
		if object.bad {
			return false, nil
		}
		s.at += object.at
	}
	return !s.rest(), nil
}

// take skips white space, and c if it follows.
func (s *Scanner) take(c byte) bool {
	s.space()
	if s.at < len(s.text) && s.text[s.at] == c {
		s.at++
		return true
	}
	return false
}

func (s *Scanner) space() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

// rest reports whether anything but white space is left.
func (s *Scanner) rest() bool {
	s.space()
	return s.at < len(s.text)
}

// value skips a value and returns its text; none if there is none.
func (s *Scanner) value() []byte {
	s.space()
	rest := s.text[s.at:]
	if len(rest) == 0 {
		return nil
	}
	length := 0
	switch rest[0] {
	case '"':
		length = StringLength(rest)
	case '{', '[':
		length = nestedLength(rest)
	default: // a number, true, false, null
		for length < len(rest) && !endsLiteral(rest[length]) {
			length++
		}
	}
	s.at += length
	return rest[:length:length]
}

// StringLength returns how long the JSON string at the beginning of text is, in
// bytes with its quotation marks, or 0 if it has no end.
func StringLength(text []byte) int {
	for at := 1; at < len(text); at++ {
		quote := bytes.IndexByte(text[at:], '"') // many bytes at a time
		if quote < 0 {
			return 0
		}
		at += quote
		backslashes := 0
		for text[at-1-backslashes] == '\\' { // ends at the latest with the first quotation mark
			backslashes++
		}
		if backslashes%2 == 0 {
			return at + 1
		}
	}
	return 0
}

// nestedLength does the same for an object or array.
func nestedLength(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			n := StringLength(text[i:])
			if n == 0 {
				return 0
			}
			i += n - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

func endsLiteral(c byte) bool {
	switch c {
	case ',', ':', '}', ']', ' ', '\t', '\r', '\n':
		return true
	}
	return false
}
