package bundle

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// lazyModules are the modules of web/src that are loaded on demand. Each is a separate
// file of the package.
var lazyModules = [...]string{
	"access/decisions", "access/dialog", "answer-call", "listen", "redact-contents", "skills",
	"sources/idb-reader", "sources/page-content", "validate", "webmcp",
}

// lazyModule keeps dynamic imports of lazyModules as imports of separate files. The
// splitting of esbuild would also move code that they share with index.js to further
// files. worker.js is built without it: bundlers copy it as one file.
func lazyModule(root string) api.Plugin {
	return api.Plugin{Name: "lazy module", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: `^\.{1,2}/.*\.ts$`}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			if args.Kind != api.ResolveJSDynamicImport {
				return api.OnResolveResult{}, nil
			}
			imported := filepath.Join(args.ResolveDir, filepath.FromSlash(args.Path))
			for _, module := range lazyModules {
				if imported == filepath.Join(root, filepath.FromSlash(lazySource(module))) {
					return api.OnResolveResult{Path: "./" + path.Base(module) + ".js", External: true}, nil
				}
			}
			return api.OnResolveResult{}, nil
		})
	}}
}

func lazySource(module string) string { return "web/src/" + module + ".ts" }

// goNamespace is the namespace of files of the Go toolchain.
const goNamespace = "go"

// wasmExec resolves `import 'wasm_exec'` to the support file of the Go toolchain that
// builds engine.wasm. Both must have the same version, so the file is never copied into
// the project.
func wasmExec(goroot string) api.Plugin {
	return api.Plugin{Name: "wasm_exec", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: `^wasm_exec$`}, func(api.OnResolveArgs) (api.OnResolveResult, error) {
			// Names of chunks depend on the path: it must not be the way from the sources to the toolchain.
			return api.OnResolveResult{Path: "lib/wasm/wasm_exec.js", Namespace: goNamespace, SideEffects: api.SideEffectsTrue}, nil
		})
		build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: goNamespace}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			text, err := os.ReadFile(filepath.Join(goroot, filepath.FromSlash(args.Path)))
			if err != nil {
				return api.OnLoadResult{}, err
			}
			contents, err := withoutUnused(string(text))
			contents += "export {}\n" // an ES module takes less code of esbuild's than a script
			return api.OnLoadResult{Contents: &contents, Loader: api.LoaderJS}, err
		})
	}}
}

// unused are parts of wasm_exec.js that the engine does not need, since it imports no package
// os: functions of a file system that all fail, the process, paths; functions of syscall/js
// that it does not import; what is for tests of Go itself; and messages for browsers that the package does not support. An
// engine that imports one of them fails to start, with its name. times is how
// often each occurs at least.
var unused = [...]struct {
	part  *regexp.Regexp
	times int
}{
	{regexp.MustCompile(`(?m)^\t\t\t\w+\([\w, ]*\) \{ callback\((?:enosys\(\)|null)\); \},\n`), 20},
	{regexp.MustCompile(`(?ms)^\t\t\twrite\([\w, ]*\) \{\n.*?^\t\t\t\},\n`), 1},
	{regexp.MustCompile(`(?ms)^\tif \(!globalThis\.(?:process|path)\) \{\n.*?^\t\}\n`), 2},
	{regexp.MustCompile(`(?m)^\tif \(!globalThis\.\w+\) \{\n\t\tthrow new Error\("[^"]*polyfill required[^"]*"\);\n\t\}\n`), 4},
	{regexp.MustCompile(`(?ms)^\t{5}"syscall/js\.(?:valueDelete|valueInvoke|valueInstanceOf|copyBytesToGo|copyBytesToJS)": .*?^\t{5}\},\n`), 5},
	{regexp.MustCompile(`(?ms)^\tconst enosys = .*?^\t\};\n`), 1},
	{regexp.MustCompile(`(?ms)^\t{3}const testCallExport = .*?^\t{3}\}\n`), 1},
	{regexp.MustCompile(`(?ms)^\t{4}_gotest: \{\n.*?^\t{4}\},\n`), 1},
	{regexp.MustCompile(`(?ms)^\t{5}"debug": .*?^\t{5}\},?\n`), 1},
}

