package bundle

import (
	"errors"
	"os"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// noParser removes the HTML parser from turndown, which gets elements only, never text.
// On loading, turndown tests the parser of the browser, which violates a Trusted Types
// policy and may be reported over the network.
var noParser = api.Plugin{Name: "turndown without a parser", Setup: func(build api.PluginBuild) {
	build.OnLoad(api.OnLoadOptions{Filter: `[\\/]turndown\.browser\.es\.js$`}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		source, err := os.ReadFile(args.Path)
		if err != nil {
			return api.OnLoadResult{}, err
		}
		const parser = "canParseHTMLNatively() ? root.DOMParser : createHTMLParser()"
		if strings.Count(string(source), parser) != 1 {
			return api.OnLoadResult{}, errors.New("turndown creates its parser in a new way: adapt noParser in server/bundle/turndown.go")
		}
		contents := strings.Replace(string(source), parser, "undefined", 1)
		return api.OnLoadResult{Contents: &contents, Loader: api.LoaderJS}, nil
	})
}}
