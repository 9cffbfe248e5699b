package bundle

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// NodeProgram returns the Node that `npm ci` has installed below root, or the one on the PATH.
func NodeProgram(root string) string {
	own := filepath.Join(root, "web", "node_modules", ".bin", "node")
	if _, err := os.Stat(own); err == nil {
		if own, err = filepath.Abs(own); err == nil {
			return own
		}
	}
	return "node"
}

// declarations returns the declarations (*.d.ts) of modules of web/src, named like
// "index.d.ts", and of all that they import, by path below web/src. The TypeScript compiler
// must be installed below web/.
func declarations(root string, modules []string) (map[string][]byte, error) {
	web, err := filepath.Abs(filepath.Join(root, "web"))
	if err != nil {
		return nil, err
	}
	tsc := filepath.Join(web, "node_modules", "typescript", "bin", "tsc")
	if _, err := os.Stat(tsc); err != nil {
		return nil, fmt.Errorf("write the declarations: %w; run `npm install` in %s", err, web)
	}
	dir, err := os.MkdirTemp("", "pagemcp-types-")
	if err != nil {
		return nil, fmt.Errorf("write the declarations: %w", err)
	}
	defer os.RemoveAll(dir)
	command := exec.Command(NodeProgram(root), tsc, "-p", "tsconfig.build.json", "--outDir", dir)
	command.Dir = web
	if out, err := command.CombinedOutput(); err != nil {
		return nil, &Error{Text: string(out)}
	}
	found := map[string][]byte{}
	for len(modules) > 0 {
		name := modules[0]
		modules = modules[1:]
		if found[name] != nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, "src", filepath.FromSlash(name)))
		if err != nil {
			return nil, fmt.Errorf("write the declarations: %w", err)
		}
		contents, imported := publishedDeclaration(string(text))
		found[name] = []byte(contents)
		for _, other := range imported {
			modules = append(modules, path.Join(path.Dir(name), strings.TrimSuffix(other, ".js")+".d.ts"))
		}
	}
	return found, nil
}

var relativeImport = regexp.MustCompile(`(\bfrom |\bimport\(|\bimport )(['"])(\.\.?/[^'"]+)\.ts(['"])`)

// publishedDeclaration returns a declaration with imports of './x.js' instead of './x.ts',
// as only the former is in the package, and these imports.
func publishedDeclaration(text string) (published string, imports []string) {
	for _, found := range relativeImport.FindAllStringSubmatch(text, -1) {
		imports = append(imports, found[3]+".js")
	}
	return relativeImport.ReplaceAllString(text, "$1$2$3.js$4"), imports
}
