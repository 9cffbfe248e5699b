package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// A mutant is a file with one change.
type mutant struct {
	file   string // base name
	path   string
	number int    // of the line
	line   string // before the change
	what   string // the change
	text   []byte // the whole file with the change
}

// swaps maps operators to their replacements.
var swaps = map[token.Token]string{
	token.EQL: "!=", token.NEQ: "==", token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">",
	token.LAND: "||", token.LOR: "&&", token.ADD: "-", token.SUB: "+",
}

// mutantsOf returns every mutant of the files in dir that match pattern, without tests,
// in the order of files and positions.
func mutantsOf(dir, pattern string) (all []mutant, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		found, err := mutate(path, source)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("nothing to change in %s that matches %s", dir, pattern)
	}
	return all, nil
}

// mutate returns every mutant of one file: an operator is replaced, a condition is made
// constant, a statement that is a call, or a defer, is removed.
func mutate(path string, source []byte) (all []mutant, err error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	edit := func(from, to token.Pos, with, what string) {
		start, end := set.Position(from), set.Position(to)
		text := append(append(append([]byte(nil), source[:start.Offset]...), with...), source[end.Offset:]...)
		all = append(all, mutant{
			file: filepath.Base(path), path: path, number: start.Line, what: what, text: text,
			line: strings.TrimSpace(strings.Split(string(source), "\n")[start.Line-1]),
		})
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.BinaryExpr:
			if with, known := swaps[n.Op]; known {
				edit(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), with, n.Op.String()+" becomes "+with)
			}
		case *ast.IfStmt:
			condition := string(source[set.Position(n.Cond.Pos()).Offset:set.Position(n.Cond.End()).Offset])
			edit(n.Cond.Pos(), n.Cond.End(), "false && ("+condition+")", "the condition never holds")
			edit(n.Cond.Pos(), n.Cond.End(), "true || ("+condition+")", "the condition always holds")
		case *ast.ExprStmt:
			if _, isCall := n.X.(*ast.CallExpr); isCall {
				edit(n.Pos(), n.End(), "", "the call is left out")
			}
		case *ast.DeferStmt:
			edit(n.Pos(), n.End(), "", "the defer is left out")
		}
		return true
	})
	return all, nil
}
