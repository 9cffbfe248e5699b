package task

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/internal/sink"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"github.com/pagemcp/pagemcp/wasm/plain"
)

// Limits of tasks.
const (
	DefaultTTL = time.Hour
	MaxTTL     = 24 * time.Hour

	maxRunning = 64      // not ended, of one principal
	maxKept    = 256     // of one principal
	maxBytesOf = 4 << 20 // of all of one principal
	maxBytes   = 8 << 20 // of all of an engine
	fixedSize  = 512     // bytes that a task, or an input of one, takes besides its values

	poll      = time.Second     // pollIntervalMs
	failedFor = 5 * time.Minute // how long a task is kept that has failed by its ttl
	maxRounds = 16              // of input

	// askPatience is how long a call waits for its user before it becomes a task: a function of the app often answers
	// at once.
	askPatience = 500 * time.Millisecond
	askMessage  = "Waits for the user to allow this, in the page. Tell them to look at it."
)

// A Mode says whether a tool runs as a task.
type Mode uint8

const (
	Never    Mode = iota // unless the user has to be asked first
	Optional             // for clients with the extension
	Required             // likewise; others get an error
)

// A Tool is the Extra of an entry of an [engine.Table] that runs as a task. The context of its Call ends when the task
// is cancelled, or its time is over.
type Tool struct {
	Mode Mode
	TTL  time.Duration // of its tasks, from their creation; default DefaultTTL, at most MaxTTL

	// Prepare runs within the request, before the call becomes a task: it checks the arguments, and may ask the client.
	// A result that is not nil answers the call, and there is no task; Call finds kept in [engine.Detached]. May be nil.
	Prepare func(ctx context.Context, arguments []byte) (result, kept []byte, err error)
}

// Tasks are those of an engine's own tools.
type Tasks struct {
	// mu guards all that follows, and what a task says that it guards. A client's lock may be held before it; nothing is
	// called while it is held.
	mu    sync.Mutex
	byID  map[string]*task
	bytes int // of all tasks, about
}

// A task is a call of a client with the extension. It becomes a task when its tool says so, or when the user takes long
// to allow it; else it ends as its request does.
type task struct {
	of           *Tasks
	engine       *engine.Engine
	invocation   *engine.Invocation
	id           string
	who          engine.Principal
	created, ttl int64 // ms
	least        int   // bytes that it takes to its end

	// Guarded by Tasks.mu.
	isTask, isAllowed bool
	status, message   string
	updated           int64 // ms
	inputs            []input
	result, failure   []byte        // as clients get them
	size              int           // bytes that Tasks.bytes has of it
	wake              chan struct{} // closed when an input is answered
}

// An input is a request for input. Its key is made of its name and place: no other one of the task has it.
type input struct {
	name    string
	request []byte // JSON object: method and params
	answer  []byte // JSON object, or nil
}

func (t *task) key(at int) string { return t.inputs[at].name + "-" + strconv.Itoa(at+1) }

// errOver ends the context of a task that has its last state.
var errOver = errors.New("the task is over")

// run implements Run of [engine.Extension].
func (ts *Tasks) run(ctx context.Context, c *engine.ToolCall) (result []byte, err error) {
	var tool Tool
	if source, ok := c.Source.(interface {
		Extra(k engine.Kind, key string) any
	}); ok {
		tool, _ = source.Extra(engine.Tools, c.Own).(Tool)
	}
	i := engine.InvocationOf(ctx)
	if !engine.Declares(i.Capabilities(), ID) {
		if tool.Mode == Required {
			return nil, engine.MissingExtension(ID)
		}
		if err := c.Admit(ctx); err != nil {
			return nil, err
		}
		return c.Source.CallTool(ctx, c.Own, c.Arguments)
	}
	ttl := tool.TTL
	if ttl <= 0 {
		ttl = DefaultTTL
	}
	t := &task{
		of: ts, engine: i.Engine(), invocation: i, who: engine.PrincipalOf(ctx),
		created: nowMs(), ttl: min(ttl, MaxTTL).Milliseconds(), least: fixedSize + len(c.Arguments), status: Working,
	}
	t.updated, t.id = t.created, newID(t.who, t.created, t.ttl)
	defer func() { // a panic ends a task, too
		if t.is() {
			if p := recover(); p != nil {
				err = jsonrpc.Panicked(p)
			}
			t.end(ctx, c, result, err)
			result, err = nil, engine.ErrSent
		}
	}()
	var kept []byte
	begin := sync.OnceValue(func() error { return t.begin(kept) })
	slow := time.AfterFunc(askPatience, func() { begin() })
	err = c.Admit(ctx)
	if !slow.Stop() {
		begin() // waits for the other call
	}
	if err != nil {
		return nil, err
	}
	t.change(func() bool { t.isAllowed = true; return t.say("") })
	if tool.Mode != Never && !t.is() {
		if tool.Prepare != nil {
			if result, kept, err = tool.Prepare(ctx, c.Arguments); result != nil || err != nil {
				return result, err
			}
		}
		if err := begin(); err != nil {
			return nil, err
		}
	}
	return c.Source.CallTool(ctx, c.Own, c.Arguments)
}

