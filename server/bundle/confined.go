package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// confined rejects source files that a symbolic link below root reaches outside of it:
// built files are served, and a link could point to any file. Packages may be linked,
// and Go's support file belongs to the toolchain.
func confined(root, goroot string) api.Plugin {
	return api.Plugin{Name: "confined", Setup: func(build api.PluginBuild) {
		inside := realDirs(root, goroot)
		build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: "file"}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			file, err := filepath.EvalSymlinks(args.Path)
			if errors.Is(err, fs.ErrNotExist) {
				return api.OnLoadResult{}, nil // esbuild reports it, with the line
			}
			if err != nil {
				return api.OnLoadResult{}, err
			}
			if below(file, inside) == "" && !strings.Contains(filepath.ToSlash(file), "/node_modules/") {
				return api.OnLoadResult{}, fmt.Errorf("%s is a symbolic link that leads out of the sources", args.Path)
			}
			return api.OnLoadResult{}, nil
		})
	}}
}

// realDirs returns dirs, and each of them with symbolic links resolved.
func realDirs(dirs ...string) (all []string) {
	for _, dir := range dirs {
		all = append(all, dir)
		if plain, err := filepath.EvalSymlinks(dir); err == nil && plain != dir {
			all = append(all, plain)
		}
	}
	return all
}

// below returns the path of file relative to the first of dirs that contains it, with
// slashes, or "".
func below(file string, dirs []string) string {
	for _, dir := range dirs {
		if name, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(name) {
			return filepath.ToSlash(name)
		}
	}
	return ""
}

// relativeSources makes paths in source maps relative to web/, `src/start.ts`, and those of
// Go's files begin with go/. esbuild writes them relative to the output directory, which
// would include directory names of this machine.
func relativeSources(root, goroot string) api.Plugin {
	return api.Plugin{Name: "relative sources", Setup: func(build api.PluginBuild) {
		web, gofiles := realDirs(filepath.Join(root, "web")), realDirs(goroot)
		build.OnEnd(func(result *api.BuildResult) (api.OnEndResult, error) {
			for i, out := range result.OutputFiles {
				if path.Ext(out.Path) != ".map" {
					continue
				}
				contents, err := renameSources(out.Contents, filepath.Dir(out.Path), web, gofiles)
				if err != nil {
					return api.OnEndResult{}, fmt.Errorf("write %s: %w", filepath.Base(out.Path), err)
				}
				result.OutputFiles[i].Contents = contents
			}
			return api.OnEndResult{}, nil
		})
	}}
}

func renameSources(contents []byte, dir string, web, gofiles []string) ([]byte, error) {
	var sourceMap map[string]json.RawMessage
	if err := json.Unmarshal(contents, &sourceMap); err != nil {
		return nil, err
	}
	var sources []string
	if err := json.Unmarshal(sourceMap["sources"], &sources); err != nil {
		return nil, err
	}
	for i, source := range sources {
		file := filepath.FromSlash(source)
		if namespace, own, ok := strings.Cut(source, ":"); ok && len(namespace) > 1 { // one letter: a drive of Windows
			sources[i] = path.Join(directoryOf(namespace), own)
			continue
		} else if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		name := below(file, web)
		if inGo := below(file, gofiles); name == "" && inGo != "" {
			name = "go/" + inGo
		}
		if at := strings.LastIndex(filepath.ToSlash(file), "/node_modules/"); name == "" && at >= 0 {
			name = filepath.ToSlash(file)[at+1:]
		}
		if name == "" {
			name = filepath.Base(file)
		}
		sources[i] = name
	}
	var err error
	if sourceMap["sources"], err = json.Marshal(sources); err != nil {
		return nil, err
	}
	return json.Marshal(sourceMap)
}

// directoryOf returns where the files of a plugin's namespace are, as source maps have it.
// Their paths are relative to it.
func directoryOf(namespace string) string {
	switch namespace {
	case onDemand:
		return "playground"
	case goNamespace:
		return "go"
	}
	return "src"
}
