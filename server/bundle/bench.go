package bundle

import (
	"maps"
	"path"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// BuildBench builds the benchmark pages, below /bench/, the npm package that they
// compare with others, and apps of a bundler, below /app/, with the settings of every
// build.
func BuildBench(root string) (Files, error) {
	parts, err := packageWith(root,
		api.EntryPoint{InputPath: "web/bench/page.ts", OutputPath: "bench/page"},
		api.EntryPoint{InputPath: "web/bench/sdk-worker.ts", OutputPath: "bench/sdk-worker"},
		api.EntryPoint{InputPath: "web/bench/gateway-page.ts", OutputPath: "bench/gateway-page"},
		api.EntryPoint{InputPath: "web/bench/gateway-page.html", OutputPath: "bench/gateway-page"},
		api.EntryPoint{InputPath: "web/bench/gateway-null.ts", OutputPath: "bench/gateway-null"},
		api.EntryPoint{InputPath: "web/bench/gateway-null.html", OutputPath: "bench/gateway-null"},
		api.EntryPoint{InputPath: "web/bench/index.html", OutputPath: "bench/index"},
	)
	if err != nil {
		return nil, err
	}
	files, err := parts.build()
	if err != nil {
		return nil, err
	}
	apps, err := benchApps(root, files)
	if err != nil {
		return nil, err
	}
	maps.Copy(files, apps)
	return files, nil
}

// appDir is the path of the apps in Files. The package's other files are copied there, as
// bundlers do.
const appDir = "/app/"

// startPages are the modules of web/bench/start whose start-up is measured.
var startPages = [...]string{"null", "ts1", "ts2", "ours"}

// sizedApps are apps whose size is measured, by what they import from 'pagemcp', or from
// one of its entry points.
var sizedApps = map[string]struct{ names, entry string }{
	"size-start":     {"start", "index"},
	"size-idb":       {"start, idb", "index"},
	"size-page":      {"start, page", "index"},
	"size-storage":   {"start, storage", "index"},
	"size-tabs":      {"start, tabs", "index"},
	"size-connectTo": {"connectTo", "client"},
}

// benchApps bundles apps from the built package: only what an app uses of index.js is in it.
func benchApps(root string, built Files) (Files, error) {
	options, err := baseOptions(root, false)
	if err != nil {
		return nil, err
	}
	for _, name := range startPages {
		options.EntryPointsAdvanced = append(options.EntryPointsAdvanced, api.EntryPoint{InputPath: "web/bench/start/" + name + ".ts", OutputPath: "app/" + name})
	}
	for name := range sizedApps {
		options.EntryPointsAdvanced = append(options.EntryPointsAdvanced, api.EntryPoint{InputPath: "sized:" + name, OutputPath: "app/" + name})
	}
	options.Plugins = append([]api.Plugin{sizedApp, packedPackage(root, built)}, options.Plugins...)
	files, err := filesOf(api.Build(*options))
	if err != nil {
		return nil, err
	}
	for name, contents := range built {
		if below, ok := strings.CutPrefix(name, Package); ok && below != "index.js" {
			files[appDir+below] = contents
		}
	}
	return files, nil
}

// sizedApp resolves the entry points of sizedApps.
var sizedApp = api.Plugin{Name: "sized app", Setup: func(build api.PluginBuild) {
	build.OnResolve(api.OnResolveOptions{Filter: "^sized:"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
		return api.OnResolveResult{Path: strings.TrimPrefix(args.Path, "sized:"), Namespace: "sized"}, nil
	})
	build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "sized"}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		app := sizedApps[args.Path]
		contents := "import { " + app.names + " } from 'pagemcp/" + app.entry + "'\nglobalThis.used = [" + app.names + "]\n"
		return api.OnLoadResult{Contents: &contents}, nil
	})
}}

// packedPackage resolves 'pagemcp' and its entry points to their built files, whose relative
// imports stay.
func packedPackage(root string, built Files) api.Plugin {
	return api.Plugin{Name: "packed package", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: `^pagemcp(/\w+)?$`}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: path.Base(publicModule(args.Path)) + ".js", Namespace: "packed", SideEffects: api.SideEffectsFalse}, nil
		})
		build.OnResolve(api.OnResolveOptions{Filter: `^\./`, Namespace: "packed"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: args.Path, External: true}, nil
		})
		build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "packed"}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			contents := string(built[path.Join(Package, args.Path)])
			return api.OnLoadResult{Contents: &contents, Loader: api.LoaderJS, ResolveDir: filepath.Join(root, "web")}, nil
		})
	}}
}
