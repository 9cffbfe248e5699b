package remote_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/server/internal/remote"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/task"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// pageWithTasks returns an engine with a tool that takes 50 seconds, and asks before.
func pageWithTasks(t *testing.T) *engine.Engine {
	t.Helper()
	page := engine.New(engine.Info{Name: "page", Version: "1"}, &engine.Options{Tools: true, Extensions: enginetest.Extensions()})
	table := engine.NewTable()
	err := table.Put(engine.Entry{
		Kind: engine.Tools, JSON: []byte(`{"name":"work","inputSchema":{"type":"object"}}`),
		Extra: task.Tool{Mode: task.Optional},
		Call: func(ctx context.Context, _ []byte) ([]byte, error) {
			call := engine.InvocationOf(ctx)
			call.Progress([]byte(`{"progress":1,"message":"works\u202e"}`))
			_, err := call.Ask(ctx, []byte(`{"ok":{"method":"elicitation/create","params":{"message":"Go on?","requestedSchema":{"type":"object","properties":{}}}}}`))
			if err != nil {
				return nil, err
			}
			select {
			case <-time.After(50 * time.Second):
				return []byte(`{"content":[{"type":"resource_link","uri":"a:b","name":"b"}]}`), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	page.Mount("", table)
	return page
}

// attach gives r a port to page, and returns what closes it.
func attach(t *testing.T, r *remote.Remote, page *engine.Engine) (leave func()) {
	t.Helper()
	near, far := jsonrpc.Pipe()
	go page.Serve(engine.WithSpeakForOthers(t.Context()), far) // ends with near
	if err := r.Reattach(t.Context(), near); err != nil {
		t.Fatal(err)
	}
	return func() {
		near.Close()
		synctest.Wait()
	}
}

// A task through a gateway: its id has the prefix of the page, its requests for input name the
// page, and its result has the gateway's URIs. It outlives a connection, and ends with its page.
func TestTasksEndWithTheirPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := pageWithTasks(t)
		r := remote.New()
		defer r.Close()
		r.OnOthers(func() []*remote.Remote { return nil })
		r.OnInput(func() engine.InputPolicy { return engine.InputPolicy{From: "notes (https://a.example)"} })
		leave := attach(t, r, page)
		gateway := engine.New(engine.Info{Name: "gateway", Version: "1"}, &engine.Options{Tools: true, Extensions: []*engine.Extension{task.Extension(nil)}})
		gateway.Mount("notes+", r)
		c := enginetest.TaskClientOf(t, gateway, "claude")
		id, lost := c.Create("notes__work", "{}"), c.Create("notes__work", "{}")
		if !strings.HasPrefix(id, "notes.") {
			t.Errorf("the id %q has no prefix", id)
		}
		synctest.Wait()
		c.Wants(id, `"taskId":"`+id+`"`, `"status":"input_required"`, `"message":"notes (https://a.example): Go on?"`, `"statusMessage":"works"`)
		other := enginetest.TaskClientOf(t, gateway, "codex")
		other.Wants(id, "-32602")
		c.Wants("notes.nonsense", "-32602")

		leave()
		leave = attach(t, r, page)
		c.Send("subscriptions/listen", `"notifications":{"taskIds":["`+id+`","`+lost+`","notes.nonsense"]}`)
		if got := c.Next("the acknowledgement"); !strings.Contains(got, `"notifications":{"taskIds":["`+id+`","`+lost+`"]}`) {
			t.Error(got)
		}
		next := func(id, status string) string {
			t.Helper()
			for {
				if got := c.Next("the state " + status); strings.Contains(got, `"method":"notifications/tasks"`) && strings.Contains(got, `"taskId":"`+id+`","status":"`+status+`"`) {
					return got
				}
			}
		}
		c.Send("tasks/update", `"taskId":"`+id+`","inputResponses":{"ok-1":{"action":"accept","content":{}}}`)
		if last := next(id, "completed"); !strings.Contains(last, `"uri":"notes+a:b"`) {
			t.Errorf("the result has not the gateway's URI: %s", last)
		}

		leave()
		page.Close()
		page = pageWithTasks(t) // it was loaded again
		leave = attach(t, r, page)
		if last := next(lost, "failed"); !strings.Contains(last, `"reason":"interrupted"`) {
			t.Error(last)
		}
		for _, ended := range []string{id, lost} {
			c.Wants(ended, `"status":"failed"`, `"message":"The page was closed or loaded again while the tool ran`, `"reason":"interrupted"`)
		}
		other.Wants(lost, "-32602")

		lost = c.Create("notes__work", "{}")
		c.Send("subscriptions/listen", `"notifications":{"taskIds":["`+lost+`"]}`)
		next(lost, "input_required")
		leave()
		page.Close()
		c.Wants(lost, `"reason":"page-away"`) // it may come back
		r.Forget()
		next(lost, "failed")
		c.Wants(lost, `"status":"failed"`, `"reason":"interrupted"`)
		if got := c.Request("tasks/cancel", `"taskId":"`+lost+`"`); !strings.Contains(got, `"resultType":"complete"`) {
			t.Error(got)
		}
		time.Sleep(time.Hour)
		c.Wants(lost, "-32602")
	})
}

// States of a page that violate the schema do not pass.
func TestWrongTasks(t *testing.T) {
	for _, answer := range []string{
		`{}`, `{"taskId":7}`,
		`{"taskId":"x","status":"done","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttlMs":1}`,
		`{"taskId":"x","status":"working","createdAt":"yesterday","lastUpdatedAt":"2026-01-01T00:00:00Z","ttlMs":1}`,
		`{"taskId":"x y","status":"working","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttlMs":1}`,
		`{"taskId":"x","status":"failed","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttlMs":1,"error":{}}`,
		`{"taskId":"x","status":"input_required","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttlMs":1,"inputRequests":[]}`,
	} {
		if _, err := remote.ReadTask([]byte(answer)); err == nil {
			t.Errorf("%s passes", answer)
		}
	}
	s, err := remote.ReadTask([]byte(`{"taskId":"x","status":"working","statusMessage":"a\u202eb","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00.5Z","ttlMs":null}`))
	if err != nil || s.TTL != -1 || s.Message != "ab" {
		t.Errorf("%+v, %v", s, err)
	}
}
