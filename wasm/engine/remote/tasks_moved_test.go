package remote_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/remote"
	"github.com/pagemcp/pagemcp/wasm/internal/enginetest"
)

// tabsWithTasks are two tabs of an app, mounted at a gateway as notes and notes-2. Both are away.
type tabsWithTasks struct {
	gateway       *engine.Engine
	first, second *remote.Remote
}

func newTabsWithTasks(t *testing.T) *tabsWithTasks {
	tabs := &tabsWithTasks{first: remote.New(), second: remote.New()}
	tabs.gateway = engine.New(engine.Info{Name: "gateway", Version: "1"}, &engine.Options{Tools: true, OtherTasks: engine.ForwardTasks()})
	for _, r := range [...]*remote.Remote{tabs.first, tabs.second} {
		r.OnAway(func() string { return "the page Notes" })
		r.OnInput(func() engine.InputPolicy { return engine.InputPolicy{From: "notes"} })
	}
	tabs.first.OnOthers(func() []*remote.Remote { return []*remote.Remote{tabs.second} })
	tabs.second.OnOthers(func() []*remote.Remote { return []*remote.Remote{tabs.first} })
	tabs.gateway.Mount("notes+", tabs.first)
	tabs.gateway.Mount("notes-2+", tabs.second)
	t.Cleanup(func() {
		tabs.first.Close()
		tabs.second.Close()
	})
	return tabs
}

// A client that listens to a task gets its states when another tab has taken it over, whatever
// happens first.
func TestListensFollowTasksToOtherTabs(t *testing.T) {
	for name, move := range map[string]func(*testing.T, *tabsWithTasks, func(), *enginetest.TaskStore) *engine.Engine{
		"the second tab opens after the first has closed": func(t *testing.T, tabs *tabsWithTasks, close func(), store *enginetest.TaskStore) *engine.Engine {
			close()
			page := pageWithTasks(t, store)
			page.RestoreTasks(store.Records()...)
			attach(t, tabs.second, page)
			return page
		},
		"the second tab takes the task over while it is open": func(t *testing.T, tabs *tabsWithTasks, close func(), store *enginetest.TaskStore) *engine.Engine {
			page := pageWithTasks(t, store)
			attach(t, tabs.second, page)
			close()
			time.Sleep(3 * time.Second)
			page.RestoreTasks(store.Records()...)
			return page
		},
		"the first tab opens again without the task": func(t *testing.T, tabs *tabsWithTasks, close func(), store *enginetest.TaskStore) *engine.Engine {
			close()
			page := pageWithTasks(t, store)
			page.RestoreTasks(store.Records()...)
			attach(t, tabs.first, pageWithTasks(t, &enginetest.TaskStore{}))
			attach(t, tabs.second, page)
			return page
		},
		"the first tab opens again later, without the task": func(t *testing.T, tabs *tabsWithTasks, close func(), store *enginetest.TaskStore) *engine.Engine {
			close()
			page := pageWithTasks(t, store)
			page.RestoreTasks(store.Records()...)
			attach(t, tabs.second, page)
			time.Sleep(time.Second)
			attach(t, tabs.first, pageWithTasks(t, &enginetest.TaskStore{}))
			return page
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tabs, store := newTabsWithTasks(t), &enginetest.TaskStore{}
				page := pageWithTasks(t, store)
				leave := attach(t, tabs.first, page)
				c := enginetest.TaskClientOf(t, tabs.gateway, "claude")
				id := c.Create("notes__work", "{}")
				c.Send("subscriptions/listen", `"notifications":{"taskIds":["`+id+`"]}`)
				for last := ""; !strings.Contains(last, `"status":"input_required"`); {
					last = c.Next("the question")
				}
				page = move(t, tabs, func() {
					leave()
					page.Close()
				}, store)
				defer page.Close()
				time.Sleep(40 * time.Second)
				c.Send("tasks/update", `"taskId":"`+id+`","inputResponses":{"ok-1":{"action":"accept","content":{}}}`)
				last := ""
				for !strings.Contains(last, `"status":"completed"`) {
					if last = c.Next("the last state"); strings.Contains(last, `"method":"notifications/tasks"`) && !strings.Contains(last, `"taskId":"`+id+`"`) {
						t.Errorf("of another task: %s", last)
					}
				}
				if !strings.Contains(last, `"uri":"notes+a:b"`) {
					t.Errorf("the result does not have the URI of the tab that had the task: %s", last)
				}
			})
		})
	}
}
