package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pagemcp/pagemcp/server/published"
)

// A manifest has the fields of the published package.json, in their order. Development
// dependencies and scripts of web/package.json are left out.
type manifest struct {
	Name          string                          `json:"name"`
	Version       string                          `json:"version"`
	Description   string                          `json:"description,omitempty"`
	Keywords      []string                        `json:"keywords,omitempty"`
	Homepage      string                          `json:"homepage,omitempty"`
	Bugs          string                          `json:"bugs,omitempty"`
	Repository    json.RawMessage                 `json:"repository,omitempty"`
	MCPName       string                          `json:"mcpName,omitempty"` // in the MCP registry
	License       string                          `json:"license,omitempty"`
	Author        string                          `json:"author,omitempty"`
	Type          string                          `json:"type"`
	SideEffects   bool                            `json:"sideEffects"`
	Main          string                          `json:"main"`
	Module        string                          `json:"module"`
	Types         string                          `json:"types"`
	TypesVersions map[string]map[string][1]string `json:"typesVersions"`
	Exports       exports                         `json:"exports"`
	Bin           map[string]string               `json:"bin"`
	Engines       json.RawMessage                 `json:"engines,omitempty"`
	Peers         json.RawMessage                 `json:"peerDependencies,omitempty"`
	PeersMeta     json.RawMessage                 `json:"peerDependenciesMeta,omitempty"`
	Optional      map[string]string               `json:"optionalDependencies,omitempty"`
	PublishConfig json.RawMessage                 `json:"publishConfig,omitempty"`
}

// platforms has each platform that the program is published for: process.platform and process.arch
// of Node. The launcher has the same list.
var platforms = [...]string{"darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64", "win32-arm64", "win32-x64"}

// PlatformPackage returns the name of the npm package with the program for a platform, such
// as "linux-x64".
func PlatformPackage(platform string) string { return published.Scope + "/" + platform }

// Launcher is the file of the npm package that starts the program, below [Package].
const Launcher = "bin/pagemcp.js"

// exports are the entry points of a package: each a module with its declarations, or a file.
type exports []export

type export struct{ name, types, file string }

// UnmarshalJSON reads the exports of web/package.json, which name sources.
func (e *exports) UnmarshalJSON(text []byte) error {
	var files map[string]string
	if err := json.Unmarshal(text, &files); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		one := export{name: name, file: files[name]}
		if module, ok := strings.CutPrefix(one.file, "./src/"); ok {
			module = strings.TrimSuffix(module, ".ts")
			one.file, one.types = "./"+module+".js", "./types/"+module+".d.ts"
		}
		*e = append(*e, one)
	}
	return nil
}

// MarshalJSON writes the condition "types" first, as it has to be.
func (e exports) MarshalJSON() ([]byte, error) {
	var members []string
	for _, one := range e {
		target := fmt.Sprintf("%q", one.file)
		if one.types != "" {
			target = fmt.Sprintf(`{"types":%q,"default":%q}`, one.types, one.file)
		}
		members = append(members, fmt.Sprintf("%q:%s", one.name, target))
	}
	return []byte("{" + strings.Join(members, ",") + "}"), nil
}

// npmManifest returns the package.json to publish.
func npmManifest(root string) ([]byte, exports, error) {
	text, err := os.ReadFile(filepath.Join(root, "web", "package.json"))
	if err != nil {
		return nil, nil, fmt.Errorf("write package.json: %w", err)
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, nil, fmt.Errorf("read web/package.json: %w", err)
	}
	m.Main, m.Module, m.Types = "./index.js", "./index.js", "./types/index.d.ts"
	// For TypeScript's "moduleResolution": "node10", which does not read exports.
	types := map[string][1]string{}
	for _, one := range m.Exports {
		if name, ok := strings.CutPrefix(one.name, "./"); ok && one.types != "" {
			types[name] = [1]string{one.types}
		}
	}
	m.TypesVersions = map[string]map[string][1]string{"*": types}
	m.Bin = map[string]string{published.Package: "./" + Launcher}
	if published.Registered { // else npm would fetch programs of another owner of these names
		m.Optional = map[string]string{}
		for _, platform := range platforms {
			m.Optional[PlatformPackage(platform)] = m.Version
		}
	}
	var written bytes.Buffer
	encoder := json.NewEncoder(&written)
	encoder.SetEscapeHTML(false) // ">=20"
	encoder.SetIndent("", "  ")
	err = encoder.Encode(m)
	return written.Bytes(), m.Exports, err
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
	text, exports, err := npmManifest(root)
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
	var declared []string
	for _, one := range exports {
		if one.types != "" {
			declared = append(declared, strings.TrimPrefix(one.types, "./types/"))
		}
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
