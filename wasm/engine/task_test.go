package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/enginetest"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// confirm is a request for input under the name ok.
const confirm = `{"ok":{"method":"elicitation/create","params":{"message":"Go on?","requestedSchema":{"type":"object","properties":{}}}}}`

// A tasked is a page with tools that run as tasks, and a store that outlives its engines.
type tasked struct {
	*testing.T
	store *enginetest.TaskStore
	runs  atomic.Int32             // calls of tools
	asked atomic.Int32             // of these, both has come back from its question
	ask   chan engine.AccessAnswer // of the user; nil: there is none
}

// engine returns a new engine, as after a reload of the page.
func (p *tasked) engine() *engine.Engine {
	p.Helper()
	options := enginetest.Offering
	options.Tasks, options.TaskStore = true, p.store
	if p.ask != nil {
		options.Ask = func(ctx context.Context, _ *engine.AccessQuestion) engine.AccessAnswer {
			select {
			case answer := <-p.ask:
				return answer
			case <-ctx.Done():
				return engine.AccessAnswer{Reason: "unanswered"}
			}
		}
	}
	e := engine.New(engine.Info{Name: "notes", Version: "1"}, &options)
	table := engine.NewTable()
	e.Mount("", table)
	for name, tool := range map[string]engine.ToolEntry{
		"long": {Task: engine.TaskTool{Mode: engine.TaskOptional, Resume: true, TTL: 2 * time.Hour}, Call: p.long},
		"once": {Task: engine.TaskTool{Mode: engine.TaskRequired}, Call: p.once},
		"both": {Task: engine.TaskTool{Mode: engine.TaskOptional}, Call: p.both},
	} {
		tool.Tool = engine.Tool{Name: name, Object: []byte(`{"name":"` + name + `","inputSchema":{"type":"object"}}`)}
		if err := table.PutTool(tool); err != nil {
			p.Fatal(err)
		}
	}
	return e
}

// long works for ten minutes, in steps of one, and asks in the middle, before step 5.
func (p *tasked) long(ctx context.Context, _ []byte) ([]byte, error) {
	p.runs.Add(1)
	t := engine.TaskOf(ctx)
	state, _ := t.Saved()
	asked := string(state) == `"asked"`
	if asked {
		state = []byte("5")
	}
	for done, _ := jsonrpc.Int(state); done < 10; done++ {
		if done == 5 && !asked {
			answers, err := t.Input(ctx, []byte(confirm))
			if err != nil {
				return nil, err
			}
			if err := t.Save([]byte(`"asked"`)); err != nil || !strings.Contains(string(answers), `"ok":{"action":"accept"`) {
				return nil, fmt.Errorf("%s: %w", answers, err)
			}
		}
		t.Message(fmt.Sprintf("step %d", done))
		select {
		case <-time.After(time.Minute):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if err := t.Save(fmt.Append(nil, done+1)); err != nil {
			return nil, err
		}
	}
	return []byte(`{"content":[{"type":"text","text":"all ten"}]}`), nil
}

// once works for a minute, and cannot continue.
func (p *tasked) once(ctx context.Context, _ []byte) ([]byte, error) {
	p.runs.Add(1)
	select {
	case <-time.After(time.Minute):
		return []byte(`{"content":[]}`), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// both asks two questions at the same time.
func (p *tasked) both(ctx context.Context, _ []byte) ([]byte, error) {
	two := confirm[:len(confirm)-1] + strings.Replace(confirm, `{"ok"`, `,"sure"`, 1)
	answers, err := engine.TaskOf(ctx).Input(ctx, []byte(two))
	p.asked.Add(1)
	if err != nil {
		return nil, err
	}
	return []byte(`{"content":[],"structuredContent":` + string(answers) + `}`), nil
}

func newTasked(t *testing.T) *tasked { return &tasked{T: t, store: &enginetest.TaskStore{}} }

func accept(id, key string) string {
	return `"taskId":"` + id + `","inputResponses":{"` + key + `":{"action":"accept","content":{}}}`
}

// A task of ten minutes ends once, with one answer, wherever the page is loaded again: before it
// has begun, between two steps, while it asks, and when it has ended.
func TestTasksOutliveTheirEngine(t *testing.T) {
	for cut := 30 * time.Second; cut < 12*time.Minute; cut += time.Minute {
		t.Run(cut.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newTasked(t)
				e := p.engine()
				c := enginetest.TaskClientOf(t, e, "claude")
				id := c.Create("long", "{}")
				answered := false
				began := time.Now()
				for time.Since(began) < 20*time.Minute {
					time.Sleep(15 * time.Second)
					if since := time.Since(began); since >= cut && since < cut+15*time.Second {
						e.Close()
						synctest.Wait()
						e = p.engine()
						e.RestoreTasks(p.store.Records()...)
						c = enginetest.TaskClientOf(t, e, "claude")
					}
					synctest.Wait()
					if got := c.Task(id); strings.Contains(got, `"status":"input_required"`) && strings.Contains(got, `"inputRequests":{"ok-1":{`) {
						if answered {
							t.Fatalf("asks again: %s", got)
						}
						answered = true
						if got := c.Request("tasks/update", accept(id, "ok-1")); !strings.Contains(got, `"result":{"resultType":"complete"`) {
							t.Fatal(got)
						}
					}
				}
				c.Wants(id, `"status":"completed"`, `"text":"all ten"`)
				if runs := p.runs.Load(); !answered || runs != 1 && (runs != 2 || cut > 11*time.Minute) {
					t.Errorf("answered: %v, the tool was called %d times", answered, runs)
				}
				e.Close()
			})
		})
	}
}

