package bundle

import "github.com/evanw/esbuild/pkg/api"

// BuildBench builds the benchmark page, below /bench/, and the npm package that it
// compares with others, with the settings of every build.
func BuildBench(root string) (Files, error) {
	parts, err := packageWith(root,
		api.EntryPoint{InputPath: "web/bench/page.ts", OutputPath: "bench/page"},
		api.EntryPoint{InputPath: "web/bench/sdk-worker.ts", OutputPath: "bench/sdk-worker"},
		api.EntryPoint{InputPath: "web/bench/gateway-page.ts", OutputPath: "bench/gateway-page"},
		api.EntryPoint{InputPath: "web/bench/gateway-page.html", OutputPath: "bench/gateway-page"},
		api.EntryPoint{InputPath: "web/bench/index.html", OutputPath: "bench/index"},
	)
	if err != nil {
		return nil, err
	}
	return parts.build()
}
