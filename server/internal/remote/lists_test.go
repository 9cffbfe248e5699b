package remote_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/remote"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A gathering is a gateway's engine with scripted pages.
type gathering struct {
	t       *testing.T
	engine  *engine.Engine
	reports enginetest.Reports
	remotes []*remote.Remote
	clients []*enginetest.Dialogue
}

func newGathering(t *testing.T) *gathering {
	g := &gathering{t: t}
	g.engine = engine.New(engine.Info{Name: "gateway", Version: "1"}, &engine.Options{
		PageSize: 20, Tools: true, Prompts: true, Completions: true, Extensions: enginetest.Extensions(), Report: g.reports.Add,
	})
	return g
}

func (g *gathering) page(name string, answer func(msg jsonrpc.Message) string) *scriptedPage {
	p, near := newScriptedPage(g.t)
	p.answer = answer
	r, err := remote.Attach(g.t.Context(), near)
	if err != nil {
		g.t.Fatal(err)
	}
	g.remotes = append(g.remotes, r)
	g.engine.Mount(name+"+", r)
	return p
}

func (g *gathering) client() *enginetest.Dialogue {
	d := enginetest.NewDialogue(g.t, g.engine)
	g.clients = append(g.clients, d)
	return d
}

func (g *gathering) end() {
	for _, d := range g.clients {
		d.Port.Close()
	}
	for _, r := range g.remotes {
		r.Close()
	}
	time.Sleep(time.Minute) // questions end that wait to be sent again
	synctest.Wait()
}

// listsOf answers lists with one entry, or more, of each kind, and calls of tools.
func listsOf(members map[string]string) func(jsonrpc.Message) string {
	return func(msg jsonrpc.Message) string {
		answer, ok := members[msg.Method]
		if !ok {
			answer, ok = goodLists[msg.Method]
		}
		if !ok {
			return `"error":{"code":-32601,"message":"Method not found"}`
		}
		return answer
	}
}

var goodLists = map[string]string{
	"resources/list":           `"result":{"resultType":"complete","resources":[{"uri":"a:1","name":"one"}]}`,
	"resources/templates/list": `"result":{"resultType":"complete","resourceTemplates":[{"uriTemplate":"a:{x}","name":"one"}]}`,
	"prompts/list":             `"result":{"resultType":"complete","prompts":[{"name":"one"}]}`,
	"tools/list":               `"result":{"resultType":"complete","tools":[{"name":"one","inputSchema":{"type":"object"}}]}`,
	"skills/list":              `"result":{"resultType":"complete","skills":[` + enginetest.SkillEntry("one") + `]}`,
	"tools/call":               `"result":{"resultType":"complete","content":[{"type":"text","text":"done"}]}`,
}

// Pages that never answer: lists of the others are there within about 2 s, and
// calls at once; when a page answers at last, a change of the list is announced.
func TestSilentPagesDelayNobody(t *testing.T) {
	for _, method := range enginetest.ListMethods {
		synctest.Test(t, func(t *testing.T) {
			g := newGathering(t)
			var silent []*scriptedPage
			for i := range 5 {
				silent = append(silent, g.page(fmt.Sprintf("b%d", i), nil))
			}
			g.page("zlast", listsOf(nil))
			d := g.client()
			d.Listen(`"resourcesListChanged":true,"promptsListChanged":true,"toolsListChanged":true`)
			for range 2 {
				began := time.Now()
				if got := d.Modern(method, ""); !strings.Contains(got, "zlast") || strings.Contains(got, "error") {
					t.Errorf("%s: %s", method, got)
				}
				if took := time.Since(began); took > 2200*time.Millisecond {
					t.Errorf("%s took %v", method, took)
				}
			}
			began := time.Now()
			if got := d.Modern("tools/call", `"name":"zlast__one"`); !strings.Contains(got, "done") || time.Since(began) != 0 {
				t.Errorf("a call of another page after %v: %s", time.Since(began), got)
			}
			time.Sleep(40 * time.Second)
			silent[3].set(func() { silent[3].answer = listsOf(nil) })
			if got := d.Next("list_changed when the page answers"); !strings.Contains(got, "list_changed") {
				t.Errorf("got %s", got)
			}
			if got := d.Modern(method, ""); !strings.Contains(got, "b3") {
				t.Errorf("in the end %s is %s", method, got)
			}
			g.end()
		})
	}
}

