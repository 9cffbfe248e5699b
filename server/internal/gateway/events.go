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

// An Occurrence is a line of an event. Numbers begin with 1 in each document of a page.
type Occurrence struct {
	Number int64          `json:"number"`
	Time   string         `json:"time"` // ISO 8601
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

// LastOf returns the last occurrence, without its data; zero: there is none.
func LastOf(all []Occurrence) Occurrence {
	if len(all) == 0 {
		return Occurrence{}
	}
	last := all[len(all)-1]
	return Occurrence{Number: last.Number, Time: last.Time}
}

// After returns the occurrences after one that is known, and how many between are lost; -1: some
// may be, since the page was loaded again.
func (known Occurrence) After(all []Occurrence) (later []Occurrence, lost int64) {
	at := slices.IndexFunc(all, func(o Occurrence) bool { return o.Number == known.Number && o.Time == known.Time })
	switch {
	case at >= 0:
		return all[at+1:], 0
	case known.Number == 0 && len(all) == 0:
		return nil, 0
	case len(all) > 0 && all[0].Number > known.Number:
		return all, all[0].Number - known.Number - 1
	}
	return all, -1
}
