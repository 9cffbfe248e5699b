package remote_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/remote"
	"github.com/pagemcp/pagemcp/wasm/engine/remote/remotetest"
	"github.com/pagemcp/pagemcp/wasm/internal/enginetest"
)

// newTimedHop has a page whose resources are functions with a ttl of a minute: each read counts, and says
// for whom it was.
func newTimedHop(t *testing.T, share *remote.MirrorShare, public bool) *mirroredHop {
	h := newMirroredHop(t, share)
	h.compute("notes://cart", engine.Cache{TTL: time.Minute, Public: public})
	h.rejoin()
	return h
}

// compute registers a function.
func (h *mirroredHop) compute(uri string, cache engine.Cache) {
	h.Helper()
	reads := 0
	err := h.table.Put(engine.Entry{Resource: engine.Resource{URI: uri, Name: uri}, Read: func(ctx context.Context, _ string) ([]engine.Contents, error) {
		reads++ // one after the other, in tests
		return []engine.Contents{{URI: uri, Text: fmt.Sprintf("%d for %s", reads, engine.PrincipalOf(ctx)), Cache: cache}}, nil
	}})
	if err != nil {
		h.Fatal(err)
	}
}

// rejoin is a reload of the page.
func (h *mirroredHop) rejoin() {
	h.Helper()
	h.cut()
	h.times = func(string) bool { return true }
	h.join()
}

// body reads a resource for a principal and returns its text as JSON.
func (h *mirroredHop) body(who engine.Principal, uri string) string {
	h.Helper()
	contents, err := h.remote.Read(engine.WithPrincipal(h.Context(), who), uri)
	if err != nil {
		h.Fatal(err)
	}
	return string(contents[0].Relayed.Body)
}

