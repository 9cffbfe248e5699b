package bundle

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// firstTexts are the areas whose English texts are part of main.js (locale/en-first.ts).
var firstTexts = []string{"base", "compose", "shell", "timeline"}

// codeTexts are the areas whose English texts are code, and not needed as texts.
var codeTexts = []string{"events"}

// textFiles makes the module of all English texts of the playground, locale/en.ts, from the files
// `<area>.texts.ts` beside its code, without firstTexts and codeTexts. Translations are bundled;
// other JSON files are copied.
func textFiles(sources string) api.Plugin {
	return api.Plugin{Name: "texts", Setup: func(build api.PluginBuild) {
		build.OnLoad(api.OnLoadOptions{Filter: `[/\\]locale[/\\]en\.ts$`, Namespace: "file"}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			if below(args.Path, sources) == "" {
				return api.OnLoadResult{}, nil
			}
			contents, err := englishTexts(sources)
			return api.OnLoadResult{Contents: &contents, Loader: api.LoaderTS, ResolveDir: filepath.Dir(args.Path)}, err
		})
		build.OnLoad(api.OnLoadOptions{Filter: `[/\\]web[/\\]texts[/\\][\w.-]+\.json$`, Namespace: "file"}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			data, err := os.ReadFile(args.Path)
			contents := string(data)
			return api.OnLoadResult{Contents: &contents, Loader: api.LoaderJSON, WatchFiles: []string{args.Path}}, err
		})
	}}
}

func englishTexts(sources string) (module string, err error) {
	files, err := filepath.Glob(filepath.Join(sources, "*", "*.texts.ts"))
	if err != nil {
		return "", err
	}
	var imports, areas strings.Builder
	for _, file := range files {
		area := camelCase(strings.TrimSuffix(filepath.Base(file), ".texts.ts"))
		if slices.Contains(slices.Concat(firstTexts, codeTexts), area) {
			continue
		}
		fmt.Fprintf(&imports, "import { en as %s } from %q\n", area, "../"+filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file))
		fmt.Fprintf(&areas, "%s, ", area)
	}
	return fmt.Sprintf("%sexport const texts = { %s}\n", imports.String(), areas.String()), nil
}

// camelCase returns your-page as yourPage.
func camelCase(name string) string {
	first, rest, _ := strings.Cut(name, "-")
	for word := range strings.SplitSeq(rest, "-") {
		if word != "" {
			first += strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return first
}
