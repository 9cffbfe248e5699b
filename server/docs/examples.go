package docs

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

const (
	// transcripts is the directory of conversations that the tests of the engine play.
	transcripts = "testdata/transcripts"

	// examplesDir is before the names of their pages.
	examplesDir = "examples/"

	// examplesPage is the name of the page that lists them.
	examplesPage = "examples"

	// maxLink is the length of a fragment that the playground opens; see
	// web/playground/share/link.ts.
	maxLink = 8000 // characters
)

// exampleSections returns the pages about transcripts: a section with their list, and one with
// all of them.
func exampleSections(root string) ([]Section, error) {
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(transcripts), "*.txtar"))
	if err != nil {
		return nil, err
	}
	overview := &Page{Title: "All examples", Name: examplesPage, About: "Every behaviour of the engine as a conversation: messages of client and engine, which the tests play."}
	var list bytes.Buffer
	list.WriteString("# MCP by Example\n\nEach page is a conversation between a client and the engine, which the tests of the engine play: what you read is what it sends. ")
	list.WriteString("*Open in the playground* shows the messages there, with explanations.\n\n")
	var pages []*Page
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		page, err := examplePage(strings.TrimSuffix(filepath.Base(file), ".txtar"), string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		pages = append(pages, page)
		fmt.Fprintf(&list, "- [%s](%s.html): %s\n", page.Title, page.Name, escapeHTML(page.About))
	}
	overview.Markdown = list.Bytes()
	return []Section{{Title: "MCP by Example", Pages: []*Page{overview}}, {Title: "Examples", Pages: pages, fold: true}}, nil
}

// reference matches what a story says of its origin: numbers of testdata/requirements.tsv,
// and pages that are not part of this documentation.
var reference = regexp.MustCompile(`\s*\bR-\d+\b[.,]?|(?m)\s*(?:^|\b)(?:protocol|design|security|peers)\.md [^.]*(?:\.\d+[^.]*)*\.|,?\s*\bdecisions? \d[\d. and]*|\s*\bS\d[ ,][^.]*\.`)

var archiveMarker = regexp.MustCompile(`(?m)^-- (\S+) --$`)

// examplePage returns the page about a transcript, a txtar archive.
func examplePage(name, archive string) (*Page, error) {
	texts, names := archiveMarker.Split(archive, -1), archiveMarker.FindAllStringSubmatch(archive, -1)
	story := strings.TrimSpace(reference.ReplaceAllString(strings.Join(strings.Fields(texts[0]), " "), ""))
	sentence, _, _ := strings.Cut(story, ". ")
	title := strings.ToUpper(name[:1]) + strings.ReplaceAll(name[1:], "-", " ")
	page := &Page{Title: title, Name: examplesDir + name, About: strings.TrimSuffix(sentence, ".") + "."}
	var world, messages bytes.Buffer
	var lines []exampleLine
	for i, text := range texts[1:] {
		if file := names[i][1]; file != "transcript" {
			fmt.Fprintf(&world, "\n<details>\n<summary>%s</summary>\n\n```json\n%s\n```\n\n</details>\n", file, strings.TrimSpace(text))
			continue
		}
		var err error
		if lines, err = exampleLines(text); err != nil {
			return nil, err
		}
	}
	for i, line := range lines {
		writeMessage(&messages, i+1, line)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "# %s\n\n%s\n\n", title, escapeHTML(story))
	if link := playgroundLink(conversation(title, lines)); len(link) <= maxLink {
		fmt.Fprintf(&out, "[Open in the playground](../../playground/%s) · ", link)
	}
	fmt.Fprintf(&out, "[source](%s%s/%s.txtar)\n%s\n## Messages\n%s", repository, transcripts, name, &world, &messages)
	page.Markdown = out.Bytes()
	return page, nil
}

// An exampleLine is a message or an event of a transcript. See testdata/transcripts.
type exampleLine struct {
	from   string // "client", "engine" or "event": the world changes
	client string
	text   string // JSON, or what else was sent
}

func exampleLines(text string) (all []exampleLine, err error) {
	for source := range strings.Lines(text) {
		if source = strings.TrimSpace(source); source == "" {
			continue
		}
		arrow, rest, _ := strings.Cut(source, " ")
		line := exampleLine{from: "client", text: strings.TrimSpace(rest)}
		switch {
		case strings.HasPrefix(arrow, "<-"):
			line.from, line.client = "engine", arrow[2:]
		case !strings.HasPrefix(arrow, "->"):
			line.from, line.text = "event", strings.TrimSpace(strings.TrimPrefix(source, "!"))
		case strings.HasSuffix(arrow, "q"):
			line.client = strings.TrimSuffix(arrow[2:], "q")
			if line.text, err = strconv.Unquote(line.text); err != nil {
				return nil, fmt.Errorf("line %d: %w", len(all)+1, err)
			}
		default:
			line.client = arrow[2:]
		}
		line.text = strings.ToValidUTF8(line.text, "�")
		all = append(all, line)
	}
	return all, nil
}

func writeMessage(out *bytes.Buffer, number int, line exampleLine) {
	if line.from == "event" {
		fmt.Fprintf(out, "\n<div class=\"message event\">\n\n**%d. The page changes:** `%s`\n\n</div>\n", number, line.text)
		return
	}
	who := strings.TrimSpace("Client " + line.client)
	if line.from == "engine" {
		who = "Engine, to client " + line.client
		if line.client == "" {
			who = "Engine"
		}
	}
	language, text := "json", line.text
	var pretty bytes.Buffer
	if json.Indent(&pretty, []byte(line.text), "", "  ") == nil {
		text = pretty.String()
	} else {
		language = "text"
	}
	fmt.Fprintf(out, "\n<div class=\"message %s\">\n\n**%d. %s**\n\n```%s\n%s\n```\n\n</div>\n", line.from, number, who, language, text)
}

// conversation returns a dialogue as a transcript of the playground; see
// web/playground/share/transcript.ts.
func conversation(title string, lines []exampleLine) []byte {
	numbers := map[string]int{}
	var peers []map[string]any
	for _, line := range lines {
		if line.from != "event" && numbers[line.client] == 0 {
			numbers[line.client] = len(peers) + 1
			peers = append(peers, map[string]any{"c": len(peers) + 1, "letter": string(rune('A' + len(peers))), "title": title})
		}
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.Encode(map[string]any{"mcplog": 1, "created": "2026-01-01T00:00:00.000Z", "app": "pagemcp-docs", "version": "1", "peers": peers, "redacted": true})
	kinds := map[string][2]string{"client": {"out", "port"}, "engine": {"in", "port"}, "event": {"world", "world"}}
	for i, line := range lines {
		kind := kinds[line.from]
		encoder.Encode(map[string]any{"t": i * 10, "c": numbers[line.client], "d": kind[0], "k": kind[1], "raw": line.text})
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
