package docs

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	// transcripts is the directory of conversations that the tests of the engine play.
	transcripts = "testdata/transcripts"

	// examplesDir is before the names of their pages.
	examplesDir = "examples/"

	// examplesPage is the name of the page that lists them.
	examplesPage = "examples"

	// examplesSection is the title of the first section of examples.
	examplesSection = "MCP by Example"

	// maxLink is the length of a fragment that the playground opens; see
	// web/playground/share/link.ts.
	maxLink = 8000 // characters
)

// subjects divide the examples; a name belongs to the first subject with a pattern that
// matches it.
var subjects = []struct {
	title, about string
	patterns     []string
}{
	{"Eras and handshake", "how clients of all revisions are recognized on one connection", []string{"both-eras", "discover", "era-row-*", "lenient", "shape-by-revision", "offered-*", "cancel-initialize"}},
	{"Resources", "lists, templates, reads, and hints for caches", []string{"list-*", "lists-*", "template*", "read*", "paths-*", "meta-*", "cache-*", "cursor-*", "names-twice"}},
	{"Subscriptions", "what a client gets when something changes", []string{"subscribe*", "listen*"}},
	{"Tools, prompts and completion", "calls, their arguments, and values for variables", []string{"tools*", "calls-*", "prompts*", "complete*", "task-*", "untrusted-*"}},
	{"Questions to the client", "elicitation, sampling and roots, in the old and the new protocol", []string{"input-*"}},
	{"Progress, logging and the end", "what belongs to a request, and how connections end", []string{"progress*", "logging*", "close-*", "shutdown", "in-flight", "ids*", "two-clients", "notifications-*"}},
	{"Invalid messages", "what the engine answers to what is no valid request", []string{"malformed-*", "not-a-request", "params-*", "unknown-*"}},
	{"Skills, tasks and events", "extensions of MCP", []string{"skills*", "extension*", "tasks*", "events*"}},
	{"Whole servers", "long conversations with servers of different kinds", []string{"seed-*"}},
	{"More", "all others", []string{"*"}},
}

// exampleSections returns the pages about transcripts: a section with the list, and one for
// each subject. attached are further files: conversations that are too long for a link.
func exampleSections(root string) (sections []Section, attached map[string][]byte, err error) {
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(transcripts), "*.txtar"))
	if err != nil {
		return nil, nil, err
	}
	attached = map[string][]byte{}
	overview := &Page{Title: "All examples", Name: examplesPage, About: "Every behaviour of the engine as a conversation: messages of client and engine, which the tests play."}
	sections = []Section{{Title: examplesSection, Pages: []*Page{overview}}}
	for _, subject := range subjects {
		sections = append(sections, Section{Title: subject.title, fold: true})
	}
	var list bytes.Buffer
	list.WriteString("# MCP by Example\n\nEach page is a conversation between a client and the engine, which the tests of the engine play: what you read is what it sends. ")
	list.WriteString("*Open in the playground* shows the messages there, with explanations. MCP 2026-07-28 is the modern era of the protocol; the four revisions before it, which begin with `initialize`, are the classic era.\n")
	pages := make([][]*Page, len(subjects))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, nil, err
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		at := subjectOf(name)
		page, long, err := examplePage(name, string(text))
		if err != nil {
			return nil, nil, fmt.Errorf("%s/%s.txtar: %w", transcripts, name, err)
		}
		if long != nil {
			attached[Path+page.Name+".mcplog.jsonl"] = long
		}
		pages[at] = append(pages[at], page)
	}
	for i, subject := range subjects {
		if len(pages[i]) == 0 {
			continue
		}
		sections[i+1].Pages = pages[i]
		fmt.Fprintf(&list, "\n## %s\n\n%s.\n\n", subject.title, strings.ToUpper(subject.about[:1])+subject.about[1:])
		for _, page := range pages[i] {
			fmt.Fprintf(&list, "- [%s](%s.html): %s\n", page.Title, page.Name, escapeHTML(page.About))
		}
	}
	overview.Markdown = list.Bytes()
	sections = slices.DeleteFunc(sections, func(s Section) bool { return len(s.Pages) == 0 })
	return sections, attached, nil
}

