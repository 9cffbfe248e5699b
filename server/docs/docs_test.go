package docs

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

const root = "../.."

// built is the documentation of this repository; with declarations if tsc has written some.
var built = sync.OnceValues(func() (map[string][]byte, error) {
	return Build(root, map[string][]byte{
		"index.d.ts": []byte("export { type Options, start, } from './start.ts';\nexport { idb } from './sources/idb.ts';\n"),
		"start.d.ts": []byte(`/** Settings. */
export interface Options {
    /** For people. */
    title?: string;
}
interface Hidden {
}
/**
 * Starts with {@link Options}; see {@link Hidden} and <b>.
 *
 * @param options - what it
 *   is given
 * @throws Error if it fails
 */
export declare function start(options: Options): void;
export declare function start(): void;
`),
		"sources/idb.d.ts": []byte("/** A source. */\nexport declare function idb(): void;\n"),
	})
})

func files(t *testing.T) map[string][]byte {
	t.Helper()
	all, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var (
	attribute = regexp.MustCompile(`(?:href|src|srcset)="([^"]*)"`)
	ids       = regexp.MustCompile(` id="([^"]*)"`)
)

// Each internal link and anchor leads somewhere. Scripts, styles and the playground are
// built elsewhere.
func TestLinks(t *testing.T) {
	all := files(t)
	anchors := map[string][]string{}
	for name, body := range all {
		for _, found := range ids.FindAllSubmatch(body, -1) {
			anchors[name] = append(anchors[name], string(found[1]))
		}
	}
	elsewhere := []string{Path + "style.css", Path + "theme.js", Path + "main.js", "/playground/"}
	count := 0
	for name, body := range all {
		if path.Ext(name) != ".html" {
			continue
		}
		for _, found := range attribute.FindAllSubmatch(body, -1) {
			link, err := url.Parse(strings.ReplaceAll(string(found[1]), "&amp;", "&"))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if link.IsAbs() {
				continue
			}
			count++
			target := (&url.URL{Path: name}).ResolveReference(link)
			if slices.Contains(elsewhere, target.Path) {
				continue
			}
			if all[target.Path] == nil {
				t.Errorf("%s links to %s: there is no %s", name, found[1], target.Path)
			} else if target.Fragment != "" && !slices.Contains(anchors[target.Path], target.Fragment) {
				t.Errorf("%s links to %s: no such anchor", name, found[1])
			}
		}
	}
	if count == 0 {
		t.Error("no links")
	}
}

// Links in the published Markdown lead to published Markdown.
func TestMarkdownLinks(t *testing.T) {
	all := files(t)
	for name, body := range all {
		if path.Ext(name) != ".md" && path.Ext(name) != ".txt" {
			continue
		}
		for _, found := range regexp.MustCompile(`\]\(([^)\s]+\.md)(?:#[^)]*)?\)`).FindAllSubmatch(body, -1) {
			link := string(found[1])
			if !strings.Contains(link, "://") && all[path.Join(path.Dir(name), link)] == nil {
				t.Errorf("%s links to %s", name, link)
			}
		}
	}
}

// Ids are unique on a page, and no page needs inline scripts or styles.
func TestDocuments(t *testing.T) {
	for name, body := range files(t) {
		if path.Ext(name) != ".html" {
			continue
		}
		seen := map[string]bool{}
		for _, found := range ids.FindAllSubmatch(body, -1) {
			if seen[string(found[1])] {
				t.Errorf("%s: id %s occurs twice", name, found[1])
			}
			seen[string(found[1])] = true
		}
		if regexp.MustCompile(`<style|<script>| style="| on[a-z]+="`).Match(body) {
			t.Errorf("%s has an inline script or style", name)
		}
		if bytes.Count(body, []byte("<h1")) != 1 {
			t.Errorf("%s has %d headings of level 1", name, bytes.Count(body, []byte("<h1")))
		}
	}
}

// Links to lessons open them, and each lesson is there.
func TestLessons(t *testing.T) {
	page := files(t)[Path+"playground.html"]
	found := regexp.MustCompile(`"\.\./playground/\?lesson=([\w-]+)"`).FindAllSubmatch(page, -1)
	if len(found) == 0 {
		t.Error("no link opens a lesson")
	}
	for _, lesson := range found {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(lessons), string(lesson[1])+".txtar")); err != nil {
			t.Error(err)
		}
	}
}

