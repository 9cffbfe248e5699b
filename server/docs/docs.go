// Package docs builds the documentation: web/docs, pages about every transcript of
// testdata, and the reference of the npm package, as HTML and as Markdown. Pages link to each other by relative URLs and need
// no feature of a web server. It is used by builds only: a released program contains its
// output.
package docs

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// Path is the path of the documentation in the files that [Build] returns.
const Path = "/docs/"

// Contents is the list of pages, below the root of the repository.
const Contents = "web/docs/README.md"

// Build returns the documentation by path, below [Path]. declarations are the TypeScript
// declarations of web/src, by path below it: the reference of the package is made of them.
// Style sheet and scripts are not among the files: see web/docs/site.
func Build(root string, declarations map[string][]byte) (map[string][]byte, error) {
	sections, err := readContents(root)
	if err != nil {
		return nil, err
	}
	for i := range sections {
		if sections[i].Title == referenceSection {
			sections[i].Pages = append(sections[i].Pages, moduleReference(declarations)...)
		}
	}
	examples, err := exampleSections(root)
	if err != nil {
		return nil, err
	}
	return (&site{root: root, sections: append(sections, examples...)}).files()
}

// Sources returns the files and directories that [Build] reads, except for
// declarations. If the list of pages has a mistake, it returns the list and the directories.
func Sources(root string) (files, dirs []string) {
	dirs = []string{filepath.Join(root, "web", "docs"), filepath.Join(root, filepath.FromSlash(transcripts))}
	files, _ = filepath.Glob(filepath.Join(dirs[1], "*.txtar")) // cannot fail: a valid pattern
	files = append(files, filepath.Join(root, filepath.FromSlash(Contents)))
	files = append(files, pictures(root)...)
	sections, err := readContents(root)
	if err != nil {
		return files, dirs
	}
	for _, section := range sections {
		for _, page := range section.Pages {
			files = append(files, filepath.Join(root, filepath.FromSlash(page.Source)))
			for _, translation := range page.Translations {
				files = append(files, filepath.Join(root, filepath.FromSlash(translation.Source)))
			}
		}
	}
	return files, dirs
}

// Exists reports whether there is documentation below root.
func Exists(root string) bool {
	_, err := os.Stat(filepath.Join(root, filepath.FromSlash(Contents)))
	return err == nil
}

// A site is the documentation with all of its pages.
type site struct {
	root     string
	sections []Section
	pages    []*Page
	bySource map[string]*Page // by path below the root of the repository
}

func (s *site) files() (map[string][]byte, error) {
	s.bySource = map[string]*Page{}
	for i := range s.sections {
		for _, page := range s.sections[i].Pages {
			page.section = &s.sections[i]
			s.pages = append(s.pages, page)
			if page.Source != "" {
				s.bySource[page.Source] = page
			}
		}
	}
	rendered := slices.Clone(s.pages)
	for _, page := range s.pages {
		for _, translation := range page.Translations {
			translation.section, translation.original = page.section, page
			s.bySource[translation.Source] = translation
			rendered = append(rendered, translation)
		}
	}
	files := map[string][]byte{}
	for _, page := range rendered {
		if err := s.render(page); err != nil {
			return nil, fmt.Errorf("%s: %w", page.Name, err)
		}
	}
	for _, page := range rendered {
		html, err := s.document(page)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", page.Name, err)
		}
		files[Path+page.Name+".html"] = html
		files[Path+page.Name+".md"] = page.published
	}
	files[Path+"llms.txt"] = s.llms()
	icon, err := os.ReadFile(filepath.Join(s.root, "web", "demo", "icon.svg"))
	if err != nil {
		return nil, err
	}
	files[Path+"icon.svg"] = icon
	for _, name := range pictures(s.root) {
		if files[Path+filepath.Base(name)], err = os.ReadFile(name); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// pictures returns the pictures of pages, which are published beside them.
func pictures(root string) []string {
	names, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(path.Dir(Contents)), "*.webp")) // cannot fail: a valid pattern
	overview, _ := filepath.Glob(filepath.Join(root, "web", "overview.svg"))
	return append(names, overview...)
}
