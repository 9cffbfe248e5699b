package bundle

import (
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// BuildBench makes the page of the benchmark, below /bench/, and the npm package
// that it races: ours and its peers with the settings of every build.
func BuildBench(root string) (Files, error) {
	options, err := buildOptions(root, false)
	if err != nil {
		return nil, err
	}
	options.EntryPointsAdvanced = append(
		slices.DeleteFunc(options.EntryPointsAdvanced, func(entry api.EntryPoint) bool {
			return !strings.HasPrefix(entry.OutputPath, "pagemcp/")
		}),
		api.EntryPoint{InputPath: "web/bench/page.ts", OutputPath: "bench/page"},
		api.EntryPoint{InputPath: "web/bench/index.html", OutputPath: "bench/index"},
	)
	return filesOf(api.Build(*options))
}