// A translation names the page that it is of, and says when that has changed since.
func TestStaleTranslations(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(Contents, "# Pages\n\n## Start\n\n- [Start](start.md): How to begin.\n\n## Reference\n")
	write("web/docs/start.md", "# Start\n")
	write("web/docs/de/start.md", "<!-- 2026-11-30, of 00000000 -->\n\n# Beginn\n")
	write("web/demo/icon.svg", "<svg/>")
	stale := []byte(`class="stale"`)
	all, err := Build(dir, nil)
	if err != nil || !bytes.Contains(all[Path+"de/start.html"], stale) || bytes.Contains(all[Path+"start.html"], stale) {
		t.Fatalf("%v\n%s", err, all[Path+"de/start.html"])
	}
	if bytes.Contains(all[Path+"start.html"], []byte("Reference")) {
		t.Error("a section without pages is listed")
	}
	write("web/docs/de/start.md", "# Beginn\n")
	_, err = Build(dir, nil)
	said := regexp.MustCompile(`<!-- [\d-]+, of [0-9a-f]{8} -->`).FindString(fmt.Sprint(err))
	if said == "" {
		t.Fatalf("a translation without its day: %v", err)
	}
	write("web/docs/de/start.md", said+"\n\n# Beginn\n")
	if all, err = Build(dir, nil); err != nil || bytes.Contains(all[Path+"de/start.html"], stale) {
		t.Fatalf("%v\n%s", err, all[Path+"de/start.html"])
	}
}

// Every transcript has a page with all of its messages, and if they fit in a link, it opens them in the playground.
func TestEveryTranscriptIsAnExample(t *testing.T) {
	all := files(t)
	names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(transcripts), "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%d transcripts, %v", len(names), err)
	}
	links := 0
	for _, file := range names {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, dialogue, _ := strings.Cut(string(text), "-- transcript --\n")
		messages := len(regexp.MustCompile(`(?m)^\s*\S.*$`).FindAllString(dialogue, -1))
		name := Path + examplesDir + strings.TrimSuffix(filepath.Base(file), ".txtar")
		body := string(all[name+".html"])
		if shown := strings.Count(body, `<div class="message`); shown != messages {
			t.Errorf("%s: %d messages shown, want %d", name, shown, messages)
		}
		_, packed, ok := strings.Cut(body, `playground/#t1.`)
		if !ok {
			continue
		}
		links++
		packed, _, _ = strings.Cut(packed, `"`)
		log, err := io.ReadAll(flate.NewReader(base64.NewDecoder(base64.RawURLEncoding, strings.NewReader(packed))))
		if lines := bytes.Count(log, []byte("\n")); err != nil || lines != messages+1 {
			t.Errorf("%s: %d lines in the conversation, want %d and a head; %v", name, lines, messages, err)
		}
	}
	if links < len(names)/2 {
		t.Errorf("%d of %d examples have a link", links, len(names))
	}
}

func TestReferenceOfModules(t *testing.T) {
	page := string(files(t)[Path+"reference-index.md"])
	for _, want := range []string{
		"### `start`", "Starts with [`Options`](#options); see `Hidden` and &lt;b>.", "- `options`: what it is given", "- Throws Error if it fails",
		"export declare function start(options: Options): void;\nexport declare function start(): void;", "### `idb`\n\nA source.", "/** For people. */",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if strings.Contains(page, "interface Hidden") {
		t.Error("what is not exported is shown")
	}
}

func TestAnchorsAreThoseOfGitHub(t *testing.T) {
	for heading, want := range map[string]string{
		"What never leaves": "what-never-leaves", "Binding: postMessage": "binding-postmessage", "Names, tokens & keys": "names-tokens--keys",
		"`--no-token` is set": "--no-token-is-set", "[Guide](guide.md) for all": "guide-for-all", "はじめに": "はじめに",
	} {
		if got := anchorOf(heading); got != want {
			t.Errorf("%s: %s, want %s", heading, got, want)
		}
	}
}

// A line break is a blank, also before code and links, but not within Chinese or Japanese.
func TestLineBreaksAreBlanks(t *testing.T) {
	page := &Page{Name: "a", Markdown: []byte("# Title\n\none\n`two`\n[three](https://a.example)\nfour **five**\nsix。日本\n語\n`seven`\n")}
	if err := (&site{}).render(page); err != nil {
		t.Fatal(err)
	}
	want := "<p>one\n<code>two</code>\n<a href=\"https://a.example\">three</a>\nfour <strong>five</strong>\nsix。日本語\n<code>seven</code></p>"
	if !strings.Contains(string(page.body), want) {
		t.Errorf("got %s\nwant %s", page.body, want)
	}
}
