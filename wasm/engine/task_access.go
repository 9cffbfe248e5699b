package engine

import (
	"context"
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

	askAgain = time.Second // between two questions that the user has not answered
)

// A pendingAsk is a question whose answer a task waits for.
type pendingAsk struct {
	answer chan AccessAnswer // has room for it
	cancel context.CancelFunc
}

// askOrPend asks the user. If that takes long, and the client takes tasks, the answer is pending.
func (e *Engine) askOrPend(ctx context.Context, req *request, q *AccessQuestion) (answer AccessAnswer, pending *pendingAsk) {
	if !e.takesTasks(req) || req.method != callToolMethod || e.options.Ask == nil {
		return e.ask(ctx, req, q), nil
	}
	own := *q
	own.Arguments, own.CallsItself = append([]byte(nil), q.Arguments...), string([]byte(q.CallsItself))
	lasting, cancel := context.WithCancel(WithPrincipal(context.Background(), req.who))
	p := &pendingAsk{make(chan AccessAnswer, 1), cancel}
	go func() { // ends with the answer, or cancel
		e.safely("the function that asks the user", func() { p.answer <- e.options.Ask(lasting, &own) })
	}()
	timer := time.NewTimer(askPatience)
	defer timer.Stop()
	select {
	case answer = <-p.answer:
		cancel()
		return answer, nil
	case <-ctx.Done():
		cancel()
		return AccessAnswer{}, nil // admitOne returns the cause
	case <-timer.C:
		return AccessAnswer{}, p
	}
}

// admitTask returns an error unless the tool of a task may run. It waits for the user.
func (e *Engine) admitTask(ctx context.Context, t *task, source Tooler, own string, ask *pendingAsk) error {
	g := e.grants.Load()
	if g == nil || t.isOwn {
		return nil
	}
	if !e.tasks.isAsking(t) {
		return e.mayHaveTask(t.who, t)
	}
	description, err := toolNamed(ctx, source, own)
	if err != nil {
		return err
	}
	q := &AccessQuestion{
		Assistant: AssistantOf(t.who), CallsItself: t.clientName, Right: rightNames[t.right], Method: MethodCallTool,
		Tool: description.Object, Arguments: t.arguments, right: t.right, tool: t.only,
	}
	for {
		d, reason := e.grants.Load().decide(t.who, t.right, t.only)
		message := ""
		if d == undecided {
			if ask == nil {
				ask = e.askFor(ctx, q)
			}
			select {
			case answer := <-ask.answer:
				reason, message = answer.Reason, answer.Message
				if answer.Allow {
					d = allowed
					if later, why := e.grants.Load().decide(t.who, t.right, t.only); later == denied {
						d, reason = denied, why
					}
				}
			case <-ctx.Done():
				ask.cancel()
				return context.Cause(ctx)
			}
			ask.cancel()
			ask = nil
		}
		if d != allowed && reason == reasonNoAnswer {
			if err := pause(ctx, askAgain); err != nil {
				return err
			}
			continue
		}
		e.decided(&request{}, q, d == allowed, reason)
		if d != allowed {
			return denial(reason, message)
		}
		e.tasks.markAdmitted(t)
		return nil
	}
}

// askFor asks the user for a task.
func (e *Engine) askFor(ctx context.Context, q *AccessQuestion) *pendingAsk {
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

// pause waits for a time, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (ts *tasks) isAsking(t *task) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return t.asks
}

func (ts *tasks) markAdmitted(t *task) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t.asks = false
}

// mayHaveTask returns an error if the user has denied what the tool of a task needs. What is not
// decided was allowed when the task was made, or the task waits for it.
func (e *Engine) mayHaveTask(who Principal, t *task) error {
	g := e.grants.Load()
	if g == nil || t.isOwn {
		return nil
	}
	if d, reason := g.decide(who, t.right, t.only); d == denied {
		return denial(reason, "")
	}
	return nil
}

// MayHaveTasks reports whether an assistant may get the states of tasks whose tools are not known:
// neither right is denied. Nil: it may.
func (g *Grants) MayHaveTasks(who Principal) bool {
	if g == nil {
		return true
	}
	for _, right := range [...]grantRight{grantRead, grantAct} {
		if d, _ := g.decide(who, right, ""); d == denied {
			return false
		}
	}
	return true
}

// cancelDeniedTasks cancels the tasks of assistants that the grants deny now.
func (e *Engine) cancelDeniedTasks() {
	for _, t := range e.tasks.all(func(t *task) bool { return !t.hasEnded() }) {
		if err := e.mayHaveTask(t.who, t); err != nil {
			go e.finishTask(t, TaskCancelled, err.Error(), nil, nil) // waits for the store
		}
	}
}

// isDestructive reports whether a tool says that it may destroy something.
func isDestructive(tool Tool) bool {
	return isTrue(jsonrpc.Member(jsonrpc.Member(tool.Object, "annotations"), "destructiveHint"))
}
