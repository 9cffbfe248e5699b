package bundle

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// firstTexts are the areas whose English texts are part of main.js (locale/en-first.ts).
var firstTexts = []string{"base", "compose", "shell", "timeline"}

// codeTexts are the areas whose English texts are code, and not needed as texts.
var codeTexts = []string{"events"}

// textFiles makes a module of each language of the playground from the files `<area>.texts.ts`
// beside its code. Each has an export for each language. A module of a language imports it with
// the language as suffix: for esbuild these are different modules, of which nothing but the
// used export is kept.
func textFiles(sources string) api.Plugin {
	languages := regexp.MustCompile(`[/\\]locale[/\\](en|de|ja|zh-Hans)\.ts$`)
	return api.Plugin{Name: "texts", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: `\.texts\.ts$`}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			language, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(args.Importer), ".ts"), "-first")
			if filepath.Dir(args.Importer) != filepath.Join(sources, "locale") {
				return api.OnResolveResult{}, nil
			}
			return api.OnResolveResult{Path: filepath.Join(args.ResolveDir, filepath.FromSlash(args.Path)), Suffix: "?" + language}, nil
		})
		build.OnLoad(api.OnLoadOptions{Filter: languages.String(), Namespace: "file"}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			if below(args.Path, []string{sources}) == "" {
				return api.OnLoadResult{}, nil
			}
			contents, err := textsOf(sources, languages.FindStringSubmatch(args.Path)[1])
			return api.OnLoadResult{Contents: &contents, Loader: api.LoaderTS, ResolveDir: filepath.Dir(args.Path)}, err
		})
	}}
}

// textsOf returns the module of a language: all areas but those of English that are loaded first, or code.
func textsOf(sources, language string) (module string, err error) {
	files, err := filepath.Glob(filepath.Join(sources, "*", "*.texts.ts"))
	if err != nil {
		return "", err
	}
	var imports, areas strings.Builder
	for _, file := range files {
		area := camelCase(strings.TrimSuffix(filepath.Base(file), ".texts.ts"))
		if language == "en" && slices.Contains(slices.Concat(firstTexts, codeTexts), area) {
			continue
		}
		fmt.Fprintf(&imports, "import { %s as %s } from %q\n", camelCase(language), area, "../"+filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file))
		fmt.Fprintf(&areas, "%s, ", area)
	}
	return fmt.Sprintf("%sexport const texts = { %s}\n", imports.String(), areas.String()), nil
}

// camelCase returns your-page as yourPage, and zh-Hans as zhHans.
func camelCase(name string) string {
	first, rest, _ := strings.Cut(name, "-")
	for word := range strings.SplitSeq(rest, "-") {
		if word != "" {
			first += strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return first
}
