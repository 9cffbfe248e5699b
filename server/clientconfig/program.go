package clientconfig

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pagemcp/pagemcp/server/internal/files"
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

// ProgramCopy returns the path of the copy of program below the state directory.
func ProgramCopy(state, program string) string {
	name := "pagemcp"
	if strings.HasSuffix(strings.ToLower(program), ".exe") {
		name += ".exe"
	}
	return filepath.Join(state, "bin", name)
}

// CopyProgram copies a program to path, with mode 0700, for the user alone. It does
// nothing if the copy is equal.
func CopyProgram(program, path string) error {
	text, err := os.ReadFile(program)
	if err != nil {
		return fmt.Errorf("copy the program: %w", err)
	}
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, text) {
		return os.Chmod(path, 0o700)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("copy the program: %w", err)
	}
	if err := files.Replace(path, text, "", nil); err != nil {
		return fmt.Errorf("copy the program to %s, which may be running: %w", path, err)
	}
	return os.Chmod(path, 0o700)
}

// RemoveProgram removes the copy and its directory, if that is empty.
func RemoveProgram(path string) error {
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("remove the copy of the program: %w", err)
	}
	os.Remove(filepath.Dir(path)) // fails if something else is in it
	return nil
}
