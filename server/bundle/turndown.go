package bundle

import (
	"errors"
	"os"
	"regexp"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// adaptTurndown removes the HTML parser from turndown, which gets elements only, never text.
// On loading, turndown tests the parser of the browser, which violates a Trusted Types
// policy and may be reported over the network. Its plug-in, which is a CommonJS module,
// becomes an ES module: otherwise each chunk imports esbuild's support for CommonJS.
var adaptTurndown = api.Plugin{Name: "turndown", Setup: func(build api.PluginBuild) {
	build.OnLoad(api.OnLoadOptions{Filter: `[\\/]turndown\.browser\.es\.js$`}, edit(func(source string) (string, error) {
		const parser = "canParseHTMLNatively() ? root.DOMParser : createHTMLParser()"
		if strings.Count(source, parser) != 1 {
			return "", errors.New("turndown creates its parser in a new way: adapt server/bundle/turndown.go")
		}
		return strings.Replace(source, parser, "undefined", 1), nil
	}))
	exported := regexp.MustCompile(`(?m)^exports\.(\w+) = (\w+);$`)
	marked := regexp.MustCompile(`(?m)^Object\.defineProperty\(exports, '__esModule', .*$`)
	build.OnLoad(api.OnLoadOptions{Filter: `[\\/]turndown-plugin-gfm\.cjs\.js$`}, edit(func(source string) (string, error) {
		edited := marked.ReplaceAllString(exported.ReplaceAllString(source, "export { $2 as $1 };"), "")
		if !strings.Contains(edited, "export { gfm as gfm };") || strings.Contains(edited, "exports") || strings.Contains(edited, "require(") {
			return "", errors.New("@joplin/turndown-plugin-gfm exports in a new way: adapt server/bundle/turndown.go")
		}
		return edited, nil
	}))
}}

// edit loads a JavaScript file as edited by a function.
func edit(edited func(source string) (string, error)) func(api.OnLoadArgs) (api.OnLoadResult, error) {
	return func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		source, err := os.ReadFile(args.Path)
		if err != nil {
			return api.OnLoadResult{}, err
		}
		contents, err := edited(string(source))
		return api.OnLoadResult{Contents: &contents, Loader: api.LoaderJS}, err
	}
}