// titles are of examples whose file names say too little.
var titles = map[string]string{
	"era-row-01": "Modern requests on any connection", "era-row-02": "A broken envelope", "era-row-03": "An unknown version",
	"era-row-04": "A classic version in an envelope", "era-row-05": "initialize begins a session", "era-row-06": "A second initialize",
	"era-row-07": "ping in any state", "era-row-08": "A modern method without envelope", "era-row-09": "Classic requests in a session",
	"era-row-10": "Neither session nor envelope", "era-row-11": "Cancellation", "era-row-12": "Notifications of the client",
	"era-row-13": "A response in a session", "era-row-14": "A response without a session", "era-row-15": "Arrays in 2025-03-26",
	"era-row-16": "Arrays in other revisions", "lenient": "Clients without a handshake",
	"offered-all": "All capabilities", "offered-either": "Announcements of lists alone", "offered-nothing": "No capabilities",
	"offered-or": "Subscriptions alone", "offered-without-watching": "No notifications", "shape-by-revision": "The shape of each revision",
	"paths-are-not-walked": "URIs are compared as text", "cursor-wrong": "A wrong cursor", "names-twice": "Member names that occur twice",
	"list-empty": "Empty lists", "lists-pages": "Pages of prompts and tools", "list-pages": "Pages of resources", "templates-pages": "Pages of templates",
	"params-wrong": "Wrong params", "calls-broken": "Calls that panic", "complete-many": "Many suggestions", "complete": "Completion",
	"seed-0": "A notes server", "seed-0-errors": "A notes server: errors", "seed-1": "Logs and data of many kinds", "seed-1-plain": "A minimal server",
	"seed-2": "Project files", "seed-2-errors": "Project files: errors", "seed-3": "The oldest revision", "seed-3-errors": "The oldest revision: errors",
	"seed-3-list-changed-only": "Only announcements of lists", "seed-3-subscribe-only": "Only subscriptions", "seed-4": "An agent", "seed-4-empty": "An agent without data",
	"seed-4-lenient": "An agent without handshake",
}

func subjectOf(name string) int {
	for i, subject := range subjects {
		for _, pattern := range subject.patterns {
			if ok, _ := path.Match(pattern, name); ok {
				return i
			}
		}
	}
	return -1
}

// reference matches what a story says of its origin: numbers of testdata/requirements.tsv,
// and pages that are not part of this documentation.
var reference = regexp.MustCompile(`\s*\bR-\d+\b[.,]?|(?m)\s*(?:^|\b)(?:protocol|design|security|peers)\.md [^.]*(?:\.\d+[^.]*)*\.|,?\s*\bdecisions? \d[\d. and]*|\s*\bS\d[ ,][^.]*\.`)

// examplePage returns the page about a transcript, and the conversation as a file of the
// playground if it is too long for a link.
func examplePage(name, archive string) (page *Page, long []byte, err error) {
	sections := archiveSections(archive)
	story := strings.TrimSpace(reference.ReplaceAllString(strings.Join(strings.Fields(sections[0].text), " "), ""))
	if story != "" && !strings.HasSuffix(story, ".") {
		story += "."
	}
	title := cmp.Or(titles[name], strings.ToUpper(name[:1])+strings.ReplaceAll(name[1:], "-", " "))
	sentence, _, _ := strings.Cut(strings.ReplaceAll(story, "\n", " "), ". ")
	page = &Page{Title: title, Name: examplesDir + name, About: strings.TrimSuffix(sentence, ".") + "."}
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s\n\n%s\n\n", title, escapeHTML(story))
	var lines []exampleLine
	for _, section := range sections[1:] {
		if section.name == "transcript" {
			if lines, err = exampleLines(section.text); err != nil {
				return nil, nil, err
			}
		}
	}
	log := conversation(title, lines)
	link := playgroundLink(log)
	if len(link) <= maxLink {
		fmt.Fprintf(&out, "[Open in the playground](../../playground/%s)", link)
	} else {
		long = log
		fmt.Fprintf(&out, "[Save the conversation](%s.mcplog.jsonl), and open the file in the [playground](../../playground/)", name)
	}
	fmt.Fprintf(&out, " · [source](%s%s/%s.txtar)\n", repository, transcripts, name)
	for _, section := range sections[1:] {
		if section.name == "transcript" {
			continue
		}
		fmt.Fprintf(&out, "\n<details>\n<summary>%s</summary>\n\n```json\n%s\n```\n\n</details>\n", worldTitle(section.name), strings.TrimSpace(section.text))
	}
	out.WriteString("\n## Messages\n")
	writeMessages(&out, lines)
	page.Markdown = out.Bytes()
	return page, long, nil
}

