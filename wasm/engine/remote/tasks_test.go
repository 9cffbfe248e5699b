package remote_test

import (
	"bytes"
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

// pageWithTasks returns an engine with a tool that takes a minute, and asks before.
func pageWithTasks(t *testing.T, store engine.TaskStore) *engine.Engine {
	t.Helper()
	page := engine.New(engine.Info{Name: "page", Version: "1"}, &engine.Options{Tools: true, Tasks: true, TaskStore: store})
	table := engine.NewTable()
	err := table.PutTool(engine.ToolEntry{
		Tool: engine.Tool{Name: "work", Object: []byte(`{"name":"work","inputSchema":{"type":"object"}}`)},
		Task: engine.TaskTool{Mode: engine.TaskOptional, Resume: true},
		Call: func(ctx context.Context, _ []byte) ([]byte, error) {
			call := engine.TaskOf(ctx)
			call.Message("works\u202e")
			_, err := call.Input(ctx, []byte(`{"ok":{"method":"elicitation/create","params":{"message":"Go on?","requestedSchema":{"type":"object","properties":{}}}}}`))
			if err != nil {
				return nil, err
			}
			select {
			case <-time.After(time.Minute):
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
// page, and its result has the gateway's URIs. While the page is away it is working, until its
// time is over; a last state that was seen stays, as long as another tab of the app allows it.
func TestTasksOfAPageThatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &enginetest.TaskStore{}
		page := pageWithTasks(t, store)
		r, tab := remote.New(), remote.New()
		r.OnOthers(func() []*remote.Remote { return []*remote.Remote{tab} })
		r.OnAway(func() string { return "the page Notes" })
		r.OnInput(func() engine.InputPolicy { return engine.InputPolicy{From: "notes (https://a.example)"} })
		leave := attach(t, r, page)
		gateway := engine.New(engine.Info{Name: "gateway", Version: "1"}, &engine.Options{Tools: true, OtherTasks: engine.ForwardTasks()})
		gateway.Mount("notes+", r)
		c := enginetest.TaskClientOf(t, gateway, "claude")
		id := c.Create("notes__work", "{}")
		if !strings.HasPrefix(id, "notes.") {
			t.Errorf("the id %q has no prefix", id)
		}
		synctest.Wait()
		c.Wants(id, `"taskId":"`+id+`"`, `"status":"input_required"`, `"message":"notes (https://a.example): Go on?"`, `"statusMessage":"works"`)

		leave()
		page.Close()
		c.Wants(id, `"status":"working"`, `"statusMessage":"The task goes on when the page Notes is open again. Tell the user to open it."`, `"ttlMs":3600000`)
		other := enginetest.TaskClientOf(t, gateway, "codex")
		other.Wants(id, "-32602")
		c.Wants("notes.nonsense", "-32602")

		page = pageWithTasks(t, store)
		page.RestoreTasks(store.Records()...)
		leave = attach(t, r, page)
		c.Send("subscriptions/listen", `"notifications":{"taskIds":["`+id+`","notes.nonsense"]}`)
		if got := c.Next("the acknowledgement"); !strings.Contains(got, `"notifications":{"taskIds":["`+id+`"]}`) {
			t.Error(got)
		}
		if got := c.Next("the present state"); !strings.Contains(got, `"method":"notifications/tasks"`) || !strings.Contains(got, `"taskId":"`+id+`","status":"input_required"`) {
			t.Error(got)
		}
		c.Send("tasks/update", `"taskId":"`+id+`","inputResponses":{"ok-1":{"action":"accept","content":{}}}`)
		last := ""
		for !strings.Contains(last, `"status":"completed"`) {
			last = c.Next("the last state")
		}
		if !strings.Contains(last, `"uri":"notes+a:b"`) {
			t.Errorf("the result has not the gateway's URI: %s", last)
		}

		leave()
		page.Close()
		c.Wants(id, `"reason":"page-away"`) // nobody knows what its user has decided meanwhile
		options := enginetest.Offering
		another := engine.New(engine.Info{Name: "page", Version: "1"}, &options)
		attach(t, tab, another)
		c.Wants(id, `"status":"completed"`, `"uri":"notes+a:b"`)
		setGrants(t, another, `{"default":"open","grants":[{"assistant":"claude","right":"act"}]}`)
		time.Sleep(time.Second)
		c.Wants(id, `"reason":"page-away"`)
		setGrants(t, another, "")
		time.Sleep(time.Hour)
		c.Wants(id, "-32602")
		r.Close()
		tab.Close()
	})
}

// repeatsStates is a port of a page that sends each state of a task a second time, a second later.
type repeatsStates struct{ jsonrpc.Port }

func (p repeatsStates) Write(ctx context.Context, msg []byte) error {
	if strings.Contains(string(msg), `"method":"`+engine.MethodTask+`"`) {
		again := bytes.Clone(msg)
		time.AfterFunc(time.Second, func() { p.Port.Write(context.Background(), again) })
	}
	return p.Port.Write(ctx, msg)
}

// A client gets a state of a task once, however often its page sends it.
func TestAStateIsSentOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := pageWithTasks(t, nil)
		defer page.Close()
		r := remote.New()
		defer r.Close()
		near, far := jsonrpc.Pipe()
		go page.Serve(engine.WithSpeakForOthers(t.Context()), repeatsStates{far}) // ends with near
		defer near.Close()
		if err := r.Reattach(t.Context(), near); err != nil {
			t.Fatal(err)
		}
		gateway := engine.New(engine.Info{Name: "gateway", Version: "1"}, &engine.Options{Tools: true, OtherTasks: engine.ForwardTasks()})
		gateway.Mount("notes+", r)
		c := enginetest.TaskClientOf(t, gateway, "claude")
		id := c.Create("notes.work", "{}")
		synctest.Wait()
		c.Send("subscriptions/listen", `"notifications":{"taskIds":["`+id+`"]}`)
		c.Next("the acknowledgement")
		if got := c.Next("the present state"); !strings.Contains(got, `"status":"input_required"`) {
			t.Error(got)
		}
		time.Sleep(time.Minute)
		c.Send("tasks/update", `"taskId":"`+id+`","inputResponses":{"ok-1":{"action":"accept","content":{}}}`)
		time.Sleep(2 * time.Minute)
		var got []string
		for len(got) == 0 || !strings.Contains(got[len(got)-1], `"status":"completed"`) {
			if next := c.Next("the last state"); strings.Contains(next, engine.MethodTask) {
				got = append(got, next)
			}
		}
		if len(got) != 2 || !strings.Contains(got[0], `"status":"working"`) {
			t.Errorf("after the answer: %q", got)
		}
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
