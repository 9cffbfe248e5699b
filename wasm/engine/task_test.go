package engine_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/engine/task"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
)

// confirm is a request for input under the name ok.
const confirm = `{"ok":{"method":"elicitation/create","params":{"message":"Go on?","requestedSchema":{"type":"object","properties":{}}}}}`

// A tasked is a page with tools that run as tasks.
type tasked struct {
	*testing.T
	runs atomic.Int32 // calls of tools
}

// engine returns a new engine.
func (p *tasked) engine() *engine.Engine {
	p.Helper()
	options := enginetest.Offering
	options.Extensions = enginetest.Extensions()
	e := engine.New(engine.Info{Name: "notes", Version: "1"}, &options)
	table := engine.NewTable()
	e.Mount("", table)
	for name, tool := range map[string]engine.Entry{
		"once":     {Extra: task.Tool{Mode: task.Required}, Call: p.once},
		"both":     {Extra: task.Tool{Mode: task.Optional}, Call: p.both},
		"prepared": {Extra: task.Tool{Mode: task.Optional, Prepare: prepare}, Call: saysWhatWasPrepared},
	} {
		tool.Kind, tool.JSON = engine.Tools, []byte(`{"name":"`+name+`","inputSchema":{"type":"object"}}`)
		if err := table.Put(tool); err != nil {
			p.Fatal(err)
		}
	}
	return e
}

// once works for a minute.
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
	answers, err := engine.InvocationOf(ctx).Ask(ctx, []byte(two))
	if err != nil {
		return nil, err
	}
	return []byte(`{"content":[],"structuredContent":` + string(answers) + `}`), nil
}

func newTasked(t *testing.T) *tasked { return &tasked{T: t} }

// prepare answers a call without arguments, and keeps those of others.
func prepare(_ context.Context, arguments []byte) (result, kept []byte, err error) {
	if string(arguments) == "{}" {
		return []byte(`{"content":[],"isError":true}`), nil, nil
	}
	return nil, arguments, nil
}

func saysWhatWasPrepared(ctx context.Context, _ []byte) ([]byte, error) {
	return []byte(`{"content":[],"structuredContent":` + string(engine.InvocationOf(ctx).Detached().Prepared) + `}`), nil
}

// What runs before a call becomes a task may answer the call, or leave something for the task.
func TestPreparedTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTasked(t)
		e := p.engine()
		defer e.Close()
		c := enginetest.TaskClientOf(t, e, "claude")
		if got := c.Request("tools/call", `"name":"prepared","arguments":{}`); !strings.Contains(got, `"resultType":"complete"`) || !strings.Contains(got, `"isError":true`) {
			t.Error(got)
		}
		id := c.Create("prepared", `{"a":1}`)
		synctest.Wait()
		c.Wants(id, `"status":"completed"`, `"structuredContent":{"a":1}`)
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

// A task that is not done when its time is over fails. One that has ended is forgotten then.
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
