package bundle

import (
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// withoutGrammar gives CodeMirror the indentation of JSON instead of its packages for
// languages and parsers, which are 14 KB (gzip) and without a grammar have no effect.
func withoutGrammar(sources string) api.Plugin {
	return api.Plugin{Name: "editor without a grammar", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: `^(@codemirror/language|@lezer/common)$`}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			if !strings.Contains(filepath.ToSlash(args.Importer), "/node_modules/@codemirror/") {
				return api.OnResolveResult{}, nil
			}
			return api.OnResolveResult{Path: filepath.Join(sources, "compose", "editor-language.ts"), SideEffects: api.SideEffectsFalse}, nil
		})
	}}
}
