package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// namesFile has the names of all methods; jsonrpc, below it, sends one of them by itself.
var namesFile = filepath.Join(root, "wasm/engine/names.go")

// methodNames returns the names of methods by their constants.
func methodNames(t *testing.T) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), namesFile, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{engine.MethodCancelled: "MethodCancelled"}
	ast.Inspect(file, func(node ast.Node) bool {
		if spec, ok := node.(*ast.ValueSpec); ok {
			if value, ok := spec.Values[0].(*ast.BasicLit); ok {
				name, err := strconv.Unquote(value.Value)
				if err != nil {
					t.Fatal(err)
				}
				names[name] = spec.Names[0].Name
			}
		}
		return true
	})
	return names
}

// What depends on a method is in the table of package engine: a method that a switch of
// another package forgets has no limit, or needs the wrong right.
func TestMethodsAreNamedInOnePlace(t *testing.T) {
	names := methodNames(t)
	if len(names) < 25 {
		t.Fatalf("%s has %d names", namesFile, len(names))
	}
	inMessage := regexp.MustCompile(`"method":"([^"]+)"`)
	for _, dir := range []string{"wasm", "server", "cmd"} {
		sources(t, dir, func(name, text string) {
			rel, _ := filepath.Rel(root, name)
			switch rel = filepath.ToSlash(rel); {
			case strings.HasSuffix(rel, "_test.go"), strings.HasPrefix(rel, "server/interop/"), strings.HasPrefix(rel, "wasm/internal/enginetest/"): // what others send
				return
			case rel == "wasm/engine/names.go", rel == "wasm/jsonrpc/message.go":
				return
			case rel == "cmd/pagemcp/serve.go": // an example for the shell
				return
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, name, text, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(node ast.Node) bool {
				literal, ok := node.(*ast.BasicLit)
				if !ok || literal.Kind != token.STRING {
					return true
				}
				value, err := strconv.Unquote(literal.Value)
				if err != nil {
					return true
				}
				found := names[value]
				for _, in := range inMessage.FindAllStringSubmatch(value, -1) {
					found += names[in[1]]
				}
				if found != "" {
					t.Errorf("%s: write engine.%s, or read engine.MethodOf", set.Position(literal.Pos()), found)
				}
				return true
			})
		}, ".go")
	}
}

// The package for web apps knows no method by another name.
func TestTypeScriptHasTheSameMethods(t *testing.T) {
	names := methodNames(t)
	families := map[string]bool{}
	for name := range names {
		if family, _, ok := strings.Cut(name, "/"); ok {
			families[family] = true
		}
	}
	quoted := regexp.MustCompile(`'((?:` + strings.Join(slices.Sorted(maps.Keys(families)), "|") + `)/[a-zA-Z_/]+)'`)
	count := 0
	sources(t, "web/src", func(name, text string) {
		for _, found := range quoted.FindAllStringSubmatch(text, -1) {
			count++
			if names[found[1]] == "" {
				t.Errorf("%s: %q is no method of %s", name, found[1], namesFile)
			}
		}
	}, ".ts")
	if count < 30 {
		t.Errorf("%d methods in web/src", count)
	}
}
