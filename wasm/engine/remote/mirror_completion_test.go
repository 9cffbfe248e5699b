package remote_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/remote"
	"github.com/pagemcp/pagemcp/wasm/internal/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A listHop is a page with a prompt and a template that complete from a list.
type listHop struct {
	*mirroredHop
	completion engine.Completion
	during     func() // called while the page completes; may be nil
	asked      int    // completions that have reached the page
}

func newListHop(t *testing.T, share *remote.MirrorShare) *listHop {
	options := enginetest.Offering
	page := &hop{T: t, page: engine.New(engine.Info{Name: "page", Version: "1"}, &options), table: engine.NewTable(), wire: &wire{}}
	page.page.Mount("", page.table)
	h := &listHop{mirroredHop: newMirroredHopOf(page, share)}
	h.completion = engine.Completion{Values: []string{"Rome", "äpfel \"\\\u2028 😀"}, Total: 7, HasMore: true, Fixed: true}
	h.register()
	return h
}

func (h *listHop) register() {
	h.Helper()
	prompt, err := engine.ParsePrompt([]byte(`{"name":"trip","arguments":[{"name":"to"},{"name":"from"}]}`))
	if err != nil {
		h.Fatal(err)
	}
	if err := h.table.PutPrompt(engine.PromptEntry{Prompt: prompt, Get: func(context.Context, []byte) ([]byte, error) { return nil, engine.ErrNotFound }, Complete: h.complete}); err != nil {
		h.Fatal(err)
	}
	if err := h.table.PutTemplate(engine.TemplateEntry{Template: engine.Template{URITemplate: "trips://{to}", Name: "trips"}, Read: func(context.Context, string, []byte) ([]engine.Contents, error) { return nil, engine.ErrNotFound }, Complete: h.complete}); err != nil {
		h.Fatal(err)
	}
}

func (h *listHop) complete(context.Context, engine.CompletionRequest) (engine.Completion, error) {
	h.asked++ // one after the other, in tests
	found := h.completion
	if h.during != nil {
		h.during()
	}
	return found, nil
}

const (
	ofPrompt   = `"ref":{"type":"ref/prompt","name":"notes__trip"}`
	ofTemplate = `"ref":{"type":"ref/resource","uri":"notes+trips://{to}"}`
)

// from requests a completion and returns the response, and whether the page was asked.
func (h *listHop) from(d enginetest.Speaker, revision, ref, argument, value string) (answer string, asked bool) {
	h.Helper()
	before := h.asked
	members := ref + `,"argument":{"name":"` + argument + `","value":"` + value + `"}`
	if revision == engine.LatestModern {
		d.Ask("1", "completion/complete", "", ","+members)
	} else {
		d.Say(`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{` + members + `}}`)
	}
	return d.Next(), h.asked != before
}

// wants requests completions of the text "r" for claude, and checks who answers them.
func (h *listHop) wants(why string, asked bool) {
	h.Helper()
	d := enginetest.Speak(h.T, h.gateway, "claude")
	for _, ref := range []string{ofPrompt, ofTemplate} {
		answer, was := h.from(d, engine.LatestModern, ref, "to", "r")
		if want := `"` + h.completion.Values[0] + `"`; was != asked || !strings.Contains(answer, want) {
			h.Errorf("%s: the page was asked: %v; not %s in %s", why, was, want, answer)
		}
	}
	d.Port.Close()
	synctest.Wait()
}

// What a gateway completes by itself is what the page completed, byte by byte, in every revision.
func TestCompletionsOfListsEqualThoseOfThePage(t *testing.T) {
	for _, revision := range []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} {
		for _, ref := range []string{ofPrompt, ofTemplate} {
			synctest.Test(t, func(t *testing.T) {
				var answers [2]string // with and without a mirror
				for i, share := range []*remote.MirrorShare{newShare(), nil} {
					h := newListHop(t, share)
					d := enginetest.Speak(t, h.gateway, "claude")
					if revision != engine.LatestModern {
						speaksClassic(d, revision)
					}
					for n, with := range []string{"", "", `,"context":{"arguments":{"from":"Paris"}}`} {
						answer, asked := h.from(d, revision, ref+with, "to", "r")
						if n == 0 {
							answers[i] = answer
						}
						if asked != (n == 0 || share == nil) || answer != answers[i] || strings.Contains(answer, "io.github.pagemcp") {
							t.Errorf("%s, number %d: the page was asked: %v\n%s\nthe first was\n%s", revision, n, asked, answer, answers[i])
						}
					}
					d.Port.Close()
					h.remote.Close()
				}
				if answers[0] != answers[1] || !strings.Contains(answers[0], `"total":7,"hasMore":true`) {
					t.Errorf("%s: with a mirror\n%s\nwithout\n%s", revision, answers[0], answers[1])
				}
			})
		}
	}
}

