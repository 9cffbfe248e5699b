package docs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pagemcp/pagemcp/wasm/engine"
)

// An exampleLine is a message or an event of a transcript. See testdata/transcripts.
type exampleLine struct {
	from   byte // '>': a client, '<': the engine, '!': the world changes
	client string
	text   string // JSON, or what else was sent
	era    string
	number int
}

const (
	modern  = "modern"
	classic = "classic"
)

type archiveSection struct{ name, text string }

var archiveMarker = regexp.MustCompile(`^-- (\S+) --$`)

// archiveSections returns the files of a txtar archive; the first one is the comment.
func archiveSections(archive string) []archiveSection {
	all := []archiveSection{{}}
	for line := range strings.Lines(archive) {
		if found := archiveMarker.FindStringSubmatch(strings.TrimSpace(line)); found != nil {
			all = append(all, archiveSection{name: found[1]})
			continue
		}
		all[len(all)-1].text += line
	}
	return all
}

// exampleLines parses a dialogue and finds the era of each message.
func exampleLines(text string) (all []exampleLine, err error) {
	eras := map[string]string{} // by client and id of its last request
	last := map[string]string{} // by client
	for source := range strings.Lines(text) {
		source = strings.TrimSpace(source)
		if source == "" {
			continue
		}
		arrow, rest, _ := strings.Cut(source, " ")
		line := exampleLine{text: strings.TrimSpace(rest), number: len(all) + 1}
		switch {
		case strings.HasPrefix(arrow, "->"):
			line.from, line.client = '>', arrow[2:]
			if client, quoted := strings.CutSuffix(line.client, "q"); quoted {
				line.client = client
				if line.text, err = strconv.Unquote(line.text); err != nil {
					return nil, fmt.Errorf("line %d: %w", line.number, err)
				}
			}
		case strings.HasPrefix(arrow, "<-"):
			line.from, line.client = '<', arrow[2:]
		default:
			line.from, line.text = '!', strings.TrimSpace(strings.TrimPrefix(source, "!"))
			all = append(all, line)
			continue
		}
		line.era = eraOf(line, eras, last[line.client])
		last[line.client] = line.era
		all = append(all, line)
	}
	next := "" // what belongs to no era is shown with what follows it
	for i := range slices.Backward(all) {
		if line := &all[i]; line.from != '!' {
			line.era = cmp.Or(line.era, next)
			next = line.era
		}
	}
	return all, nil
}

// eraOf returns the era of a message: requests of the modern one name their revision, and
// answers belong to their requests.
func eraOf(line exampleLine, eras map[string]string, last string) string {
	var message struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		}
	}
	if json.Unmarshal([]byte(line.text), &message) != nil {
		return last
	}
	key := line.client + " " + string(message.ID)
	_, named := message.Params.Meta["io.modelcontextprotocol/protocolVersion"]
	_, subscription := message.Params.Meta["io.modelcontextprotocol/subscriptionId"]
	switch {
	case named || subscription:
		if line.from == '>' {
			eras[key] = modern
		}
		return modern
	case line.from == '<' && message.Method == "" && eras[key] != "":
		return eras[key]
	case line.from == '<' && message.Method != "":
		return cmp.Or(last, classic)
	case line.from == '>' && message.Method != "":
		if message.Method == engine.MethodCancelled {
			return cmp.Or(last, classic)
		}
		eras[key] = classic
		return classic
	}
	return cmp.Or(last, classic)
}

// kindOf returns what a message is, in a few words of Markdown.
func kindOf(text string) string {
	var message struct {
		ID, Error *json.RawMessage
		Method    string
	}
	switch err := json.Unmarshal([]byte(text), &message); {
	case err != nil:
		return ""
	case message.Method != "":
		return "`" + message.Method + "`"
	case message.Error != nil:
		return "an error"
	}
	return "a result"
}
