package bundle

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/pagemcp/pagemcp/server/docs"
)

// Docs is the path of the documentation in Files. It uses relative URLs only, so its
// directory can be served from any path, best beside that of the playground.
const Docs = docs.Path

// docsEntries are the modules and the style sheet that each page of the documentation loads.
var docsEntries = [...]string{"main.ts", "theme.ts", "style.css"}

// docsPages is the entry point that stands for the pages, which esbuild does not read.
const docsPages = "docs:pages"

// docsOptions returns the options of the documentation; nil if there is none below root.
func docsOptions(root string, dev bool) (*api.BuildOptions, error) {
	if !docs.Exists(root) {
		return nil, nil
	}
	options, err := baseOptions(root, dev)
	if err != nil {
		return nil, err
	}
	below := strings.TrimPrefix(Docs, "/")
	for _, name := range docsEntries {
		options.EntryPointsAdvanced = append(options.EntryPointsAdvanced, api.EntryPoint{
			InputPath: "web/docs/site/" + name, OutputPath: below + strings.TrimSuffix(name, filepath.Ext(name)),
		})
	}
	options.EntryPointsAdvanced = append(options.EntryPointsAdvanced, api.EntryPoint{InputPath: docsPages, OutputPath: below + "pages"})
	options.Splitting = true
	options.ChunkNames = below + "[name]-[hash]"
	options.Plugins = append([]api.Plugin{pagesOfDocs(options.AbsWorkingDir)}, options.Plugins...)
	return options, nil
}

// pagesOfDocs adds the pages of the documentation to the files of a build, and makes them
// again when a page, a transcript or the list of pages changes. The reference is made of
// what the sources are at that moment.
func pagesOfDocs(root string) api.Plugin {
	return api.Plugin{Name: "pages of the documentation", Setup: func(build api.PluginBuild) {
		var pages map[string][]byte
		build.OnResolve(api.OnResolveOptions{Filter: "^" + docsPages + "$"}, func(api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: docsPages, Namespace: "docs"}, nil
		})
		build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: "docs"}, func(api.OnLoadArgs) (api.OnLoadResult, error) {
			files, dirs := docs.Sources(root)
			contents := ""
			result := api.OnLoadResult{WatchFiles: files, WatchDirs: dirs, Contents: &contents, Loader: api.LoaderJS}
			declarations, err := publicDeclarations(root)
			if err == nil {
				pages, err = docs.Build(root, declarations)
			}
			if err != nil { // returned as an error, it would end the watch of these files
				result.Errors = []api.Message{{Text: err.Error()}}
			}
			return result, nil
		})
		build.OnEnd(func(result *api.BuildResult) (api.OnEndResult, error) {
			var files []api.OutputFile
			for _, file := range result.OutputFiles {
				if name := filepath.ToSlash(file.Path); !strings.HasSuffix(name, Docs+"pages.js") && !strings.HasSuffix(name, Docs+"pages.js.map") {
					files = append(files, file)
				}
			}
			for name, contents := range pages {
				files = append(files, api.OutputFile{Path: outDir + name, Contents: contents})
			}
			result.OutputFiles = files
			return api.OnEndResult{}, nil
		})
	}}
}

// publicDeclarations returns the declarations of all entry points of the package; none where the
// compiler is not installed, as after `make run`, or has no settings, as in tests of this package:
// then the reference is left out. [PackageFiles] needs both.
func publicDeclarations(root string) (map[string][]byte, error) {
	for _, needed := range [...]string{"tsconfig.build.json", "node_modules/typescript/bin/tsc"} {
		if _, err := os.Stat(filepath.Join(root, "web", filepath.FromSlash(needed))); err != nil {
			return nil, nil
		}
	}
	modules := []string{"index.d.ts"}
	for _, entry := range entries {
		modules = append(modules, entry.name+".d.ts")
	}
	return declarations(root, modules)
}
