package bundle

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// sharedEntries are entry points of the package, like `pagemcp/pairing`, whose files
// only re-export from index.js. So a page that imports several entry points has each
// module, and its state, once.
var sharedEntries = [...]string{"pairing", "redaction", "sources"}

const sharedPrefix = "entry:" // of an entry point that sharedEntry resolves

// sharedEntry builds the files of sharedEntries, whose imports are in index.js.
func sharedEntry(root string) api.Plugin {
	return api.Plugin{Name: "shared entry", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: "^" + sharedPrefix}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			name := strings.TrimPrefix(args.Path, sharedPrefix)
			return api.OnResolveResult{Path: filepath.Join(root, "web", "src", name+".ts"), Namespace: "entry"}, nil
		})
		build.OnResolve(api.OnResolveOptions{Filter: `^\./`, Namespace: "entry"}, func(api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: "./index.js", External: true}, nil
		})
		build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: "entry"}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			text, err := os.ReadFile(args.Path)
			if err != nil {
				return api.OnLoadResult{}, err
			}
			contents := string(text)
			return api.OnLoadResult{Contents: &contents, Loader: api.LoaderTS, WatchFiles: []string{args.Path}}, nil
		})
	}}
}

// publicEntry keeps `import 'pagemcp'` in the demos and the extension as it is in an
// app: a separate module beside worker.js and engine.wasm, which it locates by its own
// URL.
var publicEntry = api.Plugin{Name: "public entry", Setup: func(build api.PluginBuild) {
	build.OnResolve(api.OnResolveOptions{Filter: publicNames()}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
		return api.OnResolveResult{Path: Package + publicModule(args.Path) + ".js", External: true}, nil
	})
}}

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

// publicNames matches 'pagemcp' and the names of sharedEntries.
func publicNames() string { return `^pagemcp(/(` + strings.Join(sharedEntries[:], "|") + `))?$` }

// publicModule returns the module of an entry point, in web/src and in the package.
func publicModule(name string) string {
	if _, module, ok := strings.Cut(name, "/"); ok {
		return module
	}
	return "index"
}
