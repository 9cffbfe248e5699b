package bundle

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Playground is where Files has the playground. Nothing in it refers to a path
// above its own: the directory works from any web host.
const Playground = "/playground/"

// playgroundEntries are the modules with names of their own: the page, the element
// that embeds it in others, and the Worker that makes it work offline. Whatever else
// there is, they load.
var playgroundEntries = [...]string{"main.tsx", "element.ts", "sw.ts"}

// playgroundOptions split what is loaded later from what is loaded first, in
// chunks that are named after their contents.
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
		case ext == ".html", ext == ".svg", ext == ".webmanifest", ext == ".txtar", below == "style.css":
			options.EntryPointsAdvanced = append(options.EntryPointsAdvanced, api.EntryPoint{
				InputPath: "web/playground/" + below, OutputPath: "playground/" + strings.TrimSuffix(below, ext),
			})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	options.JSXImportSource = "preact"
	options.Splitting = true
	options.Metafile = true
	options.ChunkNames = "playground/chunks/[name]-[hash]"
	for _, ext := range [...]string{".webmanifest", ".txtar"} {
		options.Loader[ext] = api.LoaderCopy
	}
	options.Plugins = append([]api.Plugin{publicSources(options.AbsWorkingDir), noParser}, options.Plugins...)
	return options, nil
}

// completePlayground adds the engine and its Worker, which the playground has
// beside itself, and the list of all its files by their hashes: from it the Worker
// of sw.ts learns what to keep for when there is no network.
func completePlayground(files Files) {
	beside := []string{"engine.wasm", "worker.js"}
	for _, module := range lazyModules { // the Worker loads some of them
		beside = append(beside, path.Base(module)+".js")
	}
	for _, name := range beside {
		files[Playground+name] = files[Package+name]
	}
	hashes := map[string]string{}
	for name, contents := range files {
		below, ok := strings.CutPrefix(name, Playground)
		if !ok || below == "files.json" || path.Ext(below) == ".map" {
			continue
		}
		sum := sha256.Sum256(contents)
		hashes[below] = hex.EncodeToString(sum[:8])
	}
	files[Playground+"files.json"], _ = json.Marshal(hashes) // strings always have JSON
}

// Compressed adds to each file of the playground that gets smaller by it what gzip
// makes of it, beside it with the suffix .gz, where web hosts look for it.
func Compressed(files Files) Files {
	all := maps.Clone(files)
	for name, contents := range files {
		if !strings.HasPrefix(name, Playground) || len(contents) < 1<<10 { // bytes
			continue
		}
		var packed bytes.Buffer
		writer, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // a level that exists
		writer.Write(contents)                                          // to memory: it cannot fail
		writer.Close()
		if packed.Len() < len(contents) {
			all[name+".gz"] = packed.Bytes()
		}
	}
	return all
}