// Within its ttl a result is answered as the page would answer, byte by byte, in every revision; only its ttlMs is
// what is left of it. After that time the page answers.
func TestTimedReadsEqualThoseOfThePage(t *testing.T) {
	kinds := map[string][]engine.Contents{
		"text":    {{Text: "2 äpfel \"\\\u2028 😀", MIMEType: "text/plain"}},
		"blob":    {{Blob: []byte{0, 1, 255}, MIMEType: "image/png", Meta: []byte(`{"com.example/n":1}`)}},
		"several": {{Text: "a"}, {URI: "notes://b", Blob: []byte("b"), Meta: []byte(`{"x/y":[1.0,{"z":null}]}`)}},
	}
	for name, contents := range kinds {
		for _, public := range []bool{true, false} {
			for _, revision := range []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} {
				t.Run(fmt.Sprintf("%s/public=%v/%s", name, public, revision), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						var answers [2]string // with and without a mirror
						for i, share := range []*remote.MirrorShare{newShare(), nil} {
							h := newTimedHop(t, share, public)
							own := append([]engine.Contents(nil), contents...)
							own[0].URI, own[0].Cache = "notes://cart", engine.Cache{TTL: 1500 * time.Millisecond, Public: public}
							h.table.Put(engine.Entry{Resource: engine.Resource{URI: "notes://cart", Name: "Cart"}, Read: func(context.Context, string) ([]engine.Contents, error) { return own, nil }})
							d := enginetest.Speak(t, h.gateway, "claude")
							ask := func(why string, reads int) string {
								if revision == engine.LatestModern {
									d.Ask("1", "resources/read", "", readCart)
								} else {
									d.Say(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"notes+notes://cart"}}`)
								}
								if answer := d.Next(); share == nil || h.reads() == reads {
									return answer
								}
								t.Errorf("%s: the page has answered %d reads", why, h.reads())
								return ""
							}
							if revision != engine.LatestModern {
								speaksClassic(d, revision)
							}
							answers[i] = ask("the first", 1)
							if got := ask("at once", 1); got != answers[i] || strings.Contains(got, "pagemcp/timed") {
								t.Errorf("the page answers\n%s\nthe gateway\n%s", answers[i], got)
							}
							time.Sleep(400 * time.Millisecond)
							want := answers[i]
							if share != nil {
								want = strings.Replace(want, `"ttlMs":1500`, `"ttlMs":1100`, 1)
							}
							if got := ask("later", 1); got != want {
								t.Errorf("after 400 ms\n%s\nnot\n%s", got, want)
							}
							time.Sleep(1100 * time.Millisecond)
							if got := ask("too late", 2); got != answers[i] {
								t.Errorf("after 1,500 ms\n%s\nnot\n%s", got, answers[i])
							}
							d.Port.Close()
							h.remote.Close()
						}
						if answers[0] != answers[1] || !strings.Contains(answers[0], `"contents"`) {
							t.Errorf("with a mirror\n%s\nwithout\n%s", answers[0], answers[1])
						}
					})
				})
			}
		}
	}
}

// A private result is for the principal that has read it; a public one for all.
func TestAPrivateResultIsForItsPrincipalAlone(t *testing.T) {
	for _, public := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			h := newTimedHop(t, newShare(), public)
			want := map[engine.Principal]string{"claude": `"1 for claude"`, "codex": `"2 for codex"`, "": `"3 for "`}
			for range 2 {
				for _, who := range []engine.Principal{"claude", "codex", ""} {
					if public {
						want[who] = `"1 for claude"`
					}
					if got := h.body(who, "notes://cart"); got != want[who] {
						t.Errorf("public %v: %q gets %s, want %s", public, who, got, want[who])
					}
				}
			}
			if page, _, _ := remote.Mirrored(h.remote); page == 0 {
				t.Error("nothing is kept")
			}
		})
	}
}

// A change ends what is kept of its URI, for all principals, whether the page sends a value with it or not.
func TestAChangeEndsTimedResults(t *testing.T) {
	for _, result := range []string{"", value("notes://cart", "late")} {
		for _, public := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				h := newTimedHop(t, newShare(), public)
				h.compute("notes://other", engine.Cache{TTL: time.Minute, Public: public})
				for _, who := range []engine.Principal{"claude", "codex"} {
					h.body(who, "notes://cart")
					h.body(who, "notes://other")
				}
				before := h.reads()
				h.publisher.Change("notes://cart", result)
				synctest.Wait()
				for _, who := range []engine.Principal{"claude", "codex"} {
					if got := h.body(who, "notes://cart"); strings.HasPrefix(got, `"1`) || !public && strings.HasPrefix(got, `"2`) || got == `"late"` {
						t.Errorf("public %v, after a change %s reads %s", public, who, got)
					}
				}
				asked := h.reads()
				h.body("claude", "notes://other")
				if h.reads() != asked || asked == before {
					t.Errorf("the page has answered %d reads after the change, and then %d", asked-before, h.reads()-asked)
				}
				h.publisher.Change("", "")
				synctest.Wait()
				h.body("claude", "notes://other")
				if h.reads() != asked+1 {
					t.Error("a result is kept after the page has dropped all")
				}
			})
		}
	}
}

// A client that has heard of a change gets no older result, and a result that was on its way is not kept.
func TestATimedResultIsNotKeptOnceAChangeHasCome(t *testing.T) {
	result := strings.Replace(value("notes://cart", "2 apples"), `"ttlMs":0`, `"ttlMs":60000`, 1)
	result = strings.Replace(result, "pagemcp/published", "pagemcp/timed", 1)
	for change, has := range map[string]bool{`{"uri":"notes://cart"}`: false, `{}`: false, "": true} {
		r := remote.New()
		r.MirrorIn(newShare())
		remote.KeepValueAfter(r, "notes://cart", result, change)
		if remote.HasValue(r, "notes://cart") != has {
			t.Errorf("after %q the result is kept: %v", change, !has)
		}
		r.Close()
	}
	synctest.Test(t, func(t *testing.T) {
		h := newTimedHop(t, newShare(), false)
		d := enginetest.Speak(t, h.gateway, "claude")
		d.Ask("1", "subscriptions/listen", "", `,"notifications":{"resourceSubscriptions":["notes+notes://cart"]}`)
		d.Wants("acknowledged")
		for read := range 20 {
			d.Ask("2", "resources/read", "", readCart)
			d.Wants(fmt.Sprintf(`"%d for claude"`, read+1))
			h.publisher.Change("notes://cart", "")
			h.table.Changed("notes://cart")
			d.Wants("updated")
		}
		d.Port.Close()
	})
}

// Errors, results without a ttl, those of requests with answers to questions, and those of pages that do not mark them are
// not kept.
func TestWhatIsNotKeptForATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTimedHop(t, newShare(), true)
		fails := true
		h.table.Put(engine.Entry{Resource: engine.Resource{URI: "notes://cart", Name: "Cart"}, Read: func(context.Context, string) ([]engine.Contents, error) {
			if fails {
				return nil, errors.New("not now")
			}
			return []engine.Contents{{URI: "notes://cart", Text: "found", Cache: engine.Cache{TTL: time.Minute, Public: true}}}, nil
		}})
		if contents, err := h.remote.Read(t.Context(), "notes://cart"); err == nil {
			t.Errorf("%+v", contents)
		}
		fails = false
		if got := h.body("claude", "notes://cart"); got != `"found"` {
			t.Errorf("after an error: %s", got)
		}
		h.compute("notes://fresh", engine.Cache{Public: true})
		h.compute("notes://unmarked", engine.Cache{TTL: time.Minute, Public: true})
		h.body("claude", "notes://fresh")
		if got := h.body("claude", "notes://fresh"); got != `"2 for claude"` {
			t.Errorf("without a ttl: %s", got)
		}
		h.publisher.Publishes = func(string) bool { return false }
		h.publisher.Times = h.publisher.Publishes
		h.body("claude", "notes://unmarked")
		if got := h.body("claude", "notes://unmarked"); got != `"2 for claude"` {
			t.Errorf("without a mark: %s", got)
		}
	})
}

// What depends on answers to requests for input is neither kept nor given to a request that has some. MCP 2026-07-28,
// server/utilities/caching; R-231.
func TestAResultThatDependsOnInputIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTimedHop(t, newShare(), false)
		asks := true
		h.table.Put(engine.Entry{Resource: engine.Resource{URI: "notes://cart", Name: "Cart"}, Read: func(ctx context.Context, uri string) ([]engine.Contents, error) {
			i := engine.InvocationOf(ctx)
			inputs, _, err := i.Answers()
			if err != nil {
				return nil, err
			}
			if asks && inputs == nil {
				return nil, i.Need([]byte(`{"k":{"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}}`), nil)
			}
			return []engine.Contents{{URI: uri, Text: "input " + string(inputs), Cache: engine.Cache{TTL: time.Minute}}}, nil
		}})
		d := enginetest.Speak(t, h.gateway, "claude")
		const able = `,"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}`
		const answers = `,"inputResponses":{"k":{"action":"accept","content":{}}}`
		ask := func(more string) string {
			d.Say(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"` + able + `}` + readCart + more + `}}`)
			return d.Next()
		}
		for range 2 {
			if got := ask(""); !strings.Contains(got, "input_required") {
				t.Errorf("without answers: %s", got)
			}
			if got := ask(answers); !strings.Contains(got, `accept`) {
				t.Errorf("with answers: %s", got)
			}
		}
		asks = false
		ask("")
		before := h.reads()
		if got := ask(""); h.reads() != before || !strings.Contains(got, `"input "`) {
			t.Errorf("without answers, after %d reads: %s", h.reads()-before, got)
		}
		if got := ask(answers); h.reads() != before+1 {
			t.Errorf("with answers, after %d reads: %s", h.reads()-before, got)
		}
		d.Port.Close()
	})
}

// The grants decide as about published values: a revoked one ends at once, though the result is still fresh.
func TestGrantsDecideAboutTimedReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTimedHop(t, newShare(), true) // private nevertheless: the page has grants
		grant := func(text string) {
			table, err := engine.ParseGrants([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			h.page.SetGrants(table)
		}
		grant(onlyClaude)
		time.Sleep(time.Second) // the gateway has them
		claude, codex := enginetest.Speak(t, h.gateway, "claude"), enginetest.Speak(t, h.gateway, "codex")
		for id := range 3 {
			claude.Ask(fmt.Sprint(id), "resources/read", "", readCart)
			claude.Wants("1 for claude")
			codex.Ask(fmt.Sprint(id), "resources/read", "", readCart)
			codex.Wants(`"reason":"declined"`)
		}
		grant(nobody)
		synctest.Wait()
		claude.Ask("9", "resources/read", "", readCart)
		claude.Wants(`"reason":"declined"`)
		grant(`{"default":"open","grants":[]}`)
		time.Sleep(time.Second)
		codex.Ask("10", "resources/read", "", readCart)
		codex.Wants("2 for codex")
		claude.Port.Close()
		codex.Port.Close()
		time.Sleep(time.Second) // the requests for the grants end
	})
}

// Two pages with the same URIs share a mirror.
func TestPagesDoNotGetEachOthersTimedResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		share := newShare()
		one, other := newTimedHop(t, share, true), newTimedHop(t, share, true)
		for range 2 {
			if got := one.body("claude", "notes://cart"); got != `"1 for claude"` {
				t.Errorf("one page: %s", got)
			}
			if got := other.body("codex", "notes://cart"); got != `"1 for codex"` {
				t.Errorf("the other page: %s", got)
			}
		}
	})
}

// A page cannot have a result kept that has no ttl.
func TestAMarkWithoutATTLKeepsNothing(t *testing.T) {
	timed := string(remotetest.Timed([]byte(`{"_meta":{},"contents":[{"uri":"notes://cart","text":"x"}],"ttlMs":0,"cacheScope":"public"}`)))
	r := remote.New()
	defer r.Close()
	r.MirrorIn(newShare())
	remote.KeepValue(r, "notes://cart", timed)
	if remote.HasValue(r, "notes://cart") {
		t.Error("it is kept")
	}
}
