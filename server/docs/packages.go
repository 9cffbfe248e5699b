package docs

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"path/filepath"
	"sort"
	"strings"

	"github.com/pagemcp/pagemcp/web"
)

// goPackages are the public packages of the Go module.
var goPackages = []struct{ dir, about string }{
	{"server", "The gateway as a library."},
}

// packageReference returns a page for each public Go package, made of its doc comments.
func packageReference(root string) (pages []*Page, err error) {
	for _, one := range goPackages {
		files := token.NewFileSet()
		names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(one.dir), "*.go"))
		if err != nil {
			return nil, err
		}
		var parsed []*ast.File
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(files, name, nil, parser.ParseComments)
			if err != nil {
				return nil, fmt.Errorf("read the Go documentation: %w", err)
			}
			parsed = append(parsed, file)
		}
		if len(parsed) == 0 {
			continue
		}
		pkg, err := doc.NewFromFiles(files, parsed, "github.com/pagemcp/pagemcp/"+one.dir)
		if err != nil {
			return nil, fmt.Errorf("read the Go documentation: %w", err)
		}
		pages = append(pages, &Page{
			Title: "Go: " + one.dir, Name: "reference-go-" + strings.ReplaceAll(one.dir, "/", "-"), About: one.about,
			Markdown: (&goPage{pkg: pkg, files: files}).markdown(),
		})
	}
	return pages, nil
}

// A goPage writes the documentation of a package as Markdown.
type goPage struct {
	pkg   *doc.Package
	files *token.FileSet
	out   bytes.Buffer
}

func (p *goPage) markdown() []byte {
	fmt.Fprintf(&p.out, "# Package `%s`\n\n```go\nimport %q\n```\n\n", p.pkg.Name, p.pkg.ImportPath)
	p.text(p.pkg.Doc)
	p.values("Constants", p.pkg.Consts)
	p.values("Variables", p.pkg.Vars)
	if len(p.pkg.Funcs) > 0 {
		p.out.WriteString("\n## Functions\n")
	}
	p.functions(3, p.pkg.Funcs)
	if len(p.pkg.Types) > 0 {
		p.out.WriteString("\n## Types\n")
	}
	sort.Slice(p.pkg.Types, func(i, j int) bool { return p.pkg.Types[i].Name < p.pkg.Types[j].Name })
	for _, one := range p.pkg.Types {
		fmt.Fprintf(&p.out, "\n### `%s`\n\n", one.Name)
		p.text(one.Doc)
		p.code(one.Decl)
		for _, group := range [][]*doc.Value{one.Consts, one.Vars} {
			for _, value := range group {
				p.value(value)
			}
		}
		p.functions(4, one.Funcs)
		p.functions(4, one.Methods)
	}
	return p.out.Bytes()
}

func (p *goPage) values(title string, all []*doc.Value) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(&p.out, "\n## %s\n\n", title)
	for _, one := range all {
		p.value(one)
	}
}

// value writes constants or variables, with an anchor for each name.
func (p *goPage) value(value *doc.Value) {
	for _, name := range value.Names {
		fmt.Fprintf(&p.out, "<a id=%q></a>", web.Anchor(name))
	}
	p.out.WriteString("\n\n")
	p.text(value.Doc)
	p.code(value.Decl)
}

// functions writes functions or methods with headings of a level.
func (p *goPage) functions(level int, all []*doc.Func) {
	for _, one := range all {
		name := one.Name
		if one.Recv != "" {
			name = strings.TrimPrefix(one.Recv, "*") + "." + name
		}
		fmt.Fprintf(&p.out, "\n%s `%s`\n\n", strings.Repeat("#", level), name)
		p.text(one.Doc)
		p.code(one.Decl)
	}
}

// code writes a declaration without the body of a function.
func (p *goPage) code(decl ast.Decl) {
	if function, ok := decl.(*ast.FuncDecl); ok {
		function.Body, function.Doc = nil, nil
	}
	if general, ok := decl.(*ast.GenDecl); ok {
		general.Doc = nil
	}
	p.out.WriteString("\n```go\n")
	format.Node(&p.out, p.files, decl)
	p.out.WriteString("\n```\n\n")
}

// text writes a doc comment. Links lead to headings of this page; those to other packages
// lead to pkg.go.dev.
func (p *goPage) text(text string) {
	printer := p.pkg.Printer()
	printer.HeadingLevel = 4
	printer.HeadingID = func(*comment.Heading) string { return "" }
	printer.DocLinkURL = func(link *comment.DocLink) string {
		if link.ImportPath != "" {
			return link.DefaultURL("https://pkg.go.dev")
		}
		name := link.Name
		if link.Recv != "" {
			name = link.Recv + "." + name
		}
		return "#" + web.Anchor(name)
	}
	p.out.Write(printer.Markdown(p.pkg.Parser().Parse(text)))
}
