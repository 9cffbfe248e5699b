package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/web"
)

// programPackages are those whose errors a user of the program sees.
var programPackages = []string{"cmd/pagemcp", "server", "server/clientconfig", "server/devserver", "server/internal/loopback", "server/site"}

// withoutEntry are errors that explain themselves to those who get them: programs that
// embed the gateway, its own control client, and damaged files.
var withoutEntry = []string{
	"serve: call Listen first", "NoToken requires Listen", "host %q: want", "mount %q:", // of server.Options and Mount
	"the gateway is closed", "the request is too large", "want {\"origin\"", "name an origin, or all", "want {\"precedence\"", "want {\"seconds\"", "a pause has 0 to", "want {\"name\"", "it ends when it is stopped only", // of the control endpoint
	"the file contains no valid", "the entry of", "locked by another process", "no such socket", "open the embedded files", "nonce must be", "signing the nonce",
	"a path or flag of the service contains a line break", "another gateway replaces this one",
}

// context matches errors that only say where another one happened, or what to do about it.
var context = regexp.MustCompile(`^[^:;%]*(?:%[a-z][^:;%]*)*: %w(?:[: ]+%s)?$|^%w$|^%w[:;] (?:stop it|in a clone|see )`)

// Every error of the program that a user can act on, and every finding of `pagemcp doctor`,
// leads to an entry of the documentation, as the program finds it.
func TestErrorsOfTheProgramHaveEntries(t *testing.T) {
	page := string(files(t)[Path+"troubleshooting.html"])
	check := func(message string) string {
		anchor, ok := web.Entry(verb.ReplaceAllString(message, "x"))
		switch {
		case !ok:
			return "no entry in web/docs/troubleshooting.md for " + strconv.Quote(message)
		case !strings.Contains(page, ` id="`+anchor+`"`):
			return "the page has no anchor " + anchor
		}
		return ""
	}
	explained := func(message string) bool {
		return slices.ContainsFunc(withoutEntry, func(own string) bool { return strings.Contains(message, own) })
	}
	count, findings := 0, 0
	for _, dir := range programPackages {
		names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for message, at := range errorTexts(file) {
				count++
				if context.MatchString(message) || explained(message) {
					continue
				}
				if problem := check(message); problem != "" {
					t.Errorf("%s: %s", set.Position(at), problem)
				}
			}
			for message, at := range findingTexts(file) {
				findings++
				if problem := check(message); problem != "" {
					t.Errorf("%s: %s", set.Position(at), problem)
				}
			}
		}
	}
	if count < 100 || findings < 25 {
		t.Errorf("%d errors, %d findings", count, findings)
	}
}

// Each entry is found by its own message, with values in place of each ….
func TestEntriesAreFoundByTheirMessages(t *testing.T) {
	page := string(files(t)[Path+"troubleshooting.html"])
	count := 0
	for _, found := range entryHeading.FindAllStringSubmatch(string(files(t)[Path+"troubleshooting.md"]), -1) {
		count++
		message := strings.ReplaceAll(found[1], "…", "127.0.0.1:8808")
		anchor, ok := web.Entry("pagemcp: it failed: " + message + " (more)")
		if want := web.Anchor(found[1]); !ok || anchor != want || !strings.Contains(page, ` id="`+want+`"`) {
			t.Errorf("%s: %q, want %q", message, anchor, want)
		}
	}
	if count < 200 {
		t.Errorf("%d entries", count)
	}
	for _, none := range []string{"", "…", "x", "an error that is nowhere described"} {
		if anchor, ok := web.Entry(none); ok {
			t.Errorf("%q: %s", none, anchor)
		}
	}
}

var (
	entryHeading = regexp.MustCompile("(?m)^### `+(.*?)`+$")
	verb         = regexp.MustCompile(`%(?:\[\d+\])?[a-z]`) // of fmt
)

// errorTexts returns the texts of errors.New and fmt.Errorf in a file.
func errorTexts(file *ast.File) map[string]token.Pos {
	all := map[string]token.Pos{}
	ast.Inspect(file, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		function, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || function.Sel.Name != "Errorf" && function.Sel.Name != "New" {
			return true
		}
		if from, ok := function.X.(*ast.Ident); !ok || from.Name != "errors" && from.Name != "fmt" {
			return true
		}
		if literal, ok := call.Args[0].(*ast.BasicLit); ok {
			if text, err := strconv.Unquote(literal.Value); err == nil {
				all[text] = literal.Pos()
			}
		}
		return true
	})
	return all
}

// findingTexts returns the texts of findings that are not "ok": what is given to problem and
// warning of a diagnosis, and to the function add of cmd/pagemcp. Values are %s.
func findingTexts(file *ast.File) map[string]token.Pos {
	all := map[string]token.Pos{}
	ast.Inspect(file, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		var text ast.Expr
		switch function := call.Fun.(type) {
		case *ast.SelectorExpr:
			if len(call.Args) == 3 && (function.Sel.Name == "problem" || function.Sel.Name == "warning") {
				text = call.Args[1]
			}
		case *ast.Ident:
			if len(call.Args) != 4 || function.Name != "add" {
				break
			}
			if level, ok := call.Args[1].(*ast.SelectorExpr); ok && level.Sel.Name != "LevelOK" {
				text = call.Args[2]
			}
		}
		if text == nil {
			return true
		}
		if message := written(text); message != "%s" { // only an error, which has an entry of its own
			all[message] = text.Pos()
		}
		return true
	})
	return all
}

// written returns the text of an expression: literals, sums, and formats of fmt.Sprintf.
func written(text ast.Expr) string {
	switch text := text.(type) {
	case *ast.BasicLit:
		if value, err := strconv.Unquote(text.Value); err == nil {
			return value
		}
	case *ast.BinaryExpr:
		return written(text.X) + written(text.Y)
	case *ast.CallExpr:
		if function, ok := text.Fun.(*ast.SelectorExpr); ok && function.Sel.Name == "Sprintf" {
			return written(text.Args[0])
		}
	}
	return "%s"
}