// An answer that comes after the reload, to a question from before it, is that to the same
// question of the tool that continues. Keys are not used twice.
func TestAnswersOutliveTheirEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTasked(t)
		e := p.engine()
		c := enginetest.TaskClientOf(t, e, "claude")
		id := c.Create("long", "{}")
		time.Sleep(6 * time.Minute)
		c.Wants(id, `"status":"input_required"`)
		e.Close()
		options := enginetest.Offering
		options.TaskStore = p.store
		without := engine.New(engine.Info{Name: "notes", Version: "1"}, &options) // the app has not registered its tools yet
		without.RestoreTasks(p.store.Records()...)
		synctest.Wait()
		c = enginetest.TaskClientOf(t, without, "claude")
		c.Wants(id, `"status":"input_required"`, `"inputRequests":{"ok-1":{`, "Waits for the app to offer the tool long again")
		if got := c.Request("tasks/update", accept(id, "ok-1")); !strings.Contains(got, `"resultType":"complete"`) {
			t.Error(got)
		}
		c.Wants(id, `"status":"working"`)
		without.Close()
		e = p.engine()
		defer e.Close()
		e.RestoreTasks(p.store.Records()...)
		time.Sleep(6 * time.Minute)
		enginetest.TaskClientOf(t, e, "claude").Wants(id, `"status":"completed"`, "all ten")
	})
}

// A tool that had begun and cannot continue is not run again: the task fails, in words.
func TestToolsAreNotRunTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTasked(t)
		e := p.engine()
		id := enginetest.TaskClientOf(t, e, "claude").Create("once", "{}")
		time.Sleep(time.Second)
		e.Close()
		e = p.engine()
		defer e.Close()
		e.RestoreTasks(p.store.Records()...)
		time.Sleep(time.Minute)
		enginetest.TaskClientOf(t, e, "claude").Wants(id, `"status":"failed"`, `"error":{"code":-32603,"message":"The page was closed or loaded again while the tool ran`, `"reason":"interrupted"`)
		if runs := p.runs.Load(); runs != 1 {
			t.Errorf("the tool ran %d times", runs)
		}
	})
}

// A task is stored before its client gets it; without a store that works there is none.
func TestTasksAreStoredFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTasked(t)
		e := p.engine()
		defer e.Close()
		c := enginetest.TaskClientOf(t, e, "claude")
		p.store.Fails = errors.New("the disk is full")
		if got := c.Request("tools/call", `"name":"long"`); !strings.Contains(got, `"reason":"unavailable","retry":true`) {
			t.Error(got)
		}
		p.store.Fails = nil
		id := c.Create("long", "{}")
		if records := p.store.Records(); len(records) != 1 || !strings.Contains(string(records[0]), id) {
			t.Errorf("%q is not stored: %q", id, records)
		}
	})
}

