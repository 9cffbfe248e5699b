package bundle

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// secondLoad are the modules of web/playground that every page loads right after its first
// view. They are one chunk. The dialogs of connections and Share, and what the timeline loads,
// are among them, since they have much in common with the rest: alone, they take 4 KB more.
var secondLoad = []string{
	"shell/shell-parts.ts", "compose/tools.tsx", "compose/history.ts", "protocol/check.ts",
	"timeline/timeline-parts.ts", "share/share-parts.ts", "connections/connect-parts.ts",
}

// beforeSecondLoad are the modules loaded on demand that import only main.tsx first: the first
// connection needs them, or they have nothing in common with secondLoad.
var beforeSecondLoad = []string{
	"connections/frames.tsx", "demo/demo-parts.ts", "lessons/demo-engine.ts", "messages/archive.ts",
	"shell/embed.ts", "timeline/earlier.ts", "timeline/filter.ts",
}

// onDemand is the namespace of orderedChunks.
const onDemand = "on demand"

// orderedChunks makes few and large chunks, which compress better and need fewer requests, of
// the modules that the playground loads on demand. By itself, esbuild makes a chunk for each
// set of entry points that share a module: about a hundred, thirty of them for the first view.
// Here each module that is loaded on demand first imports main.tsx, and most of them import
// secondLoad, too. They have been loaded by then, and what they contain is one chunk each.
func orderedChunks(sources string) api.Plugin {
	statement := func(name string) string {
		return fmt.Sprintf("import %q\n", filepath.ToSlash(filepath.Join(sources, filepath.FromSlash(name))))
	}
	return api.Plugin{Name: "ordered chunks", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: `^\.{1,2}/.*\.tsx?$`}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			file := filepath.Join(args.ResolveDir, filepath.FromSlash(args.Path))
			name := below(file, sources)
			if args.Kind != api.ResolveJSDynamicImport || name == "" || strings.HasPrefix(name, "locale/") { // texts import nothing
				return api.OnResolveResult{}, nil
			}
			return api.OnResolveResult{Path: name, Namespace: onDemand}, nil // names of chunks depend on it: it must not be that of this machine
		})
		build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: onDemand}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			contents := statement("main.tsx")
			if !slices.Contains(beforeSecondLoad, args.Path) {
				for _, name := range secondLoad {
					if _, err := os.Stat(filepath.Join(sources, filepath.FromSlash(name))); err == nil {
						contents += statement(name)
					}
				}
			}
			contents += fmt.Sprintf("export * from %q\n", filepath.ToSlash(filepath.Join(sources, filepath.FromSlash(args.Path))))
			return api.OnLoadResult{Contents: &contents, Loader: api.LoaderTS, ResolveDir: sources}, nil
		})
	}}
}

// below returns the path of a file relative to the directory that contains it, with slashes, or "".
func below(file, dir string) string {
	name, err := filepath.Rel(dir, file)
	if err != nil || !filepath.IsLocal(name) {
		return ""
	}
	return filepath.ToSlash(name)
}
