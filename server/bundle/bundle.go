package bundle

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

// Files are the contents of built files by path, which begins with a slash. The npm
// package is below /pagemcp/, each demo below /demo/<name>/, and / is the start page.
type Files map[string][]byte

// Package is the path of the npm package in Files.
const Package = "/pagemcp/"

// An Error reports mistakes in the sources, with file and line.
type Error struct {
	Text string // as esbuild formats it for a terminal, without colours
}

// Error implements error.
func (e *Error) Error() string { return e.Text }

// Build builds all files from the sources below root. The error is an *[Error] if the
// sources have a mistake.
func Build(root string) (Files, error) {
	options, err := buildOptions(root, false)
	if err != nil {
		return nil, err
	}
	options.Metafile = true
	built := api.Build(*options)
	files, err := filesOf(built)
	if err != nil {
		return nil, err
	}
	// The React hooks are built separately: in the package they import the React of the
	// app, in the demos React is bundled.
	options.EntryPointsAdvanced = []api.EntryPoint{{InputPath: "web/src/react.ts", OutputPath: "pagemcp/react"}}
	options.External = []string{"react"}
	hooks, err := filesOf(api.Build(*options))
	if err != nil {
		return nil, err
	}
	maps.Copy(files, hooks)
	playground, err := playgroundOptions(root, false)
	if err != nil {
		return nil, err
	}
	builtToo := api.Build(*playground)
	shown, err := filesOf(builtToo)
	if err != nil {
		return nil, err
	}
	maps.Copy(files, shown)
	completePlayground(files)
	engine, err := engineComponents(root)
	if err != nil {
		return nil, err
	}
	pack, err := bundledPackages(root, built.Metafile, Package)
	if err != nil {
		return nil, err
	}
	if files[Package+Notices], err = notices(root, append(pack, engine...)); err != nil {
		return nil, err
	}
	shownToo, err := bundledPackages(root, builtToo.Metafile, Playground)
	if err != nil {
		return nil, err
	}
	files[Playground+Notices], err = notices(root, slices.Concat(pack, shownToo, engine)) // the playground contains the package
	return files, err
}

// Watch builds all files, and again whenever the sources change, until ctx ends. built
// gets the result of each build: files or an error.
func Watch(ctx context.Context, root string, built func(Files, error)) error {
	package_, err := buildOptions(root, true)
	if err != nil {
		return err
	}
	playground, err := playgroundOptions(root, true)
	if err != nil {
		return err
	}
	halves := &halves{built: built}
	for i, options := range []*api.BuildOptions{package_, playground} {
		options.Plugins = append(options.Plugins, api.Plugin{Name: "hand over", Setup: func(build api.PluginBuild) {
			build.OnEnd(func(result *api.BuildResult) (api.OnEndResult, error) {
				files, err := filesOf(*result)
				halves.set(i, files, err)
				return api.OnEndResult{}, nil
			})
		}})
		running, failure := api.Context(*options)
		if failure != nil {
			return &Error{Text: messages(failure.Errors)}
		}
		defer running.Dispose()
		if err := running.Watch(api.WatchOptions{}); err != nil {
			return fmt.Errorf("watch the sources: %w", err)
		}
	}
	<-ctx.Done()
	return nil
}

// halves combines the results of two builds: the package with its demos, and the
// playground. built is called when both have completed.
type halves struct {
	built func(Files, error)

	mu    sync.Mutex
	ended [2]bool
	files [2]Files
	err   [2]error
}

func (h *halves) set(i int, files Files, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended[i], h.files[i], h.err[i] = true, files, err
	if !h.ended[0] || !h.ended[1] {
		return
	}
	if err := cmp.Or(h.err[0], h.err[1]); err != nil {
		h.built(nil, err)
		return
	}
	all := maps.Clone(h.files[0])
	maps.Copy(all, h.files[1])
	completePlayground(all)
	h.built(all, nil)
}

// outDir is the output directory that esbuild is given. Nothing is written to it.
const outDir = "/out"

// buildOptions returns the options of the package and the demos.
func buildOptions(root string, dev bool) (*api.BuildOptions, error) {
	options, err := baseOptions(root, dev)
	if err != nil {
		return nil, err
	}
	root = options.AbsWorkingDir
	options.EntryPointsAdvanced, err = entryPoints(root)
	options.Plugins = append([]api.Plugin{sharedEntry(root), publicEntry, reactEntry(root), lazyModule(root), noParser, engineWasm(root)}, options.Plugins...)
	return options, err
}

