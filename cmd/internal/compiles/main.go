// Command compiles checks that packages and their tests compile for a system: it parses and checks
// the types of all that they import, from the sources. `go vet` for another system compiles all of
// that, the standard library too, which takes ten times as long.
//
//	GOOS=windows compiles ./...
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

func main() {
	if err := check(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A listed is a package as `go list` has it.
type listed struct {
	Dir        string
	ImportPath string
	GoFiles    []string
	ImportMap  map[string]string // by the path in the source
	Standard   bool
	Module     *struct {
		Main      bool
		GoVersion string
	}
	Error *struct{ Err string }
}

// check checks packages, and what they import, in the order of their imports.
func check(patterns []string) error {
	// Without cgo, as for a release. Packages that a pattern names are listed with their tests.
	list := exec.Command("go", append([]string{"list", "-deps", "-test", "-json=Dir,ImportPath,GoFiles,ImportMap,Standard,Module,Error"}, patterns...)...)
	list.Env = append(os.Environ(), "CGO_ENABLED=0")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	known := packages{"unsafe": types.Unsafe}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if p.Error != nil {
			return fmt.Errorf("%s: %s", p.ImportPath, p.Error.Err)
		}
		if p.ImportPath == "unsafe" || filepath.Ext(p.ImportPath) == ".test" {
			continue // the programs of tests are generated
		}
		if err := known.add(&p); err != nil {
			return err
		}
	}
}

// packages has the checked packages, by import path.
type packages map[string]*types.Package

// add checks a package. Functions of others than this module's have no bodies: they are compiled
// for each system elsewhere.
func (k packages) add(p *listed) error {
	isOwn := p.Module != nil && p.Module.Main
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		parsed = append(parsed, f)
	}
	config := types.Config{
		Importer:         importer{k, p.ImportMap},
		IgnoreFuncBodies: !isOwn,
		FakeImportC:      true,
		Sizes:            types.SizesFor("gc", runtime.GOARCH),
	}
	if isOwn {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	checked, err := config.Check(p.ImportPath, files, parsed, nil)
	if err != nil {
		return fmt.Errorf("%s, for %s: %w", p.ImportPath, os.Getenv("GOOS"), err)
	}
	k[p.ImportPath] = checked
	return nil
}

// An importer is that of one package.
type importer struct {
	packages
	names map[string]string
}

// Import implements [types.Importer].
func (i importer) Import(path string) (*types.Package, error) {
	if name, ok := i.names[path]; ok {
		path = name
	}
	if p := i.packages[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%s was not listed before", path)
}
