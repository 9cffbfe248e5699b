package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// demoOptions returns the options of the demos and the start page. Modules that are loaded on
// demand, such as the texts of a language, are in chunks named by a hash of their contents.
func demoOptions(root string, dev bool) (*api.BuildOptions, error) {
	options, err := baseOptions(root, dev)
	if err != nil {
		return nil, err
	}
	root = options.AbsWorkingDir
	options.EntryPointsAdvanced, err = demoEntryPoints(root)
	options.Sourcemap = api.SourceMapLinked
	options.Splitting = true
	options.ChunkNames = "demo/chunks/[name]-[hash]"
	options.Plugins = append([]api.Plugin{publicEntry, reactEntry(root)}, options.Plugins...)
	return options, err
}

// demoEntryPoints returns, below web/demo, every main module, style sheet, page and image in a
// directory with an index.html.
func demoEntryPoints(root string) ([]api.EntryPoint, error) {
	var points []api.EntryPoint
	demos := filepath.Join(root, "web", "demo")
	err := filepath.WalkDir(demos, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(name), "index.html")); err != nil {
			return nil
		}
		ext := filepath.Ext(name)
		switch base := d.Name(); {
		case base == "main.ts", base == "main.tsx", ext == ".css", ext == ".html", ext == ".svg", ext == ".png", ext == ".ico":
		default:
			return nil
		}
		below, err := filepath.Rel(demos, strings.TrimSuffix(name, ext))
		if err != nil {
			return err
		}
		out := filepath.ToSlash(below)
		if strings.Contains(out, "/") {
			out = "demo/" + out
		}
		input, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		points = append(points, api.EntryPoint{InputPath: filepath.ToSlash(input), OutputPath: out})
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("find the demos: %w", err)
	}
	return points, nil
}
