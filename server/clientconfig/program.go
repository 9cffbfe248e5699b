package clientconfig

import (
	"strings"
)

// IsTemporary reports whether the program at path will vanish or move: packages that npx
// has fetched, packages of a project, and programs of `go run`.
func IsTemporary(path string) bool {
	for element := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == '\\' }) {
		if element == "node_modules" || element == "_npx" || strings.HasPrefix(element, "go-build") {
			return true
		}
	}
	return false
}
