package gateway

import (
	"strings"
	"testing"
	"time"

	json "github.com/go-json-experiment/json"
)

// A gap is said in the text of the result, too, which is all that some models see.
func TestWaitSaysWhatIsNotKnown(t *testing.T) {
	uris := []string{"notes+a:1", "notes+a:2"}
	found := []happened{{Name: "notes.saved", Data: []byte(`{"uri":"notes+a:1"}`)}}
	for name, test := range map[string]struct {
		uris    []string
		found   []happened
		missed  bool
		text    string
		changed []string
	}{
		"nothing":                    {uris, nil, false, "Nothing changed within", nil},
		"a change":                   {uris, found, false, "Changed: notes+a:1. Read again", uris[:1]},
		"a gap":                      {uris, nil, true, "Not all that has happened is known: the page was away", uris},
		"a change and a gap":         {uris, found, true, "Not all that has happened is known: the page was away", uris},
		"an event":                   {nil, found, false, "Happened: 1 events.", nil},
		"events that may be missing": {nil, nil, true, "Events may have happened that are not known: the page was away", nil},
		"an event and a gap":         {nil, found, true, "Others before them are not known: the page was away", nil},
	} {
		w := &waiting{uris: test.uris, found: test.found, cursor: "c"}
		got, err := json.Marshal(w.result(test.missed, time.Now()))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(got), test.text) || !strings.Contains(string(got), "call again with the cursor as since") {
			t.Errorf("%s: %s\n  has no %q", name, got, test.text)
		}
		var result struct {
			Structured struct {
				Changed []string `json:"changed"`
				Missed  bool     `json:"missed"`
			} `json:"structuredContent"`
		}
		if err := json.Unmarshal(got, &result); err != nil {
			t.Fatal(err)
		}
		if s := result.Structured; strings.Join(s.Changed, " ") != strings.Join(test.changed, " ") || s.Missed != test.missed {
			t.Errorf("%s: %s", name, got)
		}
	}
}