// A client may answer one of two questions: the task waits for the other. Unknown keys, and those
// that are answered, are ignored.
func TestPartialAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTasked(t)
		e := p.engine()
		defer e.Close()
		c := enginetest.TaskClientOf(t, e, "claude")
		id := c.Create("both", "{}")
		synctest.Wait()
		c.Wants(id, `"inputRequests":{"ok-1":{"method":"elicitation/create"`, `"sure-2":{"method"`)
		c.Request("tasks/update", `"taskId":"`+id+`","inputResponses":{"ok-1":{"action":"accept"},"other":{}}`)
		c.Request("tasks/update", `"taskId":"`+id+`","inputResponses":{"ok-1":{"action":"decline"}}`)
		c.Wants(id, `"status":"input_required"`, `"inputRequests":{"sure-2":{"method"`)
		c.Request("tasks/update", `"taskId":"`+id+`","inputResponses":{"sure-2":{"action":"cancel"}}`)
		synctest.Wait()
		c.Wants(id, `"status":"completed"`, `"structuredContent":{"ok":{"action":"accept"},"sure":{"action":"cancel"}}`)
		for _, members := range []string{`"taskId":"` + id + `"`, `"taskId":"` + id + `","inputResponses":7`} {
			if got := c.Request("tasks/update", members); !strings.Contains(got, `-32602`) {
				t.Errorf("%s: %s", members, got)
			}
		}
	})
}

// Cancelling ends the context of the tool, and the task; its end is the same for every later
// request.
func TestTasksAreCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTasked(t)
		e := p.engine()
		defer e.Close()
		c := enginetest.TaskClientOf(t, e, "claude")
		id := c.Create("once", "{}")
		for range 2 {
			if got := c.Request("tasks/cancel", `"taskId":"`+id+`"`); !strings.Contains(got, `"result":{"resultType":"complete","_meta"`) || strings.Contains(got, "taskId") {
				t.Error(got)
			}
			c.Wants(id, `"status":"cancelled"`)
		}
		time.Sleep(2 * time.Minute)
		c.Wants(id, `"status":"cancelled"`)
	})
}

// A task that is not done when its time is over fails. One that has ended is forgotten then, in
// memory and in the store.
func TestTimesOfTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTasked(t)
		e := p.engine()
		defer e.Close()
		c := enginetest.TaskClientOf(t, e, "claude")
		waits, ends := c.Create("both", "{}"), c.Create("once", "{}")
		time.Sleep(59 * time.Minute)
		c.Wants(waits, `"status":"input_required"`, `"ttlMs":3600000`)
		c.Wants(ends, `"status":"completed"`)
		time.Sleep(time.Minute + time.Second)
		c.Wants(waits, `"status":"failed"`, "was not done when its time was over")
		c.Wants(ends, "-32602")
		time.Sleep(5 * time.Minute)
		c.Wants(waits, "-32602")
		if left := p.store.Records(); left != nil {
			t.Errorf("the store has %q", left)
		}
	})
}

// Unknown, malformed, and expired ids, and those of another principal, have the same error. A
// client without the extension gets another one, and no task.
func TestStolenTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTasked(t)
		e := p.engine()
		defer e.Close()
		id := enginetest.TaskClientOf(t, e, "claude").Create("once", "{}")
		other := enginetest.TaskClientOf(t, e, "codex")
		body := func(answer string) string { return answer[strings.Index(answer, `"error"`):] }
		want := body(other.Task("nonsense"))
		for _, wrong := range []string{id, id + "x", id[:len(id)-1] + "A", "p." + id, strings.Repeat("A", len(id)), "ÿ"} {
			for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
				if got := body(other.Request(method, `"taskId":"`+wrong+`","inputResponses":{}`)); got != want {
					t.Errorf("%s of %q: %s, want %s", method, wrong, got, want)
				}
			}
		}
		other.Send("subscriptions/listen", `"notifications":{"taskIds":["`+id+`"]}`)
		if got := other.Next("the acknowledgement"); !strings.Contains(got, `"notifications":{}`) {
			t.Errorf("another principal listens: %s", got)
		}
		d := enginetest.NewDialogue(t, e)
		for method, members := range map[string]string{
			"tasks/get": `"taskId":"x"`, "tasks/update": `"taskId":"x"`, "tasks/cancel": `"taskId":"x"`, "tools/call": `"name":"once"`, "subscriptions/listen": `"notifications":{"taskIds":["x"]}`,
		} {
			if got := d.Modern(method, members); !strings.Contains(got, `"code":-32021`) || !strings.Contains(got, `"data":{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`) {
				t.Errorf("%s without the extension: %s", method, got)
			}
		}
		if got := d.Modern("tasks/list", ""); !strings.Contains(got, "-32601") {
			t.Error(got)
		}
	})
}

// A task that is cancelled while its question is stored has no question any more: its tool gets an
// error.
func TestTasksAreCancelledWhileTheyAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTasked(t)
		e := p.engine()
		defer e.Close()
		c := enginetest.TaskClientOf(t, e, "claude")
		slow := make(chan struct{}, 2)
		p.store.Slow = slow
		slow <- struct{}{} // the task
		slow <- struct{}{} // that it has begun
		id := c.Create("both", "{}")
		synctest.Wait() // its question waits for the store
		go func() {
			synctest.Wait()
			close(slow)
		}()
		c.Request("tasks/cancel", `"taskId":"`+id+`"`)
		synctest.Wait()
		c.Wants(id, `"status":"cancelled"`)
		if got := p.asked.Load(); got != 1 {
			t.Errorf("the tool has come back %d times", got)
		}
	})
}

