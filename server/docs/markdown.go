package docs

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pagemcp/pagemcp/server/published"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// repository is where files that are no pages are linked to.
const repository = "https://github.com/" + published.Repository + "/blob/main/"

// lessons is the directory of the playground's lessons, which open in it.
const lessons = "web/playground/lessons/scenarios/"

type heading struct {
	Level      int
	Text, ID   string
	IsContents bool // shown in the list of the page's headings
}

// A part of a page is what is below one heading, for search.
type part struct{ anchor, title, text string }

// Raw HTML is allowed, since all pages are the project's own. Cells are aligned by an
// attribute: the policy of the pages forbids inline styles.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), extension.Strikethrough),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(html.WithUnsafe(), renderer.WithNodeRenderers(util.Prioritized(codeRenderer{}, 1))),
)

// render makes the HTML of a page, its headings, and the text for search.
func (s *site) render(page *Page) error {
	source := page.Markdown
	context := parser.NewContext(parser.WithIDs(&anchors{used: map[string]bool{}}))
	doc := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(context))
	page.published = s.rewriteSource(page, source)
	err := ast.Walk(doc, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *ast.Text:
			joinWideText(node, source)
		case *ast.Link:
			node.Destination = []byte(s.target(page, string(node.Destination), ".html"))
		case *ast.Image:
			node.Destination = []byte(s.target(page, string(node.Destination), ".html"))
		case *ast.Heading:
			id, _ := node.AttributeString("id")
			name, _ := id.([]byte)
			page.headings = append(page.headings, heading{
				Level: node.Level, Text: plain(node, source), ID: string(name), IsContents: node.Level == 2 || node.Level == 3,
			})
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return err
	}
	if len(page.headings) == 0 || page.headings[0].Level != 1 {
		return fmt.Errorf("the page does not begin with a heading of level 1")
	}
	page.parts = parts(doc, source)
	var body bytes.Buffer
	if err := markdown.Renderer().Render(&body, source, doc); err != nil {
		return err
	}
	page.body = finish(body.Bytes())
	return nil
}

// joinWideText removes the line break after a text if it is within Chinese or Japanese. The
// extension of goldmark for that removes those before code and links as well, in any language.
func joinWideText(node *ast.Text, source []byte) {
	next, ok := node.NextSibling().(*ast.Text)
	if !ok || !node.SoftLineBreak() {
		return
	}
	before, _ := utf8.DecodeLastRune(node.Value(source))
	after, _ := utf8.DecodeRune(next.Value(source))
	if util.IsEastAsianWideRune(before) && util.IsEastAsianWideRune(after) {
		node.SetSoftLineBreak(false)
	}
}

// target returns the URL of a link in a page: pages are linked to by relative URLs with
// extension ext, other files of the repository at GitHub.
func (s *site) target(page *Page, link, ext string) string {
	file, anchor, hasAnchor := strings.Cut(link, "#")
	own, isOwn := strings.CutPrefix(file, repository)
	if !isOwn && (file == "" || strings.Contains(file, "://") || strings.HasPrefix(file, "mailto:")) {
		return link
	}
	if page.Source == "" && !isOwn { // generated pages use the names of published ones
		return link
	}
	if hasAnchor {
		anchor = "#" + anchor
	}
	if !isOwn {
		own = path.Join(path.Dir(page.Source), file)
	}
	if other := s.bySource[own]; other != nil {
		return relative(page.Name, other.Name) + ext + anchor
	}
	if own == transcripts {
		return relative(page.Name, examplesPage) + ext + anchor
	}
	if dir, name := path.Split(own); dir == transcripts+"/" && path.Ext(name) == ".txtar" {
		return relative(page.Name, examplesDir+strings.TrimSuffix(name, ".txtar")) + ext + anchor
	}
	if dir, name := path.Split(own); dir == lessons && path.Ext(name) == ".txtar" {
		return relative(page.Name, "../playground/?lesson=") + strings.TrimSuffix(name, ".txtar")
	}
	return repository + own + anchor
}

// linkInSource matches the destination of links in Markdown, outside of fences.
var linkInSource = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// rewriteSource returns the Markdown of a page for publication: its links lead to the
// Markdown of other published pages.
func (s *site) rewriteSource(page *Page, source []byte) []byte {
	var out bytes.Buffer
	fence := false
	for line := range bytes.Lines(source) {
		if bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("```")) {
			fence = !fence
		}
		if !fence {
			line = linkInSource.ReplaceAllFunc(line, func(found []byte) []byte {
				return []byte("](" + s.target(page, string(found[2:len(found)-1]), ".md") + ")")
			})
		}
		out.Write(line)
	}
	return out.Bytes()
}