func worldTitle(file string) string {
	name := strings.TrimSuffix(file, ".json")
	switch name {
	case "options":
		return "Options of the engine"
	case "later":
		return "Texts of a source that is mounted later"
	}
	return "The page's " + name
}

// writeMessages writes the messages one below the other, or, if the transcript has both
// eras, each era in a column of its own.
func writeMessages(out *bytes.Buffer, lines []exampleLine) {
	isOf := func(era string) func(exampleLine) bool {
		return func(l exampleLine) bool { return l.era == era }
	}
	if !slices.ContainsFunc(lines, isOf(modern)) || !slices.ContainsFunc(lines, isOf(classic)) {
		for _, line := range lines {
			writeMessage(out, line)
		}
		return
	}
	out.WriteString("\nBoth eras, beside each other. The numbers are the order.\n\n<div class=\"eras\">\n")
	for _, era := range []struct{ name, title string }{{modern, "MCP 2026-07-28"}, {classic, "MCP 2025-11-25 and older"}} {
		fmt.Fprintf(out, "<div class=\"era\">\n\n### %s\n", era.title)
		for _, line := range lines {
			if line.era == era.name || line.from == '!' {
				writeMessage(out, line)
			}
		}
		out.WriteString("\n</div>\n")
	}
	out.WriteString("</div>\n")
}

func writeMessage(out *bytes.Buffer, line exampleLine) {
	client := "Client"
	if line.client != "" {
		client += " " + line.client
	}
	who, class := client+" sends", "client"
	switch line.from {
	case '<':
		who, class = "Engine sends", "engine"
		if line.client != "" {
			who += " to client " + line.client
		}
	case '!':
		fmt.Fprintf(out, "\n<div class=\"message event\">\n\n**%d. The page changes:** `%s`\n\n</div>\n", line.number, line.text)
		return
	}
	language, text := "json", line.text
	var pretty bytes.Buffer
	if json.Indent(&pretty, []byte(line.text), "", "  ") == nil {
		text = pretty.String()
	} else {
		language, text = "text", strings.ToValidUTF8(text, "�")
	}
	fmt.Fprintf(out, "\n<div class=\"message %s\">\n\n**%d. %s** %s\n\n```%s\n%s\n```\n\n</div>\n", class, line.number, who, kindOf(line.text), language, text)
}

// conversation returns a dialogue as a transcript of the playground; see
// web/playground/share/transcript.ts.
func conversation(title string, lines []exampleLine) []byte {
	type peer struct {
		C      int    `json:"c"`
		Letter string `json:"letter"`
		Title  string `json:"title"`
	}
	numbers := map[string]int{}
	var peers []peer
	for _, line := range lines {
		if line.from == '!' || numbers[line.client] != 0 {
			continue
		}
		numbers[line.client] = len(peers) + 1
		peers = append(peers, peer{len(peers) + 1, string(rune('A' + len(peers))), title})
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.Encode(map[string]any{"mcplog": 1, "created": "2026-01-01T00:00:00.000Z", "app": "pagemcp-docs", "version": "1", "peers": peers, "redacted": true})
	for i, line := range lines {
		direction, framing := "out", "port"
		switch line.from {
		case '<':
			direction = "in"
		case '!':
			direction, framing = "world", "world"
		}
		encoder.Encode(map[string]any{"t": i * 10, "c": numbers[line.client], "d": direction, "k": framing, "raw": strings.ToValidUTF8(line.text, "�")})
	}
	return out.Bytes()
}

// playgroundLink returns the fragment that opens a conversation in the playground; see
// web/playground/share/conversation.ts.
func playgroundLink(log []byte) string {
	var packed bytes.Buffer
	w, _ := flate.NewWriter(&packed, flate.BestCompression) // cannot fail: a valid level
	w.Write(log)
	w.Close()
	return "#t1." + base64.RawURLEncoding.EncodeToString(packed.Bytes())
}

var htmlCharacters = strings.NewReplacer("<", "&lt;", "*", `\*`, "_", `\_`)

// escapeHTML makes a text safe as Markdown, except for code between backticks.
func escapeHTML(text string) string {
	pieces := strings.Split(text, "`")
	for i := range pieces {
		if i%2 == 0 {
			pieces[i] = htmlCharacters.Replace(pieces[i])
		}
	}
	return strings.Join(pieces, "`")
}
