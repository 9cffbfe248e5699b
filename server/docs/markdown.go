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

// Raw HTML is allowed, since all pages are the project's own. Cells are aligned by an
// attribute: the policy of the pages forbids inline styles.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), extension.Strikethrough),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(html.WithUnsafe(), renderer.WithNodeRenderers(util.Prioritized(codeRenderer{}, 1))),
)

// render makes the HTML of a page, and its headings.
func (s *site) render(page *Page) error {
	source := pictureTag.ReplaceAll(page.Markdown, []byte(`$1="$2"`))
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
	var body bytes.Buffer
	if err := markdown.Renderer().Render(&body, source, doc); err != nil {
		return err
	}
	page.body = finish(body.Bytes())
	return nil
}

// pictureTag matches what the README of the repository shows by HTML.
var pictureTag = regexp.MustCompile(`\b(src|srcset)="web/docs/([\w-]+\.webp)"`)

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
	if ext := path.Ext(own); ext == ".svg" || ext == ".webp" {
		return relative(page.Name, path.Base(own))
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

// plain returns the text of a heading without markup.
func plain(node ast.Node, source []byte) string {
	var out strings.Builder
	ast.Walk(node, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if one, ok := node.(*ast.Text); ok && entering {
			out.Write(util.UnescapePunctuations(one.Value(source)))
		}
		return ast.WalkContinue, nil
	})
	return out.String()
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
