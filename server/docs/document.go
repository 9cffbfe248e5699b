package docs

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strings"
)

//go:embed page.html
var pageHTML string

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

// labels are the texts of the pages' frame.
type labels struct {
	Skip, Menu, Pages, OnThisPage, Copy, Copied, Language, Theme, Playground, Markdown, Stale string
}

var frameLabels = map[string]labels{
	"en":      {"Skip to content", "Menu", "Pages", "On this page", "Copy", "Copied", "Language", "Light or dark", "Playground", "This page as Markdown", ""},
	"de":      {"Zum Inhalt", "Menü", "Seiten", "Auf dieser Seite", "Kopieren", "Kopiert", "Sprache", "Hell oder dunkel", "Playground", "Diese Seite als Markdown", "Die englische Seite hat sich seit dieser Übersetzung geändert."},
	"ja":      {"本文へ", "メニュー", "ページ", "このページの内容", "コピー", "コピーしました", "言語", "ライトまたはダーク", "プレイグラウンド", "このページの Markdown", "この翻訳の後に英語版が変更されています。"},
	"zh-Hans": {"跳到正文", "菜单", "页面", "本页内容", "复制", "已复制", "语言", "浅色或深色", "演练场", "本页的 Markdown", "英文页面在此翻译之后已有修改。"},
}

type link struct {
	Title, URL string
	Current    bool
	Language   string
}

type navigation struct {
	Title string
	Links []link
}

type view struct {
	Title, About, Language, Root, File string
	Labels                             labels
	Navigation                         []navigation
	Headings                           []heading
	Languages                          []link
	Body                               template.HTML
	Stale                              *link // the English page, which is newer
}

// maxHeadings is how many headings are listed beside a page. Of a page with more, such as the
// one about error messages, those of level 2 are.
const maxHeadings = 100

// document returns the HTML of a rendered page.
func (s *site) document(page *Page) ([]byte, error) {
	language := page.Language
	if language == "" {
		language = languages[0].Code
	}
	v := view{
		Title: page.headings[0].Text, About: page.About, Language: language, Root: relative(page.Name, ""), File: fileOf(page.Name),
		Labels: frameLabels[language], Body: template.HTML(page.body),
	}
	for _, h := range page.headings {
		if h.IsContents {
			v.Headings = append(v.Headings, h)
		}
	}
	if len(v.Headings) > maxHeadings {
		v.Headings = slices.DeleteFunc(v.Headings, func(h heading) bool { return h.Level > 2 })
	}
	if len(v.Headings) < 2 {
		v.Headings = nil
	}
	for i := range s.sections {
		section := &s.sections[i]
		if len(section.Pages) == 0 || section.fold && section != page.section { // no reference without declarations
			continue
		}
		one := navigation{Title: section.Title}
		for _, other := range section.Pages {
			one.Links = append(one.Links, page.linkTo(other))
		}
		v.Navigation = append(v.Navigation, one)
	}
	if page.isStale {
		english := link{Title: page.original.Title, URL: relative(page.Name, page.original.Name) + ".html"}
		v.Stale = &english
	}
	v.Languages = s.inLanguages(page)
	var out bytes.Buffer
	err := pageTemplate.Execute(&out, v)
	return out.Bytes(), err
}

// fileOf returns the last part of a name.
func fileOf(name string) string { return name[strings.LastIndex(name, "/")+1:] }

// linkTo returns a link to another page, in the language of this one if it is translated.
func (p *Page) linkTo(other *Page) link {
	current := other == p || other == p.original
	if own := translated(other, p.Language); own != nil {
		return link{own.Title, relative(p.Name, own.Name) + ".html", current, own.Language}
	}
	return link{other.Title, relative(p.Name, other.Name) + ".html", current, ""}
}

// inLanguages returns links to the page in all languages, or to the first page in those
// that the page is not translated into.
func (s *site) inLanguages(page *Page) (all []link) {
	original := page
	if page.original != nil {
		original = page.original
	}
	for _, language := range languages {
		target := original
		if language.Code != languages[0].Code {
			target = translated(original, language.Code)
			if target == nil {
				target = translated(s.pages[0], language.Code)
			}
		}
		if target != nil {
			all = append(all, link{language.Name, relative(page.Name, target.Name) + ".html", target == page, language.Code})
		}
	}
	return all
}

func translated(page *Page, language string) *Page {
	for _, one := range page.Translations {
		if one.Language == language {
			return one
		}
	}
	return nil
}

// llms returns llms.txt (llmstxt.org): a list of all pages, as Markdown with links to
// Markdown.
func (s *site) llms() []byte {
	var out bytes.Buffer
	out.WriteString("# PageMCP\n\n> PageMCP lets AI assistants read and use a web app while a user has it open: an engine in the page serves what the app names by the Model Context Protocol (MCP), and a gateway connects it to assistants.\n")
	for _, section := range s.sections {
		if len(section.Pages) == 0 {
			continue
		}
		fmt.Fprintf(&out, "\n## %s\n\n", section.Title)
		for _, page := range section.Pages {
			fmt.Fprintf(&out, "- [%s](%s.md): %s\n", page.Title, page.Name, page.About)
		}
	}
	return out.Bytes()
}
