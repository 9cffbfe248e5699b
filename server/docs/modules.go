package docs

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// modules are the entry points of the npm package with what they are for.
var modules = []struct{ name, file, about string }{
	{"pagemcp", "index", "The main entry point: `start`, sources, and all types."},
	{"pagemcp/react", "react", "Hooks by which components serve their content while they are mounted."},
	{"pagemcp/client", "client", "For clients of a page in other windows, frames and Workers."},
	{"pagemcp/dev", "dev", "Development mode: serves what a page under development does."},
	{"pagemcp/vite", "vite", "Development mode as a plugin of Vite."},
	{"pagemcp/access", "access", "Elements by which users see assistants and end their access."},
}

// A declaration is an exported name of a module, with its overloads.
type declaration struct{ name, comment, code string }

// moduleReference returns a page for each entry point, made of its declarations and their
// TSDoc; none without declarations.
func moduleReference(declarations map[string][]byte) (pages []*Page) {
	exported := map[string]string{} // page by name, for links
	all := make([][]declaration, len(modules))
	for i, module := range modules {
		all[i] = exports(declarations, module.file+".d.ts")
		for _, one := range all[i] {
			if exported[one.name] == "" {
				exported[one.name] = "reference-" + module.file
			}
		}
	}
	for i, module := range modules {
		if len(all[i]) == 0 {
			continue
		}
		page := &Page{Title: module.name, Name: "reference-" + module.file, About: strings.ReplaceAll(module.about, "`", "")}
		var out bytes.Buffer
		fmt.Fprintf(&out, "# `%s`\n\n%s Made of the declarations of the package.\n", module.name, module.about)
		for _, kind := range []struct{ title, pattern string }{
			{"Functions", `^export declare (?:function|const)\b`}, {"Classes", `^export declare (?:abstract )?class\b`}, {"Types", `^export (?:declare )?(?:interface|type)\b`},
		} {
			isKind, begun := regexp.MustCompile(kind.pattern), false
			for _, one := range all[i] {
				if !isKind.MatchString(one.code) {
					continue
				}
				if !begun {
					fmt.Fprintf(&out, "\n## %s\n", kind.title)
					begun = true
				}
				fmt.Fprintf(&out, "\n### `%s`\n\n%s\n\n```ts\n%s\n```\n", one.name, tsdoc(one.comment, page.Name, exported), strings.TrimSpace(one.code))
			}
		}
		page.Markdown = out.Bytes()
		pages = append(pages, page)
	}
	return pages
}

var (
	exportList = regexp.MustCompile(`export (?:type )?\{([^}]*)\} from '([^']+)'`)
	declared   = regexp.MustCompile(`^export (?:declare )?(?:abstract )?(?:function|const|class|interface|type) (\w+)`)
	beginsOwn  = regexp.MustCompile(`^(?:export|import|declare|abstract|interface|type|class|const|function)\b`)
)

// exports returns what a declaration file exports, sorted by name.
func exports(declarations map[string][]byte, file string) (all []declaration) {
	text := string(declarations[file])
	all = ownDeclarations(text)
	for _, found := range exportList.FindAllStringSubmatch(text, -1) {
		other := path.Join(path.Dir(file), strings.TrimSuffix(found[2], path.Ext(found[2]))+".d.ts")
		own := ownDeclarations(string(declarations[other]))
		for name := range strings.SplitSeq(found[1], ",") {
			name = strings.TrimPrefix(strings.TrimSpace(name), "type ")
			for _, one := range own {
				if one.name == name {
					all = append(all, one)
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b declaration) int {
		return strings.Compare(strings.ToLower(a.name), strings.ToLower(b.name))
	})
	return all
}

// ownDeclarations returns the exported declarations of a file as tsc writes them: each
// begins at the left margin.
func ownDeclarations(text string) (all []declaration) {
	comment, inComment := "", false
	var code *string
	for line := range strings.Lines(text) {
		switch {
		case inComment:
			comment += line
			inComment = !strings.Contains(line, "*/")
			continue
		case strings.HasPrefix(line, "/**"):
			comment, code = line, nil
			inComment = !strings.Contains(line, "*/")
			continue
		case beginsOwn.MatchString(line):
			code = nil
			if found := declared.FindStringSubmatch(line); found != nil {
				if n := len(all); n > 0 && all[n-1].name == found[1] { // a further overload
					all[n-1].comment += comment
				} else {
					all = append(all, declaration{name: found[1], comment: comment})
				}
				code = &all[len(all)-1].code
			}
			comment = ""
		}
		if code != nil {
			*code += line
		}
	}
	return all
}

var (
	commentEdge = regexp.MustCompile(`(?m)^\s*/\*\*\s?|\s*\*/\s*$|^\s*\* ?`)
	docLink     = regexp.MustCompile(`\{@link ([\w.]+)\}`)
	docTag      = regexp.MustCompile(`(?m)^@(param|returns|throws|example|deprecated|see)\b[ \t]*`)
	paramName   = regexp.MustCompile(`^([\w.]+)\s+-\s+`)
	bareURL     = regexp.MustCompile(`https?://\S+`)
	docsPage    = regexp.MustCompile(`web/docs/([\w-]+)\.md`)
)

// tsdoc returns a comment as Markdown.
func tsdoc(comment, from string, exported map[string]string) string {
	text := strings.TrimSpace(commentEdge.ReplaceAllString(comment, ""))
	text = escapeHTML(text)
	text = docLink.ReplaceAllStringFunc(text, func(found string) string {
		name := docLink.FindStringSubmatch(found)[1]
		base, _, _ := strings.Cut(name, ".")
		page := exported[base]
		if page == "" {
			return "`" + name + "`"
		}
		target := "#" + anchorOf(base)
		if page != from {
			target = page + ".html" + target
		}
		return "[`" + name + "`](" + target + ")"
	})
	text = docsPage.ReplaceAllString(text, "[$1]($1.html)")
	places := docTag.FindAllStringIndex(text, -1)
	if places == nil {
		return text
	}
	out := text[:places[0][0]]
	for i, place := range places {
		end := len(text)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		tag := docTag.FindStringSubmatch(text[place[0]:])[1]
		rest := strings.TrimSpace(text[place[1]:end])
		switch tag {
		case "param":
			rest = "`" + paramName.ReplaceAllString(rest, "$1`: ")
		case "returns":
			rest = "Returns " + rest
		case "see":
			rest = "See " + bareURL.ReplaceAllString(rest, "<$0>")
		case "throws":
			rest = "Throws " + rest
		}
		out += "- " + strings.Join(strings.Fields(rest), " ") + "\n"
	}
	return out
}