// withoutUnused removes what is unused from the text of wasm_exec.js.
func withoutUnused(text string) (string, error) {
	for _, one := range unused {
		if len(one.part.FindAllString(text, -1)) < one.times {
			return "", errors.New("wasm_exec.js has changed: adapt unused in server/bundle/plugins.go")
		}
		text = one.part.ReplaceAllString(text, "")
	}
	return text, nil
}

// engineEntry is the entry point that engineWasm resolves.
const engineEntry = "engine.wasm"

// engineWasm builds the engine. Directories are watched for added and removed files, and
// files for changes, which watching a directory does not detect.
func engineWasm(root string) api.Plugin {
	return api.Plugin{Name: "engine.wasm", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: `^engine\.wasm$`}, func(api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: engineEntry, Namespace: "engine"}, nil
		})
		build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: "engine"}, func(api.OnLoadArgs) (api.OnLoadResult, error) {
			dirs, files, err := goSources(root)
			if err != nil {
				return api.OnLoadResult{}, err
			}
			result := api.OnLoadResult{WatchDirs: dirs, WatchFiles: files, Loader: api.LoaderCopy}
			built, err := BuildEngine(context.Background(), root)
			if mistake := (*Error)(nil); errors.As(err, &mistake) { // returned as an error, it would end the watch of these files
				result.Errors = []api.Message{{Text: mistake.Text}}
				return result, nil
			}
			contents := string(built)
			result.Contents = &contents
			return result, err
		})
	}}
}

// goSources returns the directories and files from which engine.wasm is built.
func goSources(root string) (dirs, files []string, err error) {
	files = []string{filepath.Join(root, "go.mod"), filepath.Join(root, "go.sum")}
	err = filepath.WalkDir(filepath.Join(root, "wasm"), func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return fs.SkipDir
		case d.IsDir():
			dirs = append(dirs, name)
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			files = append(files, name)
		}
		return nil
	})
	return dirs, files, err
}

// hotPackages are the packages of the hot path. All others, the runtime included, are
// compiled without inlining: that saves 50 KB (brotli) of download without a measurable
// cost.
var hotPackages = [...]string{"wasm", "wasm/engine", "wasm/jsonrpc"}

// BuildEngine compiles wasm/ below root and returns engine.wasm; an *[Error] has the messages of the
// compiler. The file has no build id, which would differ between machines and does not
// compress.
func BuildEngine(ctx context.Context, root string) ([]byte, error) {
	linked, err := linkEngine(ctx, root)
	if err != nil {
		return nil, err
	}
	return joinSegments(linked)
}

// linkEngine returns the engine as the Go toolchain makes it.
func linkEngine(ctx context.Context, root string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "pagemcp-")
	if err != nil {
		return nil, fmt.Errorf("build engine.wasm: %w", err)
	}
	defer os.RemoveAll(dir)
	overlay, err := writeOverlay(root, dir)
	if err != nil {
		return nil, fmt.Errorf("build engine.wasm: %w", err)
	}
	out := filepath.Join(dir, "engine.wasm")
	args := []string{"build", "-trimpath", "-buildvcs=false", "-overlay=" + overlay, "-ldflags=-s -w -buildid=", "-o", out}
	args = append(args, "-gcflags=all=-l")
	for _, hot := range hotPackages {
		args = append(args, "-gcflags=github.com/pagemcp/pagemcp/"+hot+"=")
	}
	command := exec.CommandContext(ctx, "go", append(args, "./wasm")...)
	command.Dir = root
	command.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	output, err := command.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return nil, &Error{Text: string(output)}
	case errors.Is(err, exec.ErrNotFound):
		return nil, errors.New("build engine.wasm: there is no `go` on the PATH; install Go 1.26 or newer")
	case err != nil:
		return nil, fmt.Errorf("build engine.wasm: %w", err)
	}
	built, err := os.ReadFile(out)
	if err != nil {
		return nil, fmt.Errorf("build engine.wasm: %w", err)
	}
	return built, nil
}

// goRoot returns GOROOT of the toolchain that builds the engine.
func goRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", errors.New("find Go: there is no working `go` on the PATH; install Go 1.26 or newer")
	}
	return strings.TrimSpace(string(out)), nil
}
