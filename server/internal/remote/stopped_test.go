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
	"github.com/pagemcp/pagemcp/wasm/engine/task"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
)

const stopSecret = "the secret"

// newStoppable has a page with a published value, a function, a tool that answers, one that makes a task, and an
// event, behind a gateway.
func newStoppable(t *testing.T) *mirroredHop {
	options := enginetest.Offering
	options.Extensions = enginetest.Extensions()
	h := &hop{T: t, page: engine.New(engine.Info{Name: "page", Version: "1"}, &options), table: engine.NewTable(), wire: &wire{}}
	h.page.Mount("", h.table)
	h.put("notes://value", stopSecret)
	h.put("notes://function", stopSecret)
	for name, tool := range map[string]task.Tool{"look": {}, "work": {Mode: task.Optional}} {
		err := h.table.Put(engine.Entry{
			Kind: engine.Tools, JSON: []byte(`{"name":"` + name + `","inputSchema":{"type":"object"}}`),
			Extra: tool,
			Call: func(context.Context, []byte) ([]byte, error) {
				return []byte(`{"content":[{"type":"text","text":"` + stopSecret + `"}]}`), nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	m := &mirroredHop{hop: h, remote: remote.New()}
	forGateway := enginetest.Offering
	forGateway.Extensions = []*engine.Extension{task.Extension(nil)}
	m.gateway = engine.New(engine.Info{Name: "gateway", Version: "1"}, &forGateway)
	m.gateway.Mount("", engine.NewTable()) // a gateway has its tools
	m.gateway.Mount("notes+", m.remote)
	m.remote.MirrorIn(newShare())
	m.remote.OnOthers(func() []*remote.Remote { return m.tabs })
	t.Cleanup(m.remote.Close)
	m.join()
	m.publisher.Publishes = func(uri string) bool { return uri == "notes://value" }
	return m
}

// What a user has stopped gives nothing, wherever the user has decided it, in whatever state the tab is, and whatever is asked
// for. What a browser does between its tabs is tested in web/test/access.
func TestWhatIsStoppedGivesNothing(t *testing.T) {
	allowed := func(until int64) string {
		end := ""
		if until != 0 {
			end = fmt.Sprintf(`,"until":%d`, until)
		}
		return `{"default":"ask","grants":[{"assistant":"claude","right":"read","allow":true` + end + `},{"assistant":"claude","right":"act","allow":true` + end + `}]}`
	}
	decisions := map[string]string{
		"stop":   `{"default":"open","grants":[{"assistant":"claude","right":"read"},{"assistant":"claude","right":"act"}]}`,
		"pause":  `{"default":"open","pausedUntil":9007199254740991,"grants":[{"assistant":"claude","right":"read","allow":true},{"assistant":"claude","right":"act","allow":true}]}`,
		"deny":   `{"default":"ask","grants":[{"assistant":"claude","right":"read"},{"assistant":"claude","right":"act"}]}`,
		"expiry": "", // a minute after it was allowed
		"none":   "", // that the others would be seen
	}
	cells := 0
	for _, state := range []string{"awake", "frozen", "closed"} {
		for _, where := range []string{"in this tab", "in the second tab", "in another profile"} {
			for decision, table := range decisions {
				if state == "awake" && where == "in another profile" {
					continue // the page decides by its own
				}
				t.Run(state+", "+decision+" "+where, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						h := newStoppable(t)
						until := int64(0)
						if decision == "expiry" {
							until = time.Now().Add(time.Minute).UnixMilli()
						}
						setGrants(t, h.page, allowed(until))
						second := h.anotherTab(allowed(until))
						time.Sleep(time.Second)
						c := enginetest.TaskClientOf(t, h.gateway, "claude")
						for _, uri := range []string{"value", "function"} {
							if got := c.Request("resources/read", `"uri":"notes+notes://`+uri+`"`); !strings.Contains(got, `"contents"`) {
								t.Fatalf("before: %s", got)
							}
						}
						task := c.Create("notes__work", "{}")
						for !strings.Contains(c.Request("tasks/get", `"taskId":"`+task+`"`), stopSecret) {
							time.Sleep(time.Second)
						}
						c.Send("subscriptions/listen", `"notifications":{"resourceSubscriptions":["notes+notes://value"],"taskIds":["`+task+`"]}`)
						for !strings.Contains(c.Next("the acknowledgement"), "acknowledged") {
							continue
						}
						time.Sleep(time.Second)
						if got := c.Request("ping", ""); got == "" { // what has come so far is read
							t.Fatal("no answer to ping")
						}

						stopHere := func() {
							if table != "" {
								setGrants(t, h.page, table)
							}
							time.Sleep(time.Second)
						}
						if where != "in the second tab" {
							stopHere() // in this profile; the second tab is of another one, or hears of it
						}
						switch state {
						case "frozen":
							h.publisher.Sleep(true)
						case "closed":
							h.cut()
							h.remote.Forget()
						}
						time.Sleep(time.Second)
						if table != "" && where != "in another profile" {
							setGrants(t, second, table)
							if state == "awake" {
								stopHere() // by its browser
							}
						}
						if time.Sleep(time.Second); decision == "expiry" {
							time.Sleep(2 * time.Minute)
						}
						if state == "awake" { // a page that its browser has stopped does nothing
							h.table.Changed("notes://value")
						}
						synctest.Wait()
						seen := 0
						for what, ask := range map[string]func() string{
							"value":    func() string { return c.Request("resources/read", `"uri":"notes+notes://value"`) },
							"function": func() string { return c.Request("resources/read", `"uri":"notes+notes://function"`) },
							"tool":     func() string { return c.Request("tools/call", `"name":"notes__look","arguments":{}`) },
							"task":     func() string { return c.Request("tasks/get", `"taskId":"`+task+`"`) },
							"listen": func() string { // what has come before the answer
								id, got := c.Send("ping", ""), ""
								for !strings.Contains(got, `"id":`+id+`,`) {
									got += c.Next("the answer to ping")
								}
								return got[:strings.LastIndex(got, `{"jsonrpc"`)]
							},
						} {
							cells++
							got := ask()
							if strings.Contains(got, stopSecret) || strings.Contains(got, `"contents"`) || what == "listen" && strings.Contains(got, "updated") {
								if seen++; decision != "none" {
									t.Errorf("%s: %s", what, got)
								}
							}
						}
						if decision == "none" && (state == "awake" && seen < 4 || state == "frozen" && seen == 0) {
							t.Errorf("without a decision %d of 5 are seen", seen)
						}
						time.Sleep(time.Second) // the requests for the grants end
					})
				})
			}
		}
	}
	t.Logf("%d cells", cells)
}
