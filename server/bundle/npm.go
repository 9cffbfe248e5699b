package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/pagemcp/pagemcp/server/published"
)

// platforms has each platform that the program is published for: process.platform and process.arch
// of Node. The launcher has the same list.
var platforms = [...]string{"darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64", "win32-arm64", "win32-x64"}

// PlatformPackage returns the name of the npm package with the program for a platform, such
// as "linux-x64".
func PlatformPackage(platform string) string { return published.Scope + "/" + platform }

// Launcher is the file of the npm package that starts the program, below [Package].
const Launcher = "bin/pagemcp.js"

// An entry point of the package: a module with its declarations. TypeScript needs the condition "types" first.
type entryPoint struct {
	Types   string `json:"types"`
	Default string `json:"default"`
}

// npmManifest returns the package.json to publish, and the declarations of its modules, below types/. Development
// dependencies and scripts of web/package.json are left out, and its exports, which name sources, name built files.
func npmManifest(root string) (text []byte, declared []string, err error) {
	source, err := os.ReadFile(filepath.Join(root, "web", "package.json"))
	if err != nil {
		return nil, nil, fmt.Errorf("write package.json: %w", err)
	}
	var m map[string]any
	if err := json.Unmarshal(source, &m); err != nil {
		return nil, nil, fmt.Errorf("read web/package.json: %w", err)
	}
	for _, own := range [...]string{"private", "workspaces", "scripts", "dependencies", "devDependencies", "optionalDependencies", "overrides"} {
		delete(m, own)
	}
	exports, _ := m["exports"].(map[string]any)
	types := map[string][1]string{} // for TypeScript's "moduleResolution": "node10", which does not read exports
	for name, file := range exports {
		module, isModule := strings.CutPrefix(fmt.Sprint(file), "./src/")
		if !isModule {
			continue
		}
		module = strings.TrimSuffix(module, ".ts")
		declared = append(declared, module+".d.ts")
		one := entryPoint{"./types/" + module + ".d.ts", "./" + module + ".js"}
		exports[name] = one
		if name != "." {
			types[strings.TrimPrefix(name, "./")] = [1]string{one.Types}
		}
	}
	m["main"], m["module"], m["types"] = "./index.js", "./index.js", "./types/index.d.ts"
	m["typesVersions"] = map[string]any{"*": types}
	m["bin"] = map[string]string{published.Package: "./" + Launcher}
	if published.Registered { // else npm would fetch programs of another owner of these names
		optional := map[string]any{}
		for _, platform := range platforms {
			optional[PlatformPackage(platform)] = m["version"]
		}
		m["optionalDependencies"] = optional
	}
	var written bytes.Buffer
	encoder := json.NewEncoder(&written)
	encoder.SetEscapeHTML(false) // ">=20"
	encoder.SetIndent("", "  ")
	err = encoder.Encode(m)
	return written.Bytes(), declared, err
}

// PackageFiles returns the files of the npm package: its part of files, declarations,
// documents, the launcher and package.json.
func PackageFiles(root string, files Files) (Files, error) {
	all := Files{}
	for name, contents := range files {
		if strings.HasPrefix(name, Package) {
			all[name] = contents
		}
	}
	text, declared, err := npmManifest(root)
	if err != nil {
		return nil, err
	}
	all[Package+"package.json"] = text
	for name, from := range map[string]string{
		"README.md": "web/README.md", "CHANGELOG.md": "web/CHANGELOG.md", "LICENSE": "LICENSE", Launcher: "web/src/" + Launcher,
	} {
		if all[Package+name], err = os.ReadFile(filepath.Join(root, filepath.FromSlash(from))); err != nil {
			return nil, fmt.Errorf("collect the package: %w", err)
		}
	}
	if all[Package+"README.md"], err = published.Text(all[Package+"README.md"], versionOf(text)); err != nil {
		return nil, fmt.Errorf("collect the package: README.md: %w", err)
	}
	types, err := declarations(root, declared)
	if err != nil {
		return nil, err
	}
	for name, contents := range types {
		all[Package+"types/"+name] = contents
	}
	return all, nil
}

// versionOf returns the version in a package.json.
func versionOf(manifest []byte) string {
	var m struct{ Version string }
	if err := json.Unmarshal(manifest, &m); err != nil {
		return ""
	}
	return m.Version
}

// WritePackage writes the npm package to dir. Other files in dir are removed.
func WritePackage(root, dir string, files Files) error {
	all, err := PackageFiles(root, files)
	if err != nil {
		return err
	}
	if err := all.Write(dir, Package); err != nil {
		return err
	}
	return removeOthers(dir, all)
}

// removeOthers removes files below dir that are not in files.
func removeOthers(dir string, files Files) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		below, err := filepath.Rel(dir, name)
		if err != nil || files[path.Join(Package, filepath.ToSlash(below))] != nil {
			return err
		}
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove a file of an earlier build: %w", err)
		}
		return nil
	})
}
