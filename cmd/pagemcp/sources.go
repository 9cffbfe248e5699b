//go:build !release

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/pagemcp/pagemcp/server/bundle"
	"github.com/pagemcp/pagemcp/server/docs"
	"github.com/pagemcp/pagemcp/server/site"
)

// findWebFiles returns the files that are built from the sources.
func findWebFiles() (webFiles, error) {
	root, _, err := findSources()
	if err != nil {
		return webFiles{}, site.ErrNone
	}
	return webFiles{
		watch: func(ctx context.Context, built func(map[string][]byte, error)) error {
			return bundle.Watch(ctx, root, func(files bundle.Files, err error) { built(files, err) })
		},
		brotli: func(ctx context.Context, contents []byte) ([]byte, error) {
			return bundle.Brotli(ctx, root, contents)
		},
		hasDocs: docs.Exists(root),
		extension: func(browser string) (map[string][]byte, error) {
			all, err := bundle.BuildExtensions(root)
			return all[browser], err
		},
		notices: func() ([]byte, error) { return bundle.BinaryNotices(root, "./cmd/pagemcp") },
	}, nil
}

// findSources returns the root of the repository that contains the working directory or,
// outside of one, this program: bin/pagemcp of a clone works everywhere. isNear: it is the first.
func findSources() (root string, isNear bool, err error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", false, err
	}
	program, err := os.Executable()
	if err == nil {
		program, err = filepath.EvalSymlinks(program)
	}
	if err != nil {
		program = dir
	}
	return sourcesOf(dir, program)
}

func sourcesOf(dir, program string) (root string, isNear bool, err error) {
	if root, ok := sourcesAbove(dir); ok {
		return root, true, nil
	}
	if root, ok := sourcesAbove(filepath.Dir(program)); ok {
		return root, false, nil
	}
	return "", false, errors.New("build needs PageMCP's sources: run it inside a clone of github.com/pagemcp/pagemcp")
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
