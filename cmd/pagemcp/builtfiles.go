package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// readFiles reads what `build --out` has written to dir, by paths that begin with a slash.
func readFiles(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		contents, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(dir, name)
		files["/"+filepath.ToSlash(below)] = contents
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the built files: %w", err)
	}
	return files, nil
}

// unchanged is the watch of webFiles that do not change.
func unchanged(files map[string][]byte) func(context.Context, func(map[string][]byte, error)) error {
	return func(ctx context.Context, built func(map[string][]byte, error)) error {
		built(files, nil)
		<-ctx.Done()
		return nil
	}
}