// relative returns the URL of one page from another; names are paths.
func relative(from, to string) string {
	return strings.Repeat("../", strings.Count(from, "/")) + to
}

// anchors makes the anchors of headings as GitHub does.
type anchors struct{ used map[string]bool }

func (a *anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	name := anchorOf(string(value))
	id := name
	for n := 1; a.used[id]; n++ {
		id = fmt.Sprintf("%s-%d", name, n)
	}
	a.used[id] = true
	return []byte(id)
}

func (a *anchors) Put(value []byte) { a.used[string(value)] = true }

// plain returns the text of a node without markup.
func plain(node ast.Node, source []byte) string {
	var out strings.Builder
	ast.Walk(node, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		switch node := node.(type) {
		case *ast.Text:
			if entering {
				out.Write(util.UnescapePunctuations(node.Value(source)))
				if node.SoftLineBreak() || node.HardLineBreak() {
					out.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				out.Write(node.Value)
			}
		case *ast.AutoLink:
			if entering {
				out.Write(node.URL(source))
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			if entering {
				for i := range node.Lines().Len() {
					line := node.Lines().At(i)
					out.Write(line.Value(source))
				}
				return ast.WalkSkipChildren, nil
			}
		default:
			if !entering && (node.Type() == ast.TypeBlock || node.Kind() == east.KindTableCell) {
				out.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(out.String()), " ")
}

// parts divides a document by its headings.
func parts(doc ast.Node, source []byte) (all []part) {
	for node := doc.FirstChild(); node != nil; node = node.NextSibling() {
		if h, ok := node.(*ast.Heading); ok {
			id, _ := h.AttributeString("id")
			name, _ := id.([]byte)
			all = append(all, part{anchor: string(name), title: plain(h, source)})
			continue
		}
		if len(all) == 0 {
			continue
		}
		last := &all[len(all)-1]
		last.text = strings.TrimSpace(last.text + " " + plain(node, source))
	}
	return all
}

var (
	emptyHead  = regexp.MustCompile(`<th([^>]*)></th>`)
	headingTag = regexp.MustCompile(`<h([2-6]) id="([^"]+)">(.*?)</h[2-6]>`)
	tableStart = []byte("<table>")
	tableEnd   = []byte("</table>")
)

// finish adds to HTML what Markdown has no syntax for: links at headings, and boxes in
// which wide tables scroll.
func finish(body []byte) []byte {
	body = headingTag.ReplaceAll(body, []byte(`<h$1 id="$2">$3<a class="anchor" href="#$2" aria-hidden="true" tabindex="-1">#</a></h$1>`))
	body = emptyHead.ReplaceAll(body, []byte("<td$1></td>")) // a header without text has no meaning for screen readers
	body = bytes.ReplaceAll(body, tableStart, []byte(`<div class="table" tabindex="0" role="group"><table>`))
	return bytes.ReplaceAll(body, tableEnd, []byte("</table></div>"))
}

// codeRenderer renders blocks of code with the classes of [highlight].
type codeRenderer struct{}

func (codeRenderer) RegisterFuncs(register renderer.NodeRendererFuncRegisterer) {
	register.Register(ast.KindFencedCodeBlock, renderCode)
	register.Register(ast.KindCodeBlock, renderCode)
}

func renderCode(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	language := ""
	if fenced, ok := node.(*ast.FencedCodeBlock); ok {
		language = string(fenced.Language(source))
	}
	var code bytes.Buffer
	for i := range node.Lines().Len() {
		line := node.Lines().At(i)
		code.Write(line.Value(source))
	}
	fmt.Fprintf(w, "<div class=\"code\"><pre tabindex=\"0\"><code>%s</code></pre></div>\n", highlight(language, code.String()))
	return ast.WalkSkipChildren, nil
}

// anchorOf returns the anchor of a heading in Markdown, as GitHub makes it: lower case,
// hyphens for blanks, no punctuation and no markup.
func anchorOf(heading string) string {
	var out strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(withoutMarkup(heading))) {
		switch {
		case r == ' ':
			out.WriteByte('-')
		case r == '-', unicode.IsLetter(r), unicode.IsMark(r), unicode.IsNumber(r), unicode.Is(unicode.Pc, r):
			out.WriteRune(r)
		}
	}
	return out.String()
}

// withoutMarkup removes what a heading has besides its text: backticks, asterisks of bold
// text, backslashes, and the destinations of links.
func withoutMarkup(heading string) string {
	var out strings.Builder
	for {
		text, rest, isLink := strings.Cut(heading, "](")
		out.WriteString(text)
		if !isLink {
			break
		}
		_, heading, _ = strings.Cut(rest, ")")
	}
	return strings.NewReplacer("`", "", "**", "", `\`, "").Replace(out.String())
}