// A result is for one argument and text of one prompt or template.
func TestAKeptCompletionIsForItsArgumentAndText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		share := newShare()
		h, other := newListHop(t, share), newListHop(t, share)
		d := enginetest.Speak(t, h.gateway, "claude")
		for _, c := range [][3]string{
			{ofPrompt, "to", "r"}, {ofPrompt, "to", "ro"}, {ofPrompt, "to", ""}, {ofPrompt, "from", "r"}, {ofTemplate, "to", "r"},
			{`"ref":{"type":"ref/resource","uri":"notes+trips://Rome"}`, "to", "r"},
		} {
			for n := range 2 {
				if answer, asked := h.from(d, engine.LatestModern, c[0], c[1], c[2]); asked != (n == 0) {
					t.Errorf("%q, number %d: %s", c, n, answer)
				}
			}
		}
		d.Port.Close()
		other.completion.Values = []string{"Oslo"}
		other.wants("another page", true)
	})
}

// Clients of the page, other than gateways, get no mark.
func TestClientsOfThePageGetNoMark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newListHop(t, newShare())
		d := enginetest.Speak(t, h.page, "page")
		d.Ask("1", "completion/complete", "", `,"ref":{"type":"ref/prompt","name":"trip"},"argument":{"name":"to","value":""}`)
		if got := d.Next(); !strings.Contains(got, `"Rome"`) || strings.Contains(got, "io.github.pagemcp") {
			t.Errorf("%s", got)
		}
		d.Port.Close()
	})
}

// A page that sleeps has its lists completed, with the age of the result; one that has left has not.
func TestKeptCompletionsOfAPageThatSleeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newListHop(t, newShare())
		h.anotherTab("")
		h.wants("awake", true)
		h.publisher.Sleep(true)
		synctest.Wait()
		time.Sleep(time.Minute)
		for revision, want := range map[string]string{
			engine.LatestModern: `"io.github.pagemcp/ageMs":60000}`,
			"2025-06-18":        `"result":{"_meta":{"io.github.pagemcp/ageMs":60000},"completion":{"values":["Rome"`,
		} {
			d := enginetest.Speak(t, h.gateway, "claude")
			if revision != engine.LatestModern {
				speaksClassic(d, revision)
			}
			if answer, asked := h.from(d, revision, ofPrompt, "to", "r"); asked || !strings.Contains(answer, want) {
				t.Errorf("asleep: not %s in %s", want, answer)
			}
			if answer, _ := h.from(d, revision, ofPrompt, "to", "not asked before"); strings.Contains(answer, `"result"`) {
				t.Errorf("asleep, another text: %s", answer)
			}
			d.Port.Close()
		}
		near, far := jsonrpc.Pipe()
		go h.gateway.Serve(engine.WithSpeakForOthers(context.Background()), far) // ends with the port
		other := remote.New()
		if err := other.Reattach(t.Context(), near); err != nil {
			t.Fatal(err)
		}
		found, err := other.Complete(t.Context(), engine.CompletionRequest{Prompt: "notes__trip", Argument: "to", Value: "r"})
		if err != nil || string(found.Meta) != `{"io.github.pagemcp/ageMs":60000}` {
			t.Errorf("by another node: %v, _meta %s", err, found.Meta)
		}
		other.Close()
		near.Close()
		h.cut()
		if page, _, _ := remote.Mirrored(h.remote); page != 0 {
			t.Errorf("%d bytes are kept after the page has left", page)
		}
	})
}
