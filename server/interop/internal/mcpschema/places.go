package mcpschema

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// projectRoot is the directory of the project that the test is in: the one with web/.
func projectRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "web", "package.json")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("the test does not run inside the project")
		}
		dir = parent
	}
}

// officialDir returns the directory of the official schemas, or "" if they are
// not beside the project. A directory that lacks a schema is returned too: reading
// it then fails.
func officialDir(root string) string {
	dir := filepath.Join(root, "..", "shared", "spec")
	if _, err := os.Stat(dir); err != nil {
		return ""
	}
	return dir
}

// derived writes the schemas that web/test/harness/schemas.ts makes, and returns
// their directory. It takes 0.2 s, once in each process.
var derived = sync.OnceValues(func() (string, error) {
	root, err := projectRoot()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, ".cache", "schemas")
	node := filepath.Join(root, "web", "node_modules", ".bin", "node")
	script := filepath.Join(root, "web", "test", "harness", "schemas.ts")
	if text, err := exec.Command(node, script, dir).CombinedOutput(); err != nil {
		return "", fmt.Errorf("derive schemas by %s: %w; run npm install in web\n%s", script, err, text)
	}
	return dir, nil
})
