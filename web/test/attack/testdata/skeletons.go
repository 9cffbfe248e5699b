// Command skeletons parses Go programs, a JSON array of texts, and writes of each its
// string literals and what is left without them, for programs.long.ts.
package main

import (
	"encoding/json"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"log"
	"os"
	"strconv"
	"strings"
)

type skeleton struct {
	Error    string
	Literals []string
	Rest     string
}

func main() {
	var programs []string
	if err := json.NewDecoder(os.Stdin).Decode(&programs); err != nil {
		log.Fatal(err)
	}
	all := make([]skeleton, len(programs))
	for i, program := range programs {
		all[i] = skeletonOf(program)
	}
	if err := json.NewEncoder(os.Stdout).Encode(all); err != nil {
		log.Fatal(err)
	}
}

func skeletonOf(program string) (s skeleton) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "main.go", program, 0) // without comments
	if err != nil {
		return skeleton{Error: err.Error()}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				s.Error = err.Error()
			}
			s.Literals = append(s.Literals, text)
			literal.Value = `""`
		}
		return true
	})
	var rest strings.Builder
	if err := format.Node(&rest, files, file); err != nil {
		s.Error = err.Error()
	}
	s.Rest = rest.String()
	return s
}
