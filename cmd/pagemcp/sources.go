//go:build !release

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/pagemcp/pagemcp/server/bundle"
	"github.com/pagemcp/pagemcp/server/site"
)

// findWebFiles returns the files that are built from the sources.
func findWebFiles() (webFiles, error) {
	root, err := findSources()
	if err != nil {
		return webFiles{}, site.ErrNone
	}
	if _, err := os.Stat(filepath.Join(root, "web", "node_modules")); err != nil {
		return webFiles{}, fmt.Errorf("%w; its clone at %s lacks the npm packages that are bundled: run `make run` there once", site.ErrNone, root)
	}
	return webFiles{
		watch: func(ctx context.Context, built func(map[string][]byte, error)) error {
			return bundle.Watch(ctx, root, func(files bundle.Files, err error) { built(files, err) })
		},
		isBuilt: true,
		extension: func(browser string) (map[string][]byte, error) {
			all, err := bundle.BuildExtensions(root)
			return all[browser], err
		},
		notices: func() ([]byte, error) { return bundle.BinaryNotices(root, "./cmd/pagemcp") },
	}, nil
}

// program is the path of this program, which tests replace.
var program = os.Executable

// findSources returns the root of the clone whose bin directory, or another one of it, has this
// program: make has built it there. The working directory does not matter, so that an installed
// program does not build a clone in which it happens to be started.
func findSources() (root string, err error) {
	path, err := program()
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if root, ok := sourcesAbove(filepath.Dir(path)); err == nil && ok {
		return root, nil
	}
	return "", errors.New("build needs PageMCP's sources: run bin/pagemcp of a clone of github.com/pagemcp/pagemcp, which `make` builds")
}

// sourcesAbove returns the root of the repository that contains dir.
func sourcesAbove(dir string) (root string, ok bool) {
	for {
		mod, err := os.Open(filepath.Join(dir, "go.mod"))
		if err == nil {
			head := make([]byte, 256) // bytes; enough for the module line
			n, _ := io.ReadFull(mod, head)
			mod.Close()
			if strings.HasPrefix(string(head[:n]), "module github.com/pagemcp/pagemcp\n") {
				return dir, true
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}