// begin makes a task of the call, and answers its request.
func (t *task) begin(prepared []byte) error {
	if !t.of.add(t) {
		return t.engine.Reason("You have too many tasks here; wait until some have ended", "busy", true)
	}
	d := &engine.Detached{ID: t.id, Prepared: prepared, Progress: t.report, Ask: t.request}
	state := t.state()
	if !t.invocation.Detach(d, t.engine.Result("task", state.members(), false)) {
		t.of.remove(t)
		return context.Canceled
	}
	time.AfterFunc(time.Duration(t.ttl)*time.Millisecond, t.expire)
	return nil
}

// add adds a task, and reports whether there was room for it.
func (ts *Tasks) add(t *task) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	running, kept := 0, 0
	for _, other := range ts.byID {
		if other.who == t.who {
			kept++
			if !hasEnded(other.status) {
				running++
			}
		}
	}
	if running >= maxRunning || kept >= maxKept || !ts.grow(t, t.least) {
		return false
	}
	if ts.byID == nil {
		ts.byID = map[string]*task{}
	}
	ts.byID[t.id], t.isTask = t, true
	if !t.isAllowed {
		t.message = askMessage
	}
	return true
}

func (ts *Tasks) remove(t *task) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	delete(ts.byID, t.id)
	ts.bytes -= t.size
	t.isTask = false
}

// is reports whether the call became a task.
func (t *task) is() bool {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	return t.isTask
}

// end gives a task the outcome of its tool.
func (t *task) end(ctx context.Context, c *engine.ToolCall, result []byte, err error) {
	if err == nil {
		result, err = c.ToolResult(t.engine, result)
	}
	switch {
	case ctx.Err() != nil: // it has its last state, or the engine ends
	case err != nil:
		t.fail(err)
	case !t.finish(Completed, "", result, nil):
		t.fail(engine.ErrTooLarge)
	}
}

// report takes a report of progress: a task has a message instead.
func (t *task) report(params []byte) {
	if message, ok := jsonrpc.Text(jsonrpc.Member(params, "message")); ok {
		t.change(func() bool { return t.say(plain.Text(message, plain.MaxDescription)) })
	}
}

// say reports whether the message is another one than before; the mutex is held.
func (t *task) say(message string) bool {
	isOther := t.message != message
	t.message = message
	return isOther
}

// change changes what the mutex guards, unless the task has ended, and announces it if do reports a change.
func (t *task) change(do func() (changed bool)) {
	if t.apply(do) {
		t.engine.Announce(Key(t.id))
	}
}

func (t *task) apply(do func() (changed bool)) bool {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	if hasEnded(t.status) || !do() {
		return false
	}
	t.updated = nowMs()
	return t.isTask
}

// grow takes room for a task that becomes larger; ts.mu is held.
func (ts *Tasks) grow(t *task, by int) bool {
	own := by
	for _, other := range ts.byID {
		if other.who == t.who {
			own += other.size
		}
	}
	if by > 0 && (own > maxBytesOf || ts.bytes+by > maxBytes) {
		return false
	}
	ts.bytes += by
	t.size += by
	return true
}

// finish gives a task its last state, unless it has one. It fails if there is no room for the result.
func (t *task) finish(status, message string, result, failure []byte) (fits bool) {
	fits = true
	t.change(func() bool {
		t.of.grow(t, t.least-t.size) // the rest is not needed any more
		if fits = t.of.grow(t, len(result)); fits {
			t.status, t.message, t.result, t.failure, t.inputs = status, message, result, failure, nil
		}
		return fits
	})
	if fits {
		t.invocation.End(errOver)
	}
	return fits
}