// Silent pages that come back while a list waits for another one do not take their own time on
// top: they would hold up lists of all pages for as long as they are many.
func TestPagesThatComeBackDelayNobody(t *testing.T) {
	for _, method := range enginetest.ListMethods {
		synctest.Test(t, func(t *testing.T) {
			g := newGathering(t)
			g.page("a", nil)
			for i := range 3 {
				r := remote.New()
				g.remotes = append(g.remotes, r)
				g.engine.Mount(fmt.Sprintf("b%d+", i), r)
				defer time.AfterFunc(time.Second, func() {
					_, near := newScriptedPage(t)
					if err := r.Reattach(t.Context(), near); err != nil {
						t.Error(err)
					}
				}).Stop()
			}
			for i := range 2 { // these are expected, and do not come
				r := remote.New()
				g.remotes = append(g.remotes, r)
				g.engine.Mount(fmt.Sprintf("c%d+", i), r)
				defer r.Arrives()()
			}
			g.page("zlast", listsOf(nil))
			d := g.client()
			began := time.Now()
			if got := d.Modern(method, ""); !strings.Contains(got, "zlast") || strings.Contains(got, "error") {
				t.Errorf("%s: %s", method, got)
			}
			if took := time.Since(began); took > 2200*time.Millisecond {
				t.Errorf("%s took %v", method, took)
			}
			g.end()
		})
	}
}

// What one page answers wrongly costs its own entries, and of a list only the wrong
// ones; it is reported, and the page's words go to no client.
func TestWrongListsCostTheirOwnEntries(t *testing.T) {
	for name, test := range map[string]struct {
		answers          map[string]string
		has, report, not string
	}{
		"entries": {map[string]string{
			"resources/list":           `"result":{"resultType":"complete","resources":[7,{"uri":"a b","name":"x"},{"uri":"a:1"},{"uri":"a:1","name":"one","icons":[{"src":"javascript:1"}]},{"uri":"a:2","name":"two"}]}`,
			"resources/templates/list": `"result":{"resultType":"complete","resourceTemplates":[null,{"uriTemplate":"{a}","name":"x"},{"uriTemplate":"a:{two}","name":"two"}]}`,
			"prompts/list":             `"result":{"resultType":"complete","prompts":[{},{"name":"x","arguments":7},{"name":"two"}]}`,
			"tools/list":               `"result":{"resultType":"complete","tools":[[],{"name":"x"},{"name":"two","inputSchema":{"type":"object"}}]}`,
			"skills/list":              `"result":{"resultType":"complete","skills":[{},"x",` + strings.Replace(enginetest.SkillEntry("javascript"), "sha256:0", "sha256:x", 1) + "," + enginetest.SkillEntry("two") + `]}`,
		}, "two", "not valid and left out", "javascript"},
		"answers": {map[string]string{
			"resources/list":           `"result":{"resultType":"complete","resources":{}}`,
			"resources/templates/list": `"result":{"resultType":"complete"}`,
			"prompts/list":             `"result":{"resultType":"other","prompts":[]}`,
			"tools/list":               `"result":{"resultType":"complete","tools":[],"nextCursor":7}`,
			"skills/list":              `"result":{"resultType":"complete","skills":"dynamic"}`,
		}, "zlast", "not valid", "bad+"},
		"errors": {map[string]string{
			"resources/list":           `"error":{"code":-32603,"message":"` + strings.Repeat("secret ", 5000) + `"}`,
			"resources/templates/list": `"error":{"code":-1,"message":"secret"}`,
			"prompts/list":             `"error":{"code":-32602,"message":"secret"}`,
			"tools/list":               `"error":{"code":-32000,"message":"secret"}`,
			"skills/list":              `"error":{"code":-32000,"message":"secret"}`,
		}, "zlast", "secret", "secret"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGathering(t)
				g.page("bad", listsOf(test.answers))
				g.page("zlast", listsOf(nil))
				d := g.client()
				for _, method := range enginetest.ListMethods {
					began := time.Now()
					got := d.Modern(method, "")
					if !strings.Contains(got, test.has) || !strings.Contains(got, "zlast") || strings.Contains(got, test.not) || time.Since(began) > 2*time.Second {
						t.Errorf("%s after %v: %s", method, time.Since(began), got)
					}
					reported := g.reports.Take()
					if !strings.Contains(reported, test.report) || len(reported) > 1000 {
						t.Errorf("%s: reported %q", method, reported)
					}
				}
				g.end()
			})
		})
	}
}

