package engine_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/enginetest"
)

// A call that waits for the user becomes a task, which ends with the decision, an hour later too.
// While the answer comes at once it is an ordinary call.
func TestCallsThatWaitForTheUserAreTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newGuarded(t, asks)
		defer a.engine.Close()
		c := enginetest.TaskClientOf(t, a.engine, "claude")
		id := c.Create("act", "{}")
		c.Wants(id, `"status":"working"`, "Waits for the user to allow this")
		time.Sleep(50 * time.Minute)
		c.Wants(id, `"status":"working"`)
		a.answer <- engine.AccessAnswer{Allow: true, Reason: "asked"}
		synctest.Wait()
		c.Wants(id, `"status":"completed"`, `"text":"done by act"`)
		first := id

		id = c.Create("act", "{}")
		a.answer <- engine.AccessAnswer{Reason: "unanswered"} // the page is hidden: it asks again
		time.Sleep(2 * time.Second)
		c.Wants(id, `"status":"working"`)
		a.answer <- engine.AccessAnswer{Reason: "declined"}
		synctest.Wait()
		c.Wants(id, `"status":"failed"`, `"message":"The user declined. Do not try again unless they ask."`, `"reason":"declined"`)
		want := "claude act tools/call act true asked of " + first + "\nclaude act tools/call act false declined of " + id + "\n"
		if got := a.log(); got != want {
			t.Errorf("the audit has %q, want %q", got, want)
		}

		go func() { a.answer <- engine.AccessAnswer{Allow: true, Reason: "asked"} }()
		if got := c.Request("tools/call", `"name":"act"`); !strings.Contains(got, `"resultType":"complete"`) || !strings.Contains(got, "done by act") {
			t.Errorf("an answer that comes at once: %s", got)
		}
		d := enginetest.NewDialogue(t, a.engine)
		go func() { a.answer <- engine.AccessAnswer{Allow: true, Reason: "asked"} }()
		if got := d.Modern("tools/call", `"name":"act"`); !strings.Contains(got, "done by act") {
			t.Errorf("a client without the extension: %s", got)
		}
	})
}

// A denial, and a pause, cancel the tasks of the assistant, and keep their states from it; those
// of others go on.
func TestDenialsCancelTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTasked(t)
		e := p.engine()
		defer e.Close()
		set := func(text string) {
			g, err := engine.ParseGrants([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			e.SetGrants(g)
		}
		open := `{"default":"open","grants":[]}`
		set(open)
		claude, codex := enginetest.TaskClientOf(t, e, "claude"), enginetest.TaskClientOf(t, e, "codex")
		mine, other := claude.Create("once", "{}"), codex.Create("once", "{}")
		claude.Send("subscriptions/listen", `"notifications":{"taskIds":["`+mine+`"]}`)
		claude.Next("the acknowledgement")
		claude.Next("the present state")
		synctest.Wait() // the tools run
		set(`{"default":"open","grants":[{"assistant":"claude","right":"act"}]}`)
		for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
			if got := claude.Request(method, `"taskId":"`+mine+`","inputResponses":{}`); !strings.Contains(got, `"reason":"declined"`) {
				t.Errorf("%s of one who is denied: %s", method, got)
			}
		}
		time.Sleep(2 * time.Minute)
		codex.Wants(other, `"status":"completed"`)
		set(open)
		claude.Wants(mine, `"status":"cancelled"`, "The user declined")
	})
}