// fail ends a task with the error that the call would have had.
func (t *task) fail(err error) {
	wire := t.engine.ToolError(err)
	t.finish(Failed, wire.Message, nil, wire.Append(nil))
}

// expire ends a task when its time is over, and forgets it when it has ended.
func (t *task) expire() {
	if s := t.state(); !s.HasEnded() {
		t.fail(t.engine.Reason("The task was not done when its time was over", "timeout", false))
		time.AfterFunc(failedFor, t.expire)
		return
	}
	t.of.remove(t)
}

// find returns a task of a principal, or nil. ts may be nil.
func (ts *Tasks) find(who engine.Principal, id string) *task {
	if ts == nil {
		return nil
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if t := ts.byID[id]; t != nil && t.who == who {
		return t
	}
	return nil
}

// decided cancels the tasks that are denied from now on.
func (ts *Tasks) decided() {
	for _, t := range ts.unfinished() {
		if err := t.invocation.Denied(true); err != nil {
			t.finish(Cancelled, err.Error(), nil, nil)
		}
	}
}

func (ts *Tasks) unfinished() (found []*task) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, t := range ts.byID {
		if !hasEnded(t.status) {
			found = append(found, t)
		}
	}
	return found
}

// answer answers a request about a task.
func (t *task) answer(e *engine.Engine, method string, inputs []byte) (sink.Result, error) {
	if err := t.invocation.Denied(method != MethodGet); err != nil {
		return sink.Result{}, err
	}
	switch method {
	case MethodGet:
		state := t.state()
		return e.Result("complete", state.members(), false), nil
	case MethodCancel:
		t.finish(Cancelled, "The assistant has cancelled the task.", nil, nil)
	default:
		if !t.take(inputs) {
			return sink.Result{}, engine.ErrTooLarge
		}
	}
	return e.Result("complete", nil, false), nil
}

// state returns what clients get of a task.
func (t *task) state() State {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	s := State{ID: t.id, Status: t.status, Message: t.message, TTL: t.ttl, Created: isoTime(t.created), Updated: isoTime(t.updated)}
	if hasEnded(t.status) {
		s.Result, s.Error = t.result, t.failure
		return s
	}
	s.Poll = poll.Milliseconds()
	o := emit.JSON("{")
	for at := range t.inputs {
		if t.inputs[at].answer == nil {
			o.Member(t.key(at), t.inputs[at].request)
		}
	}
	if len(o) > 1 {
		s.Status, s.Inputs = InputRequired, append(o, '}')
	}
	return s
}

// request requests input of the client of a task, and waits for all of it. The answers are a JSON object by the names in
// requests: see [engine.Invocation.Ask].
func (t *task) request(ctx context.Context, requests []byte) ([]byte, error) {
	var added []int
	fits := true
	t.change(func() bool {
		for s := jsonrpc.Scan(requests); requests != nil && s.Next(); {
			if fits = fits && t.of.grow(t, fixedSize+len(s.Value)); fits {
				added = append(added, len(t.inputs))
				t.inputs = append(t.inputs, input{name: string(s.Name), request: bytes.Clone(s.Value)})
			}
		}
		return len(added) > 0
	})
	if !fits {
		return nil, engine.ErrTooLarge
	}
	for {
		answers, wake := t.answers(added)
		if wake == nil {
			return answers, nil
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// answers returns the answers to inputs, or what is closed when there are more of them.
func (t *task) answers(added []int) (answers []byte, wake <-chan struct{}) {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	if t.wake == nil {
		t.wake = make(chan struct{})
	}
	o := emit.JSON("{")
	for _, at := range added {
		if at >= len(t.inputs) || t.inputs[at].answer == nil { // when the task has ended its inputs are gone, and its ctx
			return nil, t.wake
		}
		o.Member(t.inputs[at].name, t.inputs[at].answer)
	}
	return append(o, '}'), nil
}

// take takes the answers of a client; those to unknown requests are ignored. It returns false if there is no room.
func (t *task) take(answers []byte) (fits bool) {
	fits = true
	t.change(func() (changed bool) {
		for at := range t.inputs {
			one := &t.inputs[at]
			answer := jsonrpc.Member(answers, t.key(at))
			if answer == nil || one.answer != nil {
				continue
			}
			if fits = t.of.grow(t, len(answer)); !fits {
				break
			}
			one.answer, changed = bytes.Clone(answer), true
		}
		if t.wake != nil {
			close(t.wake)
			t.wake = nil
		}
		return changed
	})
	return fits
}