// A principal has at most 64 tasks that have not ended and 4 MiB, of 8 MiB of the engine, so that
// one alone leaves room for others.
func TestTasksAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTasked(t)
		e := p.engine()
		defer e.Close()
		c, other := enginetest.TaskClientOf(t, e, "claude"), enginetest.TaskClientOf(t, e, "codex")
		var ids []string
		for range 64 {
			ids = append(ids, c.Create("once", "{}"))
		}
		busy := func(who *enginetest.TaskClient, arguments string) bool {
			return strings.Contains(who.Request("tools/call", `"name":"once","arguments":`+arguments), `"reason":"busy"`)
		}
		if !busy(c, "{}") || busy(other, "{}") {
			t.Error("one principal has too many, or another one too few")
		}
		c.Request("tasks/cancel", `"taskId":"`+ids[0]+`"`)
		if busy(c, "{}") {
			t.Error("there is no room for one more after a cancel")
		}
		if taken := createLarge(other); taken != 3 || createLarge(enginetest.TaskClientOf(t, e, "gemini")) == 0 {
			t.Errorf("%d tasks of 1 MiB, or none of another principal", taken)
		}
	})
}

// createLarge creates tasks of 1 MiB until there is no room for another one, and returns how many.
func createLarge(c *enginetest.TaskClient) (taken int) {
	large := `"name":"once","arguments":{"a":"` + strings.Repeat("x", 1<<20) + `"}`
	for taken < 10 && !strings.Contains(c.Request("tools/call", large), `"reason":"busy"`) {
		taken++
	}
	return taken
}

// What a restored task has received counts, and leaves as much room as it took when it is not
// needed any more.
func TestRestoredTasksAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTasked(t)
		e := p.engine()
		id := enginetest.TaskClientOf(t, e, "claude").Create("long", "{}")
		time.Sleep(6 * time.Minute)
		e.Close()
		options := enginetest.Offering
		options.TaskStore = p.store
		without := engine.New(engine.Info{Name: "notes", Version: "1"}, &options)
		without.RestoreTasks(p.store.Records()...)
		answer := strings.Replace(accept(id, "ok-1"), `"content":{}`, `"content":{"a":"`+strings.Repeat("x", 600<<10)+`"}`, 1)
		if got := enginetest.TaskClientOf(t, without, "claude").Request("tasks/update", answer); !strings.Contains(got, `"resultType":"complete"`) {
			t.Fatal(got)
		}
		without.Close()
		e = p.engine()
		defer e.Close()
		e.RestoreTasks(p.store.Records()...)
		time.Sleep(time.Second) // it has saved that it has asked
		if taken := createLarge(enginetest.TaskClientOf(t, e, "claude")); taken != 3 {
			t.Errorf("%d tasks of 1 MiB beside the restored one", taken)
		}
	})
}

// A listen gets the whole state of its tasks: the present one, and each later one at its pace.
func TestTaskNotifications(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTasked(t)
		e := p.engine()
		defer e.Close()
		c := enginetest.TaskClientOf(t, e, "claude")
		id := c.Create("both", "{}")
		synctest.Wait()
		c.Send("subscriptions/listen", `"notifications":{"taskIds":["`+id+`","unknown"]}`)
		wants := func(parts ...string) {
			t.Helper()
			got := c.Next("a notification")
			for _, part := range parts {
				if !strings.Contains(got, part) {
					t.Errorf("%s\n  has no %s", got, part)
				}
			}
		}
		wants(`"method":"notifications/subscriptions/acknowledged"`, `"notifications":{"taskIds":["`+id+`"]}`)
		wants(`"method":"notifications/tasks"`, `"io.modelcontextprotocol/subscriptionId":2`, `"taskId":"`+id+`","status":"input_required"`, `"inputRequests":{"ok-1":{`)
		c.Send("tasks/update", `"taskId":"`+id+`","inputResponses":{"ok-1":{"action":"accept"},"sure-2":{"action":"cancel"}}`)
		wants(`"id":3,"result":{"resultType":"complete"`)
		wants(`"method":"notifications/tasks"`, `"status":"completed"`, `"result":{"resultType":"complete"`)
	})
}
