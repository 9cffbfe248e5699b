package engine

import (
	"bytes"
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// Tasks and the user's decisions. A call that waits for the user becomes a task, which ends with
// the decision. Each request about a task, and each notification, is decided by the right of its
// tool; a denial cancels what runs.

const (
	askMessage = "Waits for the user to allow this, in the page. Tell them to look at it."

	// askPatience is how long a call waits for the answer before it becomes a task: a function of
	// the app often answers at once.
	askPatience = 500 * time.Millisecond

	// Between two questions that the user has not answered. One that cannot be shown is answered so
	// at once, each time.
	askAgain     = time.Second
	mostAskAgain = 30 * time.Second
)

// A pendingAsk is a question whose answer a task waits for.
type pendingAsk struct {
	answer chan AccessAnswer // has room for it
	cancel context.CancelFunc
}

// askLater asks the user, until ctx ends.
func (e *Engine) askLater(ctx context.Context, q *AccessQuestion) *pendingAsk {
	ctx, cancel := context.WithCancel(ctx)
	p := &pendingAsk{make(chan AccessAnswer, 1), cancel}
	go func() { // ends with the answer, or ctx
		answer := AccessAnswer{Reason: reasonDeclined}
		if e.options.Ask != nil {
			e.safely("the function that asks the user", func() { answer = e.options.Ask(ctx, q) })
		}
		p.answer <- answer
	}()
	return p
}

// askOrPend asks the user. If that takes long, and the client takes tasks, the answer is pending.
func (e *Engine) askOrPend(ctx context.Context, req *request, q *AccessQuestion) (answer AccessAnswer, pending *pendingAsk) {
	if req.method != callToolMethod || !e.takesTasks(req) {
		return e.ask(ctx, req, q), nil
	}
	own := *q
	own.Arguments, own.CallsItself = bytes.Clone(q.Arguments), strings.Clone(q.CallsItself)
	p := e.askLater(WithPrincipal(e.tasks.ctx, req.who), &own)
	select {
	case answer = <-p.answer:
	case <-ctx.Done():
	case <-time.After(askPatience):
		return answer, p
	}
	p.cancel()
	return answer, nil
}

// admitTask returns an error unless the tool of a task may run. It waits for the user.
func (e *Engine) admitTask(t *task, description Item, ask *pendingAsk) error {
	if ask == nil {
		return e.mayHaveTask(t)
	}
	q := &AccessQuestion{
		Assistant: AssistantOf(t.who), CallsItself: t.clientName, Right: rightNames[t.right()], Method: MethodCallTool,
		Tool: description.JSON, Arguments: t.arguments, Task: t.id, right: t.right(), tool: t.only,
	}
	decided := func(allow bool, reason string) {
		if e.options.Decided != nil {
			e.options.Decided(0, q, allow, cmp.Or(reason, reasonDeclined))
		}
	}
	for again := askAgain; ; {
		g := e.grants.Load()
		if g == nil {
			return nil
		}
		if d, reason := g.decide(t.who, q.right, q.tool); ask == nil && d == allowed { // meanwhile
			decided(true, reason)
			return nil
		}
		if ask == nil {
			ask = e.askLater(t.ctx, q)
		}
		var answer AccessAnswer
		asked := time.Now()
		select {
		case answer = <-ask.answer:
		case <-t.ctx.Done():
		}
		ask.cancel()
		ask = nil
		denied := e.mayHaveTask(t)
		switch {
		case t.ctx.Err() != nil:
			return errTaskOver
		case answer.Reason == reasonNoAnswer && !answer.Allow && denied == nil:
			if time.Since(asked) > askAgain {
				again = askAgain
			}
			select {
			case <-time.After(again):
			case <-t.ctx.Done():
			}
			again = min(2*again, mostAskAgain)
			continue
		}
		if denied == nil && !answer.Allow {
			denied = denial(answer.Reason, answer.Message)
		}
		decided(denied == nil, answer.Reason)
		return denied
	}
}

// right returns what the grants have to allow for a task.
func (t *task) right() grantRight {
	if t.reads {
		return grantRead
	}
	return grantAct
}

// mayHaveTask returns an error if the user has denied what the tool of a task needs. What is not
// decided was allowed when the task was made, or the task waits for it.
func (e *Engine) mayHaveTask(t *task) error {
	if g := e.grants.Load(); g != nil && !t.isOwn {
		if d, reason := g.decide(t.who, t.right(), t.only); d == denied {
			return denial(reason, "")
		}
	}
	return nil
}

// mayGetTask is mayHaveTask for the state of a task: the grant that has allowed it may be over by now.
func (e *Engine) mayGetTask(t *task) error {
	err := e.mayHaveTask(t)
	if g := e.grants.Load(); err == nil && g != nil && t.isGranted {
		if d, _ := g.decide(t.who, t.right(), ""); d != allowed {
			err = denial(reasonNoAnswer, "")
		}
	}
	return err
}

// cancelDeniedTasks cancels the tasks of assistants that the grants deny now.
func (e *Engine) cancelDeniedTasks() {
	for _, t := range e.tasks.unfinished() {
		if err := e.mayHaveTask(t); err != nil {
			e.finishTask(t, TaskCancelled, err.Error(), nil, nil)
		}
	}
}

// isDestructive reports whether a tool says that it may destroy something.
func isDestructive(tool Item) bool {
	return isTrue(jsonrpc.Member(jsonrpc.Member(tool.JSON, "annotations"), "destructiveHint"))
}
