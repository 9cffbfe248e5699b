package bundle

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// entries are the entry points of the package besides the main one: `pagemcp/pairing` is
// web/src/pairing.ts. Another one needs a line here and one in web/package.json. Their files
// import from index.js, so that a page which imports several entry points has each module,
// and its state, once; except for those that stand alone.
var entries = [...]struct {
	name string
	// code: the entry point has code of its own, which is not in index.js. It imports only
	// what index.ts exports. Others re-export what index.js contains.
	code bool
	// alone: its file contains all that it imports, also what index.js has: modules without
	// state. For what few pages use, or pages without an engine.
	alone bool
}{
	{name: "access", alone: true},
	{name: "client", alone: true},
	{name: "mcp-b", alone: true},
	{name: "pairing"},
	{name: "react", code: true},
	{name: "redaction"},
	{name: "sources"},
	{name: "webmcp", alone: true},
}

const (
	entryPrefix = "entry:"      // of an entry point that packageEntries resolves
	wholeEntry  = "whole:index" // index.js: index.ts, and what entries re-export
	partPrefix  = "part:"       // of an entry point in index.js, except what is in a lazy module
)

// packageEntries builds index.js, and the files of entries, whose relative imports are in
// index.js. Packages that they import are those of the app.
func packageEntries(root string) api.Plugin {
	return api.Plugin{Name: "package entries", Setup: func(build api.PluginBuild) {
		sources := filepath.Join(root, "web", "src")
		build.OnResolve(api.OnResolveOptions{Filter: "^" + wholeEntry + "$"}, func(api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: "package.ts", Namespace: "whole"}, nil
		})
		build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: "whole"}, func(api.OnLoadArgs) (api.OnLoadResult, error) {
			contents := "export * from './index.ts'\n"
			for _, entry := range entries {
				if !entry.code && !entry.alone {
					contents += "export * from '" + partPrefix + entry.name + "'\n"
				}
			}
			return api.OnLoadResult{Contents: &contents, Loader: api.LoaderTS, ResolveDir: sources}, nil
		})
		build.OnResolve(api.OnResolveOptions{Filter: "^" + partPrefix}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			name := strings.TrimPrefix(args.Path, partPrefix)
			return api.OnResolveResult{Path: name + ".ts", Namespace: "part"}, nil
		})
		loadEntry(build, "part", sources, func(text string) string {
			return reExport.ReplaceAllStringFunc(text, func(statement string) string {
				if lazyFile(reExport.FindStringSubmatch(statement)[1]) != "" {
					return ""
				}
				return statement
			})
		})
		build.OnResolve(api.OnResolveOptions{Filter: "^" + entryPrefix}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			name := strings.TrimPrefix(args.Path, entryPrefix)
			return api.OnResolveResult{Path: name + ".ts", Namespace: "entry"}, nil
		})
		build.OnResolve(api.OnResolveOptions{Filter: `.*`, Namespace: "entry"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			if strings.HasPrefix(args.Path, "./") {
				args.Path = cmp.Or(lazyFile(args.Path), "./index.js")
			}
			return api.OnResolveResult{Path: args.Path, External: true}, nil
		})
		loadEntry(build, "entry", sources, asWritten)
	}}
}

// reExport matches a re-export; its group is the module.
var reExport = regexp.MustCompile(`export (?:type )?\{[^}]*\} from '([^']+)'`)

// lazyFile returns the file, './x.js', of an import in web/src if it is one of lazyModules.
func lazyFile(imported string) string {
	for _, module := range lazyModules {
		if imported == "./"+module+".ts" {
			return "./" + path.Base(module) + ".js"
		}
	}
	return ""
}

func asWritten(text string) string { return text }

// loadEntry loads the modules of a namespace, edited, whose relative imports a plugin
// resolves. Their paths are relative to sources: names of chunks depend on them.
func loadEntry(build api.PluginBuild, namespace, sources string, edited func(string) string) {
	build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: namespace}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		file := filepath.Join(sources, args.Path)
		text, err := os.ReadFile(file)
		if err != nil {
			return api.OnLoadResult{}, err
		}
		contents := edited(string(text))
		return api.OnLoadResult{Contents: &contents, Loader: api.LoaderTS, ResolveDir: sources, WatchFiles: []string{file}}, nil
	})
}

// publicEntry keeps `import 'pagemcp'` in the demos and the extension as it is in an
// app: a separate module beside worker.js and engine.wasm, which it locates by its own
// URL.
var publicEntry = api.Plugin{Name: "public entry", Setup: func(build api.PluginBuild) {
	build.OnResolve(api.OnResolveOptions{Filter: publicNames()}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
		return api.OnResolveResult{Path: Package + publicModule(args.Path) + ".js", External: true}, nil
	})
}}

// reactEntry bundles 'pagemcp/react' with a demo, whose React it must share; what it imports
// from the package stays there.
func reactEntry(root string) api.Plugin {
	return api.Plugin{Name: "react entry", Setup: func(build api.PluginBuild) {
		sources := filepath.Join(root, "web", "src")
		build.OnResolve(api.OnResolveOptions{Filter: `^pagemcp/react$`}, func(api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: "react.ts", Namespace: "react"}, nil
		})
		build.OnResolve(api.OnResolveOptions{Filter: `^\./`, Namespace: "react"}, func(api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: Package + "index.js", External: true}, nil
		})
		loadEntry(build, "react", sources, asWritten)
	}}
}

// publicSources bundles imports from 'pagemcp' as the bundler of an app does, without
// unused code, and without worker.js, which would be there twice: these apps have it as a
// file, and no engine in the window.
func publicSources(root string) api.Plugin {
	return api.Plugin{Name: "public sources", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: publicNames()}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			source := filepath.Join(root, "web", "src", publicModule(args.Path)+".ts")
			return api.OnResolveResult{Path: source, SideEffects: api.SideEffectsFalse}, nil
		})
		build.OnResolve(api.OnResolveOptions{Filter: `^\./` + workerModule + `\.ts$`}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			if args.Kind != api.ResolveJSDynamicImport {
				return api.OnResolveResult{}, nil
			}
			return api.OnResolveResult{Path: "./" + workerModule + ".js", External: true}, nil
		})
	}}
}

// publicNames matches 'pagemcp' and the names of entries, except 'pagemcp/react'.
func publicNames() string {
	var names []string
	for _, entry := range entries {
		if entry.name != "react" {
			names = append(names, entry.name)
		}
	}
	return `^pagemcp(/(` + strings.Join(names, "|") + `))?$`
}

// publicModule returns the module of an entry point, in web/src and in the package.
func publicModule(name string) string {
	if _, module, ok := strings.Cut(name, "/"); ok {
		return module
	}
	return "index"
}