// A page whose lists have no end, or too many entries: what is kept of it is
// bounded, and its list ends.
func TestEndlessListsAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	big := strings.Repeat("x", 200_000)
	entry := func(method string, i int, text string) string {
		switch method {
		case "resources/list":
			return fmt.Sprintf(`{"uri":"a:%d","name":"n","description":"%s"}`, i, text)
		case "resources/templates/list":
			return fmt.Sprintf(`{"uriTemplate":"a:%d{x}","name":"n","description":"%s"}`, i, text)
		case "prompts/list":
			return fmt.Sprintf(`{"name":"n%d","description":"%s"}`, i, text)
		case "skills/list":
			more := ""
			if len(text) > 0 { // many texts: a long description is refused
				more = `,"more":["` + strings.Repeat(`x","`, len(text)/4) + `"]`
			}
			return strings.Replace(enginetest.SkillEntry(fmt.Sprintf("n%d", i)), `},"resources"`, more+`},"resources"`, 1)
		}
		return fmt.Sprintf(`{"name":"n%d","description":"%s","inputSchema":{"type":"object"}}`, i, text)
	}
	member := map[string]string{"resources/list": "resources", "resources/templates/list": "resourceTemplates", "prompts/list": "prompts", "tools/list": "tools", "skills/list": "skills"}
	count := 0
	for name, answer := range map[string]func(method string) string{
		"endless cursors": func(method string) string {
			var all []string
			for range 50 {
				count++
				all = append(all, entry(method, count, ""))
			}
			return fmt.Sprintf(`"%s":[%s],"nextCursor":"%d"`, member[method], strings.Join(all, ","), count)
		},
		"endless empty pages": func(method string) string {
			count++
			return fmt.Sprintf(`"%s":[],"nextCursor":"%d"`, member[method], count)
		},
		"endless large pages": func(method string) string {
			count++
			return fmt.Sprintf(`"%s":[%s],"nextCursor":"%d"`, member[method], entry(method, count, big), count)
		},
		"20,001 entries": func(method string) string {
			var all []string
			for i := range 20_001 {
				all = append(all, entry(method, i, ""))
			}
			return `"` + member[method] + `":[` + strings.Join(all, ",") + `]`
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGathering(t)
				g.page("bad", func(msg jsonrpc.Message) string {
					return `"result":{"resultType":"complete",` + answer(msg.Method) + `}`
				})
				g.page("zlast", listsOf(nil))
				d := g.client()
				for _, method := range enginetest.ListMethods {
					for cursor, pages := "", 0; ; pages++ {
						params := ""
						if cursor != "" {
							params = `"cursor":"` + cursor + `"`
						}
						got := d.Modern(method, params)
						if strings.Contains(got, `"error"`) {
							t.Fatalf("%s: %.300s", method, got)
						}
						cursor, _ = jsonrpc.Text(jsonrpc.Member(jsonrpc.Member([]byte(got), "result"), "nextCursor"))
						if cursor == "" || pages > 10 {
							if pages <= 10 && !strings.Contains(got, "zlast") {
								t.Errorf("%s ends without the other page: %.300s", method, got)
							}
							break
						}
					}
				}
				if kept := remote.ListBytes(g.remotes[0]); kept > 16<<20 {
					t.Errorf("%d bytes are kept", kept)
				}
				if reported := g.reports.Take(); !strings.Contains(reported, "cut") && !strings.Contains(reported, "pieces") && name != "endless cursors" {
					t.Errorf("reported %.300q", reported)
				}
				g.end()
			})
		})
	}
}

// A list that comes at the moment when its client stops waiting is in the answer, or announced.
func TestListsAtTheirTimeoutAreNotLost(t *testing.T) {
	for range 500 {
		synctest.Test(t, func(t *testing.T) {
			p, near := newScriptedPage(t)
			p.answer = func(msg jsonrpc.Message) string {
				go func() { // ends after the answer
					time.Sleep(2 * time.Second)
					p.say(`"id":` + string(msg.ID) + "," + goodLists[msg.Method])
				}()
				return ""
			}
			r, err := remote.Attach(t.Context(), near)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			announced := make(chan engine.Change, 10)
			r.Follow(ctx, func(c engine.Change) { announced <- c })
			tools, err := r.List(ctx, engine.Tools, "")
			synctest.Wait()
			if len(tools.Items)+len(announced) == 0 || err != nil {
				t.Errorf("%d tools, %v, and no announcement", len(tools.Items), err)
			}
			cancel()
			r.Close()
			synctest.Wait()
		})
	}
}
