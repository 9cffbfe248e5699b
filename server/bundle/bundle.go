package bundle

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
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
// package is below /pagemcp/, each demo below /demo/<name>/, the documentation below /docs/,
// and / is the start page.
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
	files, _, err := BuildListed(root)
	return files, err
}

// BuildListed builds all files, and also returns the third-party code in them.
func BuildListed(root string) (Files, []Component, error) {
	options, err := parts(root, false)
	if err != nil {
		return nil, nil, err
	}
	files, err := options.build()
	if err != nil {
		return nil, nil, err
	}
	completePlayground(files)
	engine, err := engineComponents(root)
	if err != nil {
		return nil, nil, err
	}
	pack, err := options.bundled(root, Package)
	if err != nil {
		return nil, nil, err
	}
	if files[Package+Notices], err = NoticesOf(root, slices.Concat(pack, engine)); err != nil {
		return nil, nil, err
	}
	shown, err := options.bundled(root, Playground)
	if err != nil {
		return nil, nil, err
	}
	// The playground contains the package.
	if files[Playground+Notices], err = NoticesOf(root, slices.Concat(pack, shown, engine)); err != nil {
		return nil, nil, err
	}
	all, err := options.bundled(root, "/") // the demos, too
	return files, append(all, engine...), err
}

// Watch builds all files, and again whenever the sources change, until ctx ends. built
// gets the result of each build: files or an error.
func Watch(ctx context.Context, root string, built func(Files, error)) error {
	all, err := parts(root, true)
	if err != nil {
		return err
	}
	results := &results{built: built, parts: make([]result, len(all))}
	for i, part := range all {
		part.options.Plugins = append(part.options.Plugins, api.Plugin{Name: "hand over", Setup: func(build api.PluginBuild) {
			build.OnEnd(func(result *api.BuildResult) (api.OnEndResult, error) {
				files, err := filesOf(*result)
				results.set(i, files, err)
				return api.OnEndResult{}, nil
			})
		}})
		running, failure := api.Context(*part.options)
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

// results combines the results of the parts of a build. built is called when all have
// completed, and again whenever one has.
type results struct {
	built func(Files, error)

	mu    sync.Mutex
	parts []result
}

type result struct {
	ended bool
	files Files
	err   error
}

func (r *results) set(i int, files Files, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.parts[i] = result{true, files, err}
	all := Files{}
	for _, part := range r.parts {
		if !part.ended {
			return
		}
		err = cmp.Or(err, part.err)
		maps.Copy(all, part.files)
	}
	if err != nil {
		r.built(nil, err)
		return
	}
	completePlayground(all)
	r.built(all, nil)
}

// outDir is the output directory that esbuild is given, below web/. Nothing is written to it.
// It is among the sources since names of chunks depend on the paths between them.
const outDir = "/.built"

// A part is one run of esbuild.
type part struct {
	options  *api.BuildOptions
	metafile string // after build
}

// A partList is what is built together.
type partList []*part

// parts returns what Build and Watch build: the package, its Worker, the demos, the playground
// and its page "Check a server", the documentation.
func parts(root string, dev bool) (partList, error) {
	package_, err := buildOptions(root, dev)
	if err != nil {
		return nil, err
	}
	worker, err := workerOptions(root, dev)
	if err != nil {
		return nil, err
	}
	engine, err := engineOptions(root)
	if err != nil {
		return nil, err
	}
	demos, err := demoOptions(root, dev)
	if err != nil {
		return nil, err
	}
	playground, err := playgroundOptions(root, dev)
	if err != nil {
		return nil, err
	}
	all := partList{{options: package_}, {options: worker}, {options: engine}, {options: demos}, {options: playground}}
	check, err := checkOptions(root, dev)
	if err != nil {
		return nil, err
	}
	if check != nil {
		all = append(all, &part{options: check})
	}
	documentation, err := docsOptions(root, dev)
	if documentation != nil {
		all = append(all, &part{options: documentation})
	}
	return all, err
}

// build builds all parts.
func (l partList) build() (Files, error) {
	files := Files{}
	for _, part := range l {
		part.options.Metafile = true
		built := api.Build(*part.options)
		some, err := filesOf(built)
		if err != nil {
			return nil, err
		}
		part.metafile = built.Metafile
		maps.Copy(files, some)
	}
	return files, nil
}

// bundled returns the npm packages with code in the built files below prefix.
func (l partList) bundled(root, prefix string) (all []Component, err error) {
	for _, part := range l {
		some, err := bundledPackages(root, part.metafile, prefix)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// buildOptions returns the options of the package, except for its Worker.
func buildOptions(root string, dev bool) (*api.BuildOptions, error) {
	options, err := baseOptions(root, dev)
	if err != nil {
		return nil, err
	}
	root = options.AbsWorkingDir
	options.Sourcemap = api.SourceMapLinked
	options.External = []string{"node:*"} // of the plugin for Vite
	options.EntryPointsAdvanced = []api.EntryPoint{
		{InputPath: lazySource("index"), OutputPath: "pagemcp/index"},
	}
	for _, entry := range entries {
		input := entryPrefix + entry.name
		if entry.alone {
			input = lazySource(entry.name)
		}
		options.EntryPointsAdvanced = append(options.EntryPointsAdvanced, api.EntryPoint{InputPath: input, OutputPath: "pagemcp/" + entry.name})
	}
	for _, module := range lazyModules {
		options.EntryPointsAdvanced = append(options.EntryPointsAdvanced, api.EntryPoint{InputPath: lazySource(module), OutputPath: "pagemcp/" + path.Base(module)})
	}
	options.Plugins = append([]api.Plugin{packageEntries(root), publicEntry, lazyModule(root)}, options.Plugins...)
	return options, nil
}

// workerOptions returns the options of worker.js, one file without imports. It does not name
// its source map, since a bundler that copies worker.js leaves the map behind; in dev it does.
func workerOptions(root string, dev bool) (*api.BuildOptions, error) {
	options, err := baseOptions(root, dev)
	if err != nil {
		return nil, err
	}
	if !dev {
		options.Sourcemap = api.SourceMapExternal
	}
	options.EntryPointsAdvanced = []api.EntryPoint{{InputPath: "web/src/worker.ts", OutputPath: "pagemcp/worker"}}
	return options, nil
}

// engineOptions returns the options of engine.wasm.
func engineOptions(root string) (*api.BuildOptions, error) {
	options, err := baseOptions(root, false)
	if err != nil {
		return nil, err
	}
	options.EntryPointsAdvanced = []api.EntryPoint{{InputPath: engineEntry, OutputPath: "pagemcp/engine"}}
	options.Plugins = append([]api.Plugin{engineWasm(options.AbsWorkingDir)}, options.Plugins...)
	return options, nil
}

// packageWith returns the parts of the npm package without source maps, plus further entry
// points that import it.
func packageWith(root string, further ...api.EntryPoint) (partList, error) {
	options, err := buildOptions(root, false)
	if err != nil {
		return nil, err
	}
	worker, err := workerOptions(root, false)
	if err != nil {
		return nil, err
	}
	engine, err := engineOptions(root)
	if err != nil {
		return nil, err
	}
	options.EntryPointsAdvanced = append(options.EntryPointsAdvanced, further...)
	options.Sourcemap, worker.Sourcemap = api.SourceMapNone, api.SourceMapNone
	return partList{{options: options}, {options: worker}, {options: engine}}, nil
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
		Outdir:            filepath.Join(root, "web") + filepath.FromSlash(outDir),
		Bundle:            true,
		Format:            api.FormatESModule,
		Platform:          api.PlatformBrowser,
		Target:            api.ES2022,
		MinifyWhitespace:  true,
		MinifySyntax:      true,
		MinifyIdentifiers: true,
		LegalComments:     api.LegalCommentsNone, // the licences are in Notices
		Charset:           api.CharsetUTF8,
		JSX:               api.JSXAutomatic,
		Define:            map[string]string{"process.env.NODE_ENV": `"production"`}, // read by React
		TsconfigRaw:       `{"compilerOptions":{"target":"es2022","verbatimModuleSyntax":true}}`,
		Loader: map[string]api.Loader{
			".html": api.LoaderCopy, ".svg": api.LoaderCopy, ".png": api.LoaderCopy, ".ico": api.LoaderCopy,
			".txt": api.LoaderCopy,
		},
		Plugins:  []api.Plugin{wasmExec(goroot)},
		LogLevel: api.LogLevelSilent,
	}
	if dev {
		options.Sourcemap = api.SourceMapLinked
	}
	return options, nil
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
