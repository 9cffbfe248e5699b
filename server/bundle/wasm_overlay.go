package bundle

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// overlays are the files of the standard library for which engine.wasm has another one, with
// the same names exported: a change of their API fails the build.
var overlays = map[string]string{
	"src/internal/godebug/godebug.go": "wasm/internal/godebug/godebug.go",
}

// writeOverlay writes the file for -overlay of the go command to dir, and returns its name.
func writeOverlay(root, dir string) (string, error) {
	goroot, err := goRoot()
	if err != nil {
		return "", err
	}
	root, err = filepath.Abs(root)
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for original, ours := range overlays {
		original = filepath.Join(goroot, filepath.FromSlash(original))
		if _, err := os.Stat(original); err != nil {
			return "", fmt.Errorf("replace a file of the standard library: %w", err)
		}
		replace[original] = filepath.Join(root, filepath.FromSlash(ours))
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, text, 0o600)
}