// packageWith returns the options of the npm package without the demos, plus further
// entry points that import it.
func packageWith(root string, further ...api.EntryPoint) (*api.BuildOptions, error) {
	options, err := buildOptions(root, false)
	if err != nil {
		return nil, err
	}
	options.EntryPointsAdvanced = append(slices.DeleteFunc(options.EntryPointsAdvanced, func(entry api.EntryPoint) bool {
		return !strings.HasPrefix(entry.OutputPath, "pagemcp/")
	}), further...)
	return options, nil
}

// baseOptions returns the options of every build: minified, for current browsers, with
// Go's support file as a module.
func baseOptions(root string, dev bool) (*api.BuildOptions, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	goroot, err := goRoot()
	if err != nil {
		return nil, err
	}
	options := &api.BuildOptions{
		AbsWorkingDir:     root,
		Outdir:            outDir,
		Bundle:            true,
		Format:            api.FormatESModule,
		Platform:          api.PlatformBrowser,
		Target:            api.ES2022,
		MinifyWhitespace:  true,
		MinifySyntax:      true,
		MinifyIdentifiers: true,
		LegalComments:     api.LegalCommentsInline,
		Charset:           api.CharsetUTF8,
		JSX:               api.JSXAutomatic,
		Define:            map[string]string{"process.env.NODE_ENV": `"production"`}, // read by React
		TsconfigRaw:       `{"compilerOptions":{"target":"es2022","verbatimModuleSyntax":true}}`,
		Loader: map[string]api.Loader{
			".html": api.LoaderCopy, ".svg": api.LoaderCopy, ".png": api.LoaderCopy, ".ico": api.LoaderCopy,
			".txt": api.LoaderCopy,
		},
		Plugins:  []api.Plugin{confined(root, goroot), wasmExec(goroot)},
		LogLevel: api.LogLevelSilent,
	}
	if dev {
		options.Sourcemap = api.SourceMapLinked
		options.Plugins = append(options.Plugins, relativeSources(root, goroot))
	}
	return options, nil
}

// entryPoints returns the entry points: modules of the package, the engine, and below
// web/demo every module, style sheet, page and image in a directory with an index.html.
func entryPoints(root string) ([]api.EntryPoint, error) {
	entries := []api.EntryPoint{
		{InputPath: "web/src/package.ts", OutputPath: "pagemcp/index"},
		{InputPath: "web/src/worker.ts", OutputPath: "pagemcp/worker"},
		{InputPath: engineEntry, OutputPath: "pagemcp/engine"},
	}
	for _, name := range sharedEntries {
		entries = append(entries, api.EntryPoint{InputPath: sharedPrefix + name, OutputPath: "pagemcp/" + name})
	}
	for _, module := range lazyModules {
		entries = append(entries, api.EntryPoint{InputPath: lazySource(module), OutputPath: "pagemcp/" + path.Base(module)})
	}
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
		entries = append(entries, api.EntryPoint{InputPath: filepath.ToSlash(input), OutputPath: out})
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("find the demos: %w", err)
	}
	return entries, nil
}

func filesOf(result api.BuildResult) (Files, error) {
	if len(result.Errors) > 0 {
		return nil, &Error{Text: messages(result.Errors)}
	}
	files := Files{}
	for _, out := range result.OutputFiles {
		name := filepath.ToSlash(out.Path)
		if i := strings.Index(name, outDir+"/"); i >= 0 { // on Windows a drive letter precedes it
			name = name[i+len(outDir):]
		}
		contents := out.Contents
		if path.Ext(name) == ".html" { // pages refer to modules by their names in the sources
			contents = bytes.ReplaceAll(contents, []byte(`.ts"`), []byte(`.js"`))
			contents = bytes.ReplaceAll(contents, []byte(`.tsx"`), []byte(`.js"`))
		}
		files[name] = contents
	}
	return files, nil
}

// messages formats errors as esbuild would print them.
func messages(errors []api.Message) string {
	return strings.Join(api.FormatMessages(errors, api.FormatMessagesOptions{Kind: api.ErrorMessage}), "")
}

// Write writes the files whose path begins with prefix to dir, without prefix.
func (files Files) Write(dir, prefix string) error {
	for name, contents := range files {
		below, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		file := filepath.Join(dir, filepath.FromSlash(below))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return fmt.Errorf("write the files: %w", err)
		}
		if err := os.WriteFile(file, contents, 0o644); err != nil {
			return fmt.Errorf("write the files: %w", err)
		}
	}
	return nil
}
