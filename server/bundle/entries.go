package bundle

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// entries are the entry points of the package besides the main one: `pagemcp/client` is
// web/src/client.ts. Another one needs a line here and one in web/package.json.
var entries = [...]struct {
	name string
	// alone: its file contains all that it imports, also what index.js has: modules without
	// state. For what few pages use, or pages without an engine. The others import what
	// index.ts exports from index.js, so that a page has each module, and its state, once.
	alone bool
}{
	{name: "access", alone: true},
	{name: "client", alone: true},
	{name: "dev"},
	{name: "react"},
	{name: "vite", alone: true}, // for Node
}

const entryPrefix = "entry:" // of an entry point that packageEntries resolves

// packageEntries builds the files of entries that are not alone. Packages that they import are
// those of the app.
func packageEntries(root string) api.Plugin {
	return api.Plugin{Name: "package entries", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: "^" + entryPrefix}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			name := strings.TrimPrefix(args.Path, entryPrefix)
			return api.OnResolveResult{Path: name + ".ts", Namespace: "entry"}, nil
		})
		build.OnResolve(api.OnResolveOptions{Filter: `.*`, Namespace: "entry"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			if strings.HasPrefix(args.Path, "./dev/") { // its own modules, which have no state
				return api.OnResolveResult{Path: filepath.Join(root, "web", "src", args.Path)}, nil
			}
			if strings.HasPrefix(args.Path, "./") {
				args.Path = "./index.js"
			}
			return api.OnResolveResult{Path: args.Path, External: true}, nil
		})
		loadEntry(build, "entry", filepath.Join(root, "web", "src"))
	}}
}

// loadEntry loads the modules of a namespace, whose relative imports a plugin resolves. Their
// paths are relative to sources: names of chunks depend on them.
func loadEntry(build api.PluginBuild, namespace, sources string) {
	build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: namespace}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		file := filepath.Join(sources, args.Path)
		text, err := os.ReadFile(file)
		if err != nil {
			return api.OnLoadResult{}, err
		}
		contents := string(text)
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
		loadEntry(build, "react", sources)
	}}
}

// publicSources bundles imports from 'pagemcp' as the bundler of an app does, without
// unused code.
func publicSources(root string) api.Plugin {
	return api.Plugin{Name: "public sources", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: publicNames()}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			source := filepath.Join(root, "web", "src", publicModule(args.Path)+".ts")
			return api.OnResolveResult{Path: source, SideEffects: api.SideEffectsFalse}, nil
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
