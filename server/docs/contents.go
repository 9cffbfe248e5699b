package docs

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/pagemcp/pagemcp/server/published"
	"github.com/pagemcp/pagemcp/web"
)

// A Section is a group of pages in the navigation.
type Section struct {
	Title string
	Pages []*Page
	fold  bool // its pages are listed only while one of them is open
}

// A Page is one document in one language.
type Page struct {
	Title    string
	About    string // one sentence
	Name     string // path below Path, without extension
	Source   string // path below the root of the repository; empty if the page is generated
	Language string // BCP 47; empty: English
	Markdown []byte // of a generated page

	Translations []*Page

	section   *Section
	original  *Page // of a translation
	isStale   bool  // the original has changed since this translation
	body      []byte
	headings  []heading
	published []byte // Markdown with links between published pages
}

// languages are those into which start pages are translated, with their own names.
var languages = [...]struct{ Code, Name string }{{"en", "English"}, {"zh-Hans", "简体中文"}, {"ja", "日本語"}, {"de", "Deutsch"}}

// referenceSection is the section that generated references are added to.
const referenceSection = "Reference"

var (
	sectionLine = regexp.MustCompile(`^## (.+)$`)
	pageLine    = regexp.MustCompile(`^- \[([^]]+)\]\(([^)]+)\): (.+)$`)
)

// readContents reads the list of pages: a heading for each section, and an item for each
// page with a link and a sentence about it.
func readContents(root string) ([]Section, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(Contents)))
	if err != nil {
		return nil, fmt.Errorf("read the list of pages: %w", err)
	}
	var sections []Section
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if found := sectionLine.FindStringSubmatch(line); found != nil {
			sections = append(sections, Section{Title: found[1]})
		}
		found := pageLine.FindStringSubmatch(line)
		if found == nil || len(sections) == 0 {
			continue
		}
		page := &Page{Title: found[1], About: found[3], Source: path.Join(path.Dir(Contents), found[2])}
		if err := page.find(root); err != nil {
			return nil, err
		}
		last := &sections[len(sections)-1]
		last.Pages = append(last.Pages, page)
	}
	if len(sections) == 0 {
		return nil, fmt.Errorf("%s has no section", Contents)
	}
	return sections, nil
}

// translatedFrom is the first line of a translation: its day, and the beginning of the SHA-256 of the page that it is of.
var translatedFrom = regexp.MustCompile(`^<!-- \d{4}-\d\d-\d\d, of ([0-9a-f]{8}) -->\n+`)

// find reads the page and its translations: web/docs/ja/start.md is that of web/docs/start.md.
// The README of the repository is the index; pages of other directories are named by their titles.
func (p *Page) find(root string) error {
	docs := path.Dir(Contents)
	switch path.Dir(p.Source) {
	case ".":
		p.Name = "index"
	case docs:
		p.Name = strings.TrimSuffix(path.Base(p.Source), ".md")
	default:
		p.Name = strings.ReplaceAll(strings.ToLower(p.Title), " ", "-")
	}
	var err error
	if p.Markdown, err = readPage(root, p.Source); err != nil {
		return fmt.Errorf("read a page that %s lists: %w", Contents, err)
	}
	original, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(p.Source)))
	if err != nil {
		return err
	}
	hash := fmt.Sprintf("%x", sha256.Sum256(original))[:8]
	for _, language := range languages[1:] {
		source := path.Join(docs, language.Code, p.Name+".md")
		text, err := readPage(root, source)
		if errors.Is(err, fs.ErrNotExist) {
			continue // not translated
		}
		if err != nil {
			return fmt.Errorf("read a translation: %w", err)
		}
		from := translatedFrom.FindSubmatch(text)
		if from == nil {
			return fmt.Errorf("%s does not begin with the day of the translation and the hash of the page: <!-- 2026-11-30, of %s -->", source, hash)
		}
		text = text[len(from[0]):]
		title := firstHeading(text)
		if p.Title != firstHeading(p.Markdown) {
			title = p.Title // a name, and no translation of the heading
		}
		p.Translations = append(p.Translations, &Page{
			Title: title, About: p.About, Source: source, Language: language.Code,
			Name: language.Code + "/" + p.Name, Markdown: text, isStale: string(from[1]) != hash,
		})
	}
	return nil
}

// firstHeading returns the title that a page gives itself.
func firstHeading(text []byte) string {
	title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
	return title
}

// readPage returns the Markdown of a page, for readers of this build.
func readPage(root, source string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(source)))
	if err != nil {
		return nil, err
	}
	if text, err = published.Text(text, web.Version()); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return text, nil
}
