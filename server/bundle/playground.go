package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Playground is the path of the playground in Files. It uses relative URLs only, so its
// directory can be served from any path.
const Playground = "/playground/"

// playgroundEntries are the modules with fixed names: the page and the element that
// embeds it. They load all others.
var playgroundEntries = [...]string{"main.tsx", "element.ts"}

// playgroundOptions returns the options of the playground. Modules that are loaded on
// demand are in chunks named by a hash of their contents.
func playgroundOptions(root string, dev bool) (*api.BuildOptions, error) {
	options, err := baseOptions(root, dev)
	if err != nil {
		return nil, err
	}
	sources := filepath.Join(options.AbsWorkingDir, "web", "playground")
	for _, name := range playgroundEntries {
		if _, err := os.Stat(filepath.Join(sources, name)); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		options.EntryPointsAdvanced = append(options.EntryPointsAdvanced, api.EntryPoint{
			InputPath: "web/playground/" + name, OutputPath: "playground/" + strings.TrimSuffix(name, path.Ext(name)),
		})
	}
	err = filepath.WalkDir(sources, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		below, err := filepath.Rel(sources, name)
		if err != nil {
			return err
		}
		below = filepath.ToSlash(below)
		ext := path.Ext(below)
		switch {
		case ext == ".html", ext == ".svg", ext == ".webmanifest", ext == ".txtar", ext == ".json", below == "style.css":
			options.EntryPointsAdvanced = append(options.EntryPointsAdvanced, api.EntryPoint{
				InputPath: "web/playground/" + below, OutputPath: "playground/" + strings.TrimSuffix(below, ext),
			})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(options.AbsWorkingDir, "web", "demo", "world", "world.json")); err == nil {
		options.EntryPointsAdvanced = append(options.EntryPointsAdvanced, api.EntryPoint{InputPath: "web/demo/world/world.json", OutputPath: "playground/demo/world"})
	}
	options.JSXImportSource = "preact"
	options.Splitting = true
	options.ChunkNames = "playground/chunks/[name]-[hash]"
	for _, ext := range [...]string{".webmanifest", ".txtar", ".json"} { // JSON is fetched
		options.Loader[ext] = api.LoaderCopy
	}
	options.Plugins = append([]api.Plugin{textFiles(sources), orderedChunks(sources), publicSources(options.AbsWorkingDir)}, options.Plugins...)
	return options, nil
}

// checkOptions returns the options of the page "Check a server", a program of its own: it shares no
// chunks with the playground, whose first load stays two files. Nil: there is no such page.
func checkOptions(root string, dev bool) (*api.BuildOptions, error) {
	options, err := baseOptions(root, dev)
	if err != nil {
		return nil, err
	}
	sources := filepath.Join(options.AbsWorkingDir, "web", "playground")
	if _, err := os.Stat(filepath.Join(sources, "check", "main.tsx")); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	options.EntryPointsAdvanced = []api.EntryPoint{{InputPath: "web/playground/check/main.tsx", OutputPath: "playground/check/main"}}
	options.JSXImportSource = "preact"
	options.Splitting = true
	options.ChunkNames = "playground/check/[name]-[hash]"
	options.Plugins = append([]api.Plugin{textFiles(sources), publicSources(options.AbsWorkingDir)}, options.Plugins...)
	return options, nil
}

// completePlayground adds the engine, its Worker and preloads.
func completePlayground(files Files) {
	preloadChunks(files)
	for _, name := range [...]string{"engine.wasm", "worker.js"} {
		files[Playground+name] = files[Package+name]
	}
}

var staticImport = regexp.MustCompile(`(?:import|from)"\./(chunks/[^"]+)"`)

// preloadChunks makes pages request the chunks of main.js together with main.js.
func preloadChunks(files Files) {
	const script = `<script type="module" src="main.js">`
	var links strings.Builder
	for _, found := range staticImport.FindAllSubmatch(files[Playground+"main.js"], -1) {
		fmt.Fprintf(&links, `<link rel="modulepreload" href="%s">`, found[1])
	}
	for name, contents := range files {
		if strings.HasPrefix(name, Playground) && path.Ext(name) == ".html" {
			files[name] = bytes.Replace(contents, []byte(script), []byte(links.String()+script), 1)
		}
	}
}
