package gateway

import (
	"slices"
	"strings"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// An app's event is a resource, event:///{name}, with a line of JSON for each of its last
// occurrences.

// IsEvent reports whether a URI, at /mcp or at /mcp/{page}, is that of an event.
func IsEvent(uri string) bool {
	scheme, _, _ := strings.Cut(uri, ":///")
	return scheme == "event" || strings.HasSuffix(scheme, "+event")
}

// An Occurrence is a line of an event.
type Occurrence struct {
	Number int64          `json:"number"`        // from 1, since the page was loaded
	Time   string         `json:"time,omitzero"` // ISO 8601
	Since  string         `json:"since"`         // when the numbers began, ISO 8601
	Data   jsontext.Value `json:"data,omitzero"`
}

// Occurrences reads the lines of an event, oldest first. Others are skipped.
func Occurrences(text string) (all []Occurrence) {
	for line := range strings.Lines(text) {
		var one Occurrence
		if json.Unmarshal([]byte(line), &one) == nil && one.Number > 0 {
			all = append(all, one)
		}
	}
	return all
}

// LastOf returns what identifies the last occurrence; zero: there is none.
func LastOf(all []Occurrence) Occurrence {
	if len(all) == 0 {
		return Occurrence{}
	}
	last := all[len(all)-1]
	return Occurrence{Number: last.Number, Since: last.Since}
}

// After returns the occurrences after one that is known, and how many between them the page has
// dropped; -1: unknown, since the page was loaded again.
func (known Occurrence) After(all []Occurrence) (later []Occurrence, lost int64) {
	at := slices.IndexFunc(all, func(o Occurrence) bool { return o.Number == known.Number && o.Since == known.Since })
	switch {
	case at >= 0:
		return all[at+1:], 0
	case known.Number == 0 && len(all) == 0:
		return nil, 0
	case len(all) > 0 && (known.Number == 0 || all[0].Since == known.Since):
		return all, all[0].Number - known.Number - 1
	}
	return all, -1
}
